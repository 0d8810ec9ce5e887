import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { StoredDecision } from '../../db/tables/decisions.ts'
import { assertAsked, duringCall } from '../../event-loop/query.ts'
import { realTimers } from '../../timers.ts'
import { createDecisionFeed, LOOK_EVERY_MS, SLACK_MS } from './decision-feed.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A decision with only the fields that the feed reads. */
const aDecision = (id: string, entryId: string | null = null) =>
  ({ id, record: {}, place: { basis: 1, entryId, position: null } }) as unknown as StoredDecision

/** Tables and a replica that the test controls. */
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
        assertAsked()
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
  const notified: string[] = []
  return {
    ...{ world, warnings, notified, feed, listeners },
    listen: () =>
      feed.onDecision(
        ({ id }) => notified.push(id),
        () => notified.push('missed'),
      ),
    /** Another replica stores a refusal of a call from `agoMs` milliseconds ago. */
    keeps: (id: string, agoMs = 0) => void rows.push({ decision: aDecision(id), at: Date.now() - agoMs }),
    /** This replica decides a call. A refusal is also stored in the tables. */
    makes(id: string, entryId: string | null = null) {
      const decision = aDecision(id, entryId)
      if (entryId === null) rows.push({ decision, at: Date.now() })
      for (const listener of listeners) listener(decision)
    },
    looks: (times = 1) => vi.advanceTimersByTimeAsync(times * LOOK_EVERY_MS),
  }
}

describe('the feed reports refusals, which are not in the log', () => {
  test('the remaining listeners get decisions of other replicas after the first listener leaves', async () => {
    const { listen, keeps, looks, notified, warnings } = aWorld()
    const caller = new AbortController()
    const stop = duringCall(caller.signal, listen)
    listen()
    caller.abort()
    stop()
    await looks()
    keeps('r1')
    await looks()
    expect([notified, warnings]).toEqual([['r1'], []])
  })

  test("refusals of another replica are reported once at the next poll, and this replica's at once", async () => {
    const { notified, listen, keeps, makes, looks } = aWorld()
    listen()
    makes('own')
    makes('logged', 'entry')
    expect(notified).toEqual(['own', 'logged'])
    keeps('other')
    await looks(40)
    expect(notified).toEqual(['own', 'logged', 'other'])
  })

  test.each([15_000, 40_000, SLACK_MS - 11 * LOOK_EVERY_MS])(
    'a refusal that was stored %d ms after its call is reported once',
    async (ms) => {
      const { notified, listen, keeps, looks } = aWorld()
      listen()
      await looks(3)
      keeps('slow', ms)
      await looks((2 * SLACK_MS) / LOOK_EVERY_MS)
      expect(notified).toEqual(['slow'])
    },
  )

  test('refusals that were stored before the first listener was added are not reported', async () => {
    const { notified, listen, keeps, looks } = aWorld()
    keeps('old', 6_000)
    listen()
    await looks(30)
    expect(notified).toEqual([])
  })

  test('earlier refusals are not reported to a new listener', async () => {
    const { notified, listen, keeps, looks } = aWorld()
    listen()()
    keeps('old', 6_000)
    listen()
    await looks(30)
    expect(notified).toEqual([])
  })

  test('decisions of other replicas during an outage of the tables are reported after it, and operators get one warning', async () => {
    const { world, warnings, notified, listen, keeps, looks } = aWorld()
    listen()
    await looks()
    world.isAway = true
    keeps('first')
    await looks(120)
    world.isAway = false
    await looks()
    expect(notified).toEqual(['first'])
    expect(warnings).toHaveLength(1)
  })

  test('if the tables were behind the log, the next query covers everything since the last complete query', async () => {
    const { world, notified, listen, keeps, looks } = aWorld()
    listen()
    world.isCaughtUp = false
    await looks(120)
    keeps('late', 100_000)
    world.isCaughtUp = true
    await looks()
    expect(notified).toEqual(['late'])
  })

  test('if there are too many decisions to report each, the newest are reported, with a notice that others were missed', async () => {
    const { notified, listen, keeps, looks } = aWorld()
    listen()
    for (let i = 0; i < 1_500; i++) keeps(`r${i}`)
    await looks(3)
    expect(notified.filter((one) => one === 'missed')).toHaveLength(1)
    expect(notified).toHaveLength(1_001)
    expect(notified.at(-1)).toBe('r1499')
  })
})

test('the tables are not polled without another replica or without a listener', async () => {
  const { world, notified, listeners, listen, makes, keeps, looks } = aWorld()
  await looks(5)
  world.hasOthers = false
  const stop = listen()
  makes('own')
  await looks(5)
  expect(world.asked).toBe(0)
  world.hasOthers = true
  keeps('other')
  await looks(2)
  expect(notified).toEqual(['own', 'other'])
  const before = world.asked
  stop()
  await looks(5)
  expect(world.asked).toBe(before)
  expect(listeners.size).toBe(0)
})
