import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createHedging, percentile } from './hedging.ts'

test.each([
  [[7], 0.95, 7],
  [[1, 2], 0.95, 2],
  [[3, 1, 2], 0.5, 2],
  [Array.from({ length: 20 }, (_, i) => 20 - i), 0.95, 19],
  [Array.from({ length: 100 }, (_, i) => i + 1), 0.95, 95],
])('of %j the share %d is at most %d', (values, share, expected) => {
  expect(percentile(values, share)).toBe(expected)
})

test('a percentile is one of the values, at least this share of them is not larger, and no smaller value has this property', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(50), { minLength: 1, maxLength: 120 }), fc.double({ min: 0.01, max: 1, noNaN: true }), (values, share) => {
      const found = percentile(values, share)
      const upTo = (limit: number): number => values.filter((value) => value <= limit).length / values.length
      expect(values).toContain(found)
      // Rounding up to a whole count can exceed the count by one if the product is a rounded number.
      expect(upTo(found)).toBeGreaterThanOrEqual(share - 1e-9)
      for (const value of values) if (value < found) expect(upTo(value)).toBeLessThan(share + 1e-9)
    }),
  )
})

test('the percentile of no value is refused', () => {
  expect(() => percentile([], 0.95)).toThrow('expected at least one value, found none')
})

test('no time is known before twenty durations of the operation, and only the last hundred count', () => {
  const hedging = createHedging()
  for (let i = 0; i < 19; i++) hedging.took('A', 1_000)
  expect(hedging.slowAfterMs('A')).toBeUndefined()
  hedging.took('A', 1_000)
  expect(hedging.slowAfterMs('A')).toBe(1_000)
  expect(hedging.slowAfterMs('B')).toBeUndefined()
  for (let i = 0; i < 95; i++) hedging.took('A', 10)
  expect(hedging.slowAfterMs('A')).toBe(10)
  for (let i = 0; i < 6; i++) hedging.took('A', 2_000)
  expect(hedging.slowAfterMs('A')).toBe(2_000)
})

test('none of the first nineteen calls is sent twice, and of any twenty calls in a row at most one is sent twice', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(3), { maxLength: 200 }), (wishes) => {
      const hedging = createHedging()
      const taken: number[] = []
      for (const [i, times] of wishes.entries()) {
        hedging.countCall()
        for (let copy = 0; copy < times; copy++) if (hedging.takeCopy()) taken.push(i)
      }
      expect(taken[0] ?? 19).toBeGreaterThanOrEqual(19)
      for (const [i, at] of taken.entries()) if (i > 0) expect(at - (taken[i - 1] ?? 0)).toBeGreaterThanOrEqual(20)
    }),
  )
  const hedging = createHedging()
  const taken = Array.from({ length: 100 }, () => {
    hedging.countCall()
    return hedging.takeCopy()
  })
  expect(taken.filter(Boolean)).toHaveLength(5)
})
