import { expect, test } from 'vitest'
import { BATCHES_PER_TURN, createTurns } from './turns.ts'

test('after a refused append, a replica takes turns until two turns had no conflict', () => {
  const turns = createTurns(true)
  expect(turns.isDue()).toBe(false)
  turns.refused()
  const due = [1, 0, 3, 0, 0].map((missed) => {
    const wasDue = turns.isDue()
    turns.taken(missed)
    return wasDue
  })
  expect(due).toEqual([true, true, true, true, true])
  turns.taken(0)
  expect(turns.isDue()).toBe(false)
})

test.each([true, false])(
  'a replica without conflicts takes a turn after it has appended BATCHES_PER_TURN entries (refuses early: %s)',
  (early) => {
    const turns = createTurns(early)
    for (let i = 0; i < BATCHES_PER_TURN; i++) {
      expect(turns.isDue()).toBe(false)
      turns.appended()
      turns.settled(!early && i % 2 === 0)
    }
    expect(turns.isDue()).toBe(true)
    turns.taken(5)
    expect(turns.isDue()).toBe(false)
  },
)

test('if the store refuses nothing, two consecutive entries with void changes start turns, and two turns without void changes end them', () => {
  const turns = createTurns(false)
  turns.settled(true)
  turns.settled(false)
  turns.settled(true)
  expect(turns.isDue()).toBe(false)
  turns.settled(true)
  expect(turns.isDue()).toBe(true)
  // other replicas write constantly, but their entries make no change void
  turns.taken(40)
  turns.settled(false)
  turns.taken(40)
  expect(turns.isDue()).toBe(true)
  turns.settled(false)
  turns.taken(40)
  expect(turns.isDue()).toBe(false)
})
