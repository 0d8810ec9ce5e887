const WORD = 2n ** 32n

/** FNV-1a, 32 bits, over the UTF-16 code units of a text: xor, then times the prime, for each. */
export function fnv1a(text: string): bigint {
  let hash = 0x811c9dc5n
  for (let i = 0; i < text.length; i++) hash = ((hash ^ BigInt(text.charCodeAt(i))) * 0x01000193n) % WORD
  return hash
}

/** The finaliser of splitmix32: xor with itself shifted by 16, multiply; by 15, multiply; by 15. */
export function mix(word: bigint): bigint {
  let z = word % WORD
  z = ((z ^ (z >> 16n)) * 0x21f0aaadn) % WORD
  z = ((z ^ (z >> 15n)) * 0x735a2d97n) % WORD
  return z ^ (z >> 15n)
}

/** splitmix32, seeded by a text: each draw advances the state by the golden ratio, and returns a share of 32 bits scaled to the bound. */
export function createDraw(seed: string): (bound: number) => number {
  let state = fnv1a(seed)
  return (bound) => {
    state = (state + 0x9e3779b9n) % WORD
    return Number((mix(state) * BigInt(bound)) / WORD)
  }
}

/** The rank of a host in the order that a seed shuffles: lower ones first. */
export const shuffledPlace = (seed: string, host: number): bigint => mix(BigInt(host) ^ fnv1a(seed))
