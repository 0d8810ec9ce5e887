import { Fleet } from '@gantt/scheduler-core'
import { expect, test } from 'vitest'
import type { Obstacle } from '../propose/retries.ts'
import { createVitals } from './vitals.ts'

/** The vitals of a replica that the test controls, on a stopped clock. */
function aReplica() {
  const fruitless = new Map<Obstacle, number>()
  const tally = { counted: 0, fruitless, unlogged: 0, refused: new Map() }
  let now = 5_000
  const look = createVitals({ tally, fleet: new Fleet() }, { now: () => now })
  return {
    tally,
    fruitless,
    /** Advances the clock by this time, and returns the vitals. */
    after(ms: number) {
      now += ms
      const { decisionsPerSecond, proposals, conflicts } = look()
      return [decisionsPerSecond, proposals, conflicts]
    },
  }
}

test('the rates start at 0, and a burst right after the start gives at most a rate that equals its count', () => {
  const { tally, after } = aReplica()
  expect(after(0)).toEqual([0, 0, 0])
  tally.counted = 10
  expect(after(100)).toEqual([10, 10, 0])
})

test('refusals and placements that claim nothing count as decisions, not as proposals; proposals without effect as conflicts, not as decisions', () => {
  const { tally, fruitless, after } = aReplica()
  tally.counted = 6
  tally.unlogged = 4
  fruitless.set('append.refused', 1).set('claim.no_room', 1)
  expect(after(20_000)).toEqual([0.5, 8, 2])
})

test('decisions from more than a minute ago are no longer in the rate, however often the rate is read', () => {
  const { tally, after } = aReplica()
  tally.counted = 60
  expect(after(30_000)).toEqual([2, 60, 0])
  expect(after(30_000)).toEqual([1, 60, 0])
  for (let i = 0; i < 1_000; i++) after(10)
  tally.counted += 30
  expect(after(50_000)).toEqual([0.5, 30, 0])
  expect(after(60_000)).toEqual([0, 0, 0])
})
