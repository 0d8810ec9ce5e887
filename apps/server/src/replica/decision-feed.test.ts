import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { StoredDecision } from '../db/decisions.ts'
import { realTimers } from '../timers.ts'
import { createDecisionFeed, LOOK_EVERY_MS, SLACK_MS } from './decision-feed.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** What the feed reads of a decision. */
const aDecision = (id: string, entryId: string | null = null) =>
  ({ id, record: {}, place: { basis: 1, entryId, position: null } }) as unknown as StoredDecision

/** Tables and a replica in which a test says what happens. */
function aWorld() {
  const rows: { readonly decision: StoredDecision; readonly at: number }[] = []
  const listeners = new Set<(decision: StoredDecision) => void>()
  const world = { hasOthers: true, isCaughtUp: true, isAway: false, asked: 0 }
  const warnings: string[] = []
  const feed = createDecisionFeed({
    own: {
      onDecision(listener) {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    },
    store: {
      async unlogged(withinMs) {
        world.asked++
        if (world.isAway) throw new Error('nobody answers')
        const found = rows.map(({ decision: { id }, at }) => ({ id, agoMs: Date.now() - at }))
        return found.filter(({ agoMs }) => agoMs <= withinMs)
      },
      findAll: async (ids) => rows.flatMap(({ decision }) => (ids.includes(decision.id) ? decision : [])),
    },
    hasOthers: () => world.hasOthers,
    caughtUp: async () => world.isCaughtUp,
    timers: realTimers,
    warn: (message) => warnings.push(message),
  })
  const told: string[] = []
  return {
    ...{ world, warnings, told, feed, listeners },
    listen: () =>
      feed.onDecision(
        ({ id }) => told.push(id),
        () => told.push('missed'),
      ),
    /** Another replica keeps a refusal that it made so long ago. */
    keeps: (id: string, agoMs = 0) => void rows.push({ decision: aDecision(id), at: Date.now() - agoMs }),
    /** This one makes a decision; a refusal is in the tables too. */
    makes(id: string, entryId: string | null = null) {
      const decision = aDecision(id, entryId)
      if (entryId === null) rows.push({ decision, at: Date.now() })
      for (const listener of listeners) listener(decision)
    },
    looks: (times = 1) => vi.advanceTimersByTimeAsync(times * LOOK_EVERY_MS),
  }
}

describe('refusals are in no log', () => {
  test('those of another replica are told at the next look, once, and its own at once', async () => {
    const { told, listen, keeps, makes, looks } = aWorld()
    listen()
    makes('own')
    makes('logged', 'entry')
    expect(told).toEqual(['own', 'logged'])
    keeps('other')
    await looks(40)
    expect(told).toEqual(['own', 'logged', 'other'])
  })

  test.each([15_000, 40_000, SLACK_MS - 11 * LOOK_EVERY_MS])('one that was kept %d ms after its call is told, once', async (ms) => {
    const { told, listen, keeps, looks } = aWorld()
    listen()
    await looks(3)
    keeps('slow', ms)
    await looks((2 * SLACK_MS) / LOOK_EVERY_MS)
    expect(told).toEqual(['slow'])
  })

  test('what was made before anybody listened is not', async () => {
    const { told, listen, keeps, looks } = aWorld()
    keeps('old', 6_000)
    listen()
    await looks(30)
    expect(told).toEqual([])
  })

  test('nor is it when somebody begins anew', async () => {
    const { told, listen, keeps, looks } = aWorld()
    listen()()
    keeps('old', 6_000)
    listen()
    await looks(30)
    expect(told).toEqual([])
  })

  test('a time without the tables leaves no hole, however long; operators are told once', async () => {
    const { world, warnings, told, listen, keeps, looks } = aWorld()
    listen()
    await looks()
    world.isAway = true
    keeps('first')
    await looks(120)
    world.isAway = false
    await looks()
    expect(told).toEqual(['first'])
    expect(warnings).toHaveLength(1)
  })

  test('tables that are behind are asked once they have caught up, for all since', async () => {
    const { world, told, listen, keeps, looks } = aWorld()
    listen()
    world.isCaughtUp = false
    await looks(120)
    keeps('late', 100_000)
    world.isCaughtUp = true
    await looks()
    expect(told).toEqual(['late'])
  })

  test('of more than can be told one by one the newest are, and that some were missed', async () => {
    const { told, listen, keeps, looks } = aWorld()
    listen()
    for (let i = 0; i < 1_500; i++) keeps(`r${i}`)
    await looks(3)
    expect(told.filter((one) => one === 'missed')).toHaveLength(1)
    expect(told).toHaveLength(1_001)
    expect(told.at(-1)).toBe('r1499')
  })
})

test('nobody asks the tables while there is no other replica, or no listener', async () => {
  const { world, told, listeners, listen, makes, keeps, looks } = aWorld()
  await looks(5)
  world.hasOthers = false
  const stop = listen()
  makes('own')
  await looks(5)
  expect(world.asked).toBe(0)
  world.hasOthers = true
  keeps('other')
  await looks(2)
  expect(told).toEqual(['own', 'other'])
  const before = world.asked
  stop()
  await looks(5)
  expect(world.asked).toBe(before)
  expect(listeners.size).toBe(0)
})
