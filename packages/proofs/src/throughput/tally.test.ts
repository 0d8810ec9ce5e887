import { expect, test } from 'vitest'
import { createTally } from './tally.ts'

const PLACED = { type: 'SelectDestinationsPayload', claim: { id: 'c', fence: 1 } }

test('calls are counted that begin and end during the measurement', () => {
  let now = 0
  const tally = createTally(() => now)
  const call = (beganAt: number, endedAt: number): void => {
    now = endedAt
    tally.add('select', beganAt, PLACED)
  }
  call(0, 90)
  now = 100
  tally.start()
  call(99, 101)
  call(100, 110)
  call(150, 180)
  now = 200
  expect(tally.stop()).toBeCloseTo(0.1)
  call(190, 201)
  expect(tally.figures()).toEqual({ select: { calls: 2, perSecond: 20, refused: 0, p50Ms: 30, p99Ms: 30, p999Ms: 30 } })
  expect([tally.placements, tally.ended]).toEqual([2, 3])
})

test('quantiles, refusals and failures', () => {
  let now = 0
  const tally = createTally(() => now)
  tally.start()
  for (let ms = 1; ms <= 1_000; ms++) {
    now = ms
    tally.add('select', 0, ms <= 10 ? { type: 'NoValidHost' } : PLACED)
  }
  tally.add('report', 0, { type: 'none', failure: 'socket hang up' })
  tally.stop()
  expect(tally.figures().select).toEqual({ calls: 1_000, perSecond: 1_000, refused: 10, p50Ms: 501, p99Ms: 991, p999Ms: 1_000 })
  expect(tally.placements).toBe(990)
  expect(tally.failures).toEqual({ count: 1, first: 'report: socket hang up' })
})
