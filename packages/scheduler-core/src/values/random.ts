/** A reproducible random number generator. The same seed gives the same sequence on every platform. */
export interface Random {
  /** Returns the next integer from 0 to bound - 1. The bound must be from 1 to 2^32. */
  below(bound: number): number
}

/** Creates a splitmix32 generator that is seeded by a text. It is not cryptographic. */
export function createRandom(seed: string): Random {
  let state = hash32(seed)
  return {
    below(bound) {
      state = (state + 0x9e3779b9) >>> 0
      // Scales 32 random bits to the bound. The bias is below bound / 2^32, and all platforms give the same number.
      return Math.floor((mix32(state) / 0x1_0000_0000) * bound)
    },
  }
}

/** The 32-bit FNV-1a hash over the UTF-16 code units of a text. */
export function hash32(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}

/** Mixes the bits of a 32-bit integer. Different integers give different results. */
export function mix32(value: number): number {
  let z = value >>> 0
  z = Math.imul(z ^ (z >>> 16), 0x21f0aaad)
  z = Math.imul(z ^ (z >>> 15), 0x735a2d97)
  return (z ^ (z >>> 15)) >>> 0
}
