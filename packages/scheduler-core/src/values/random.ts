/** A source of reproducible numbers: the same seed gives the same sequence on every platform. */
export interface Random {
  /** The next integer in 0 .. bound - 1; bound is 1 .. 2^32. */
  below(bound: number): number
}

/** Creates a generator (splitmix32) that is seeded by a text. It is not suitable for secrets. */
export function createRandom(seed: string): Random {
  let state = hash32(seed)
  return {
    below(bound) {
      state = (state + 0x9e3779b9) >>> 0
      // 32 random bits, scaled to the bound. The bias is below bound / 2^32 and the same on every platform.
      return Math.floor((mix32(state) / 0x1_0000_0000) * bound)
    },
  }
}

/** FNV-1a over UTF-16 code units, 32 bits. */
export function hash32(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}

/** A bijection on 32-bit integers that leaves no visible pattern. */
export function mix32(value: number): number {
  let z = value >>> 0
  z = Math.imul(z ^ (z >>> 16), 0x21f0aaad)
  z = Math.imul(z ^ (z >>> 15), 0x735a2d97)
  return (z ^ (z >>> 15)) >>> 0
}
