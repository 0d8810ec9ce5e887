import { expect, test } from 'vitest'
import { longestGap, unavailabilityOf } from './unavailability.ts'

test('the longest period without an answer is searched from the start of the run to the end of the last call', () => {
  expect(longestGap({ at: [700, 900, 1_000], endedAt: 1_500 })).toBe(700)
  expect(longestGap({ at: [900, 700, 1_000], endedAt: 2_000 })).toBe(1_000)
  expect(longestGap({ at: [], endedAt: 3_000 })).toBe(3_000)
  expect(longestGap({ at: [], endedAt: 0 })).toBe(0)
  // between two answers that are given in any order, and up to a call that ends with its answer
  expect(longestGap({ at: [300, 2_100, 400], endedAt: 2_200 })).toBe(1_700)
  expect(longestGap({ at: [300, 600], endedAt: 600 })).toBe(300)
})

test('periods without answers are attributed to faults that overlap them or ended shortly before, the longest first', () => {
  const injected = [
    { fault: 'cut', at: 1_000, until: 1_100 },
    { fault: 'kill', at: 5_000, until: 9_000 },
  ]
  const writes = [500, 990, 1_200, 2_050, 4_990, 8_000, 8_100, 20_000]
  const reads = [500, 1_050, 5_100]
  expect(unavailabilityOf({ writes: { at: writes, endedAt: 20_000 }, reads: { at: reads, endedAt: 20_000 } }, injected)).toEqual([
    { fault: 'kill', writesMs: 11_900, readsMs: 14_900 },
    { fault: 'cut', writesMs: 2_940, readsMs: 4_050 },
  ])
})
