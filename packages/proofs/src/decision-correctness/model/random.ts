const WORD = 2n ** 32n

/** FNV-1a with 32 bits over the UTF-16 code units of a text. For each unit: xor, then multiply by the prime. */
export function fnv1a(text: string): bigint {
  let hash = 0x811c9dc5n
  for (let i = 0; i < text.length; i++) hash = ((hash ^ BigInt(text.charCodeAt(i))) * 0x01000193n) % WORD
  return hash
}

/**
 * The finaliser of splitmix32. Three times, it xors the word with the word shifted right (by 16, 15 and 15 bits). It multiplies the word
 * after the first and second time.
 */
export function mix(word: bigint): bigint {
  let z = word % WORD
  z = ((z ^ (z >> 16n)) * 0x21f0aaadn) % WORD
  z = ((z ^ (z >> 15n)) * 0x735a2d97n) % WORD
  return z ^ (z >> 15n)
}

/** The generator splitmix32, seeded by a text. Each draw adds the golden-ratio constant to the state and scales 32 bits to the bound. */
export function createDraw(seed: string): (bound: number) => number {
  let state = fnv1a(seed)
  return (bound) => {
    state = (state + 0x9e3779b9n) % WORD
    return Number((mix(state) * BigInt(bound)) / WORD)
  }
}

/** The sort key of a host in the random order of a seed. Hosts are sorted by ascending keys. */
export const shuffledPlace = (seed: string, host: number): bigint => mix(BigInt(host) ^ fnv1a(seed))
