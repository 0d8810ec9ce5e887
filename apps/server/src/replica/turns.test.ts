import { expect, test } from 'vitest'
import { BATCHES_PER_TURN, createTurns } from './turns.ts'

test('who was refused takes turns until nothing was missed in two of them', () => {
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
  'who is never disturbed passes through the turn all the same, by what is in the log (refuses early: %s)',
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

test('where nothing is refused, two entries in a row with something void lead to turns, until none is void in two of them', () => {
  const turns = createTurns(false)
  turns.settled(true)
  turns.settled(false)
  turns.settled(true)
  expect(turns.isDue()).toBe(false)
  turns.settled(true)
  expect(turns.isDue()).toBe(true)
  // others always write: that alone is in nobody's way
  turns.taken(40)
  turns.settled(false)
  turns.taken(40)
  expect(turns.isDue()).toBe(true)
  turns.settled(false)
  turns.taken(40)
  expect(turns.isDue()).toBe(false)
})
