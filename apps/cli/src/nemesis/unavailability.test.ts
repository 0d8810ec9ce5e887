import { expect, test } from 'vitest'
import { longestGap, unavailabilityOf } from './unavailability.ts'

test('the longest time without an answer counts from the start of the run', () => {
  expect(longestGap([700, 900, 1_000])).toBe(700)
  expect(longestGap([])).toBe(0)
})

test('a fault is charged with what meets it while it lasts and shortly after, the worst first', () => {
  const injected = [
    { fault: 'cut', at: 1_000, until: 1_100 },
    { fault: 'kill', at: 5_000, until: 9_000 },
  ]
  const writes = [500, 990, 1_200, 2_050, 4_990, 8_000, 8_100, 20_000]
  expect(unavailabilityOf({ writes, reads: [500, 1_050, 5_100, 20_000] }, injected)).toEqual([
    { fault: 'kill', writesMs: 11_900, readsMs: 14_900 },
    { fault: 'cut', writesMs: 2_940, readsMs: 4_050 },
  ])
})
