import { expect, test } from 'vitest'
import { longestGap, unavailabilityOf } from './unavailability.ts'

test('periods without an answer are measured from the start of the run to the last call', () => {
  expect(longestGap({ at: [700, 900, 1_000], endedAt: 1_500 })).toBe(700)
  expect(longestGap({ at: [900, 700, 1_000], endedAt: 2_000 })).toBe(1_000)
  expect(longestGap({ at: [], endedAt: 3_000 })).toBe(3_000)
  expect(longestGap({ at: [], endedAt: 0 })).toBe(0)
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
