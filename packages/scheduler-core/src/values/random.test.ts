import { describe, expect, test } from 'vitest'
import { createRandom, hash32, mix32 } from './random.ts'

describe('reproducible random numbers', () => {
  test('a seed gives the same numbers on every platform', () => {
    const random = createRandom('seed')
    expect(Array.from({ length: 6 }, () => random.below(1_000))).toEqual(NUMBERS)
  })

  test('two different seeds give different numbers', () => {
    const [a, b] = [createRandom('seed'), createRandom('seed ')]
    expect(Array.from({ length: 6 }, () => a.below(1_000))).not.toEqual(Array.from({ length: 6 }, () => b.below(1_000)))
  })

  test.each([1, 2, 3, 7, 1_000, 2 ** 32])('every number is an integer from 0 to %i - 1', (bound) => {
    const random = createRandom(`bound ${bound}`)
    for (let i = 0; i < 1_000; i++) {
      const number = random.below(bound)
      expect(Number.isInteger(number) && number >= 0 && number < bound).toBe(true)
    }
  })

  test('every number below 6 occurs within 200 draws', () => {
    const random = createRandom('all')
    expect(new Set(Array.from({ length: 200 }, () => random.below(6))).size).toBe(6)
  })

  test('hash32 gives the published test values of FNV-1a', () => {
    expect([hash32(''), hash32('a'), hash32('foobar')]).toEqual([0x811c9dc5, 0xe40c292c, 0xbf9cf968])
  })

  test('mix32 gives different values for different numbers', () => {
    expect(new Set(Array.from({ length: 20_000 }, (_, i) => mix32(i))).size).toBe(20_000)
  })
})

const NUMBERS = [374, 829, 185, 221, 255, 833]
