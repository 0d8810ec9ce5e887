import { aReport, aRequest } from '@gantt/scheduler-core/testing'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { DecisionStore, StoredDecision } from '../../db/tables/decisions.ts'
import { nothingOutside } from '../../plugin/outside/outside.ts'
import { createHistory, type History } from '../../replica/follow/history.ts'
import { rowsOf } from '../../replica/follow/rows-of.ts'
import { Replica } from '../../replica/replica.ts'
import { createMemoryStore } from '../../sync/memory/memory.ts'
import { UnavailableError } from '../../unavailable.ts'
import { createCompareDecisions } from '../decision/compare-decisions.ts'
import { createDecisions, type Decisions } from '../decision/decisions.ts'
import { createExplain, type Explain } from './explain.ts'

// Decisions on states that the log no longer contains. One decision moves a claim that was removed from the fleet's state.
let replica: Replica
const kept: StoredDecision[] = []
let clock = 1_000_000

beforeAll(async () => {
  const store = createMemoryStore(() => clock)
  replica = await Replica.start({ store: store.open(), name: 'r', recordUnlogged: async () => {}, warn: (message) => expect.fail(message) })
  replica.onApplied((applied) => void kept.push(...rowsOf(replica.fleet, applied, ({ id }) => id).decisions))
  await replica.propose(['a', 'b', 'c', 'd'].map((name) => aReport(name)))
  const place = (key: string, rest: object) =>
    replica.place({
      ...{ account: 'nova', key, digest: key, profile: 'default', mode: 'CONFIRM', ttlMs: 120_000, deadlineMs: 120_000 },
      ...{ alternatesPerInstance: 2, request: aRequest({ vcpus: 1 }), intent: 'CREATE', source: null, allOrNothing: true, ...rest },
    })
  const placed = await place('one', {})
  await place('three', { request: aRequest({ vcpus: 1, numInstances: 3 }) })
  const claim = placed.type === 'placed' ? placed.claims[0] : undefined
  if (claim === undefined) throw new Error('nothing was placed')
  await place('moved', { intent: 'LIVE_MIGRATE', source: { claim: claim.id, fence: claim.fence } })
  for (const { id, fence } of [...replica.fleet.ledger.claims.values()])
    await replica.propose([{ type: 'release', claim: id, fence, reason: null }])
  // after three hours, the fleet drops the ended claims and their idempotency keys
  for (let hour = 0; hour < 3; hour++) {
    clock += 3_600_000
    await replica.propose([aReport(`late-${hour}`)])
  }
})
afterAll(() => replica?.close())

/** A log that begins at the present revision. */
const trimmed = (): History => {
  const gone = () => Promise.reject(new RangeError('the log does not reach there'))
  return { ...createHistory(createMemoryStore(() => clock).open().past), read: gone, at: gone, entry: gone, find: gone }
}

function decisionsOf(stored: readonly StoredDecision[], isReached = true): Decisions {
  const decisions: DecisionStore = {
    find: async (id) => stored.find((one) => one.id === id),
    findAll: async (ids) => stored.filter(({ id }) => ids.includes(id)),
    list: async () => [...stored],
    count: async () => stored.length,
    lostTries: async () => [],
    requestIds: async () => new Map(),
    sample: async () => ({ total: stored.length, decisions: [...stored] }),
    keepMatrix: async () => undefined,
  }
  const requestSpecs = { find: async () => undefined, list: async () => [], count: async () => 0 }
  return createDecisions(replica, { decisions, requestSpecs, latest: () => undefined, projector: { reached: async () => isReached } })
}

const explainOf = (stored: StoredDecision): Explain => createExplain(replica, trimmed(), decisionsOf([stored]), nothingOutside)

test.each([
  ['one instance', 0, 0, undefined],
  ['the last of three instances', 1, 2, undefined],
  ['a move whose claim is forgotten', 2, 0, undefined],
  ['a decision, by a profile other than its own,', 0, 0, 'best-fit'],
  ['a move, by a profile other than its own,', 2, 0, 'best-fit'],
] as const)('%s is explained on the present state, with a note that the log was trimmed', async (_what, which, instance, profile) => {
  const stored = kept[which] as StoredDecision
  if (which === 2) expect(replica.fleet.ledger.claims.has(String(stored.record.source))).toBe(false)
  const { explain, whyNot } = explainOf(stored)
  const subject = { type: 'decision', id: stored.id } as const
  const found = await explain(subject, { instance, profile })
  expect([found.question.fidelity, found.question.lost, found.hostCount]).toEqual(['APPROXIMATE', stored.place.basis, 7])
  await found.matrix()
  const answer = await whyNot(subject, { host: 'a' }, { instance, profile })
  expect(answer.changedSinceNote).toMatch(/^The log no longer contains revision \d+/)
})

test('an explanation at another revision that the log no longer contains is refused', async () => {
  const stored = kept[0] as StoredDecision
  const { explain } = explainOf(stored)
  await expect(explain({ type: 'decision', id: stored.id }, { at: 2 })).rejects.toThrow('input.at is 2; it must be a revision')
})

test('two decisions whose states are lost are compared by their records, and no cause of the difference is stated', async () => {
  const [one, three, moved] = kept as [StoredDecision, StoredDecision, StoredDecision]
  const compare = createCompareDecisions(replica, trimmed(), decisionsOf(kept))
  const found = await compare(one.id, three.id)
  expect(found).toMatchObject({ cause: 'UNKNOWN', fidelity: 'APPROXIMATE', fleetChanges: undefined, trials: [] })
  expect(found.specChanges).toContainEqual({ field: 'numInstances', before: '1', after: '3' })
  expect(found.goals.map(({ length }) => length)).toEqual([1, 3])
  const now = replica.fleet.place.revision
  expect(found.approximateBecause).toBe(
    [`first`, `second`]
      .map((which, i) => {
        const gone = `The log no longer contains revision ${(i === 0 ? one : three).place.basis} of the ${which}`
        return `${gone}: the answer is based on its record and, for hosts that the record does not name, on revision ${now}.`
      })
      .join(' '),
  )
  // the fleet no longer contains the source claim of the move, but the comparison still reports the claim
  const { specChanges } = await compare(one.id, moved.id)
  expect(specChanges).toContainEqual({ field: 'moveOf', before: null, after: moved.record.source })
  expect(await compare(moved.id, moved.id)).toMatchObject({ cause: 'NONE', fidelity: 'APPROXIMATE' })
})

test('a decision that is missing from tables that are behind the log is unavailable; one that is missing from complete tables is an error', async () => {
  const load = (isReached: boolean) => decisionsOf([], isReached).view('one').load()
  await expect(load(false)).rejects.toThrow(UnavailableError)
  await expect(load(false)).rejects.toThrow('which have not followed the log up to now')
  await expect(load(true)).rejects.toThrow('was made, but is not in the records')
})

test('a replica that is behind the log does not report a decision of another replica as missing', async () => {
  const stored = kept[0] as StoredDecision
  const tables: StoredDecision[] = []
  const fresh = vi.spyOn(replica, 'fresh').mockImplementation(async () => void tables.push(stored))
  try {
    expect(await decisionsOf(tables).stored(stored.id)).toBe(stored)
    expect(await decisionsOf([]).stored('unknown')).toBeUndefined()
    await expect(decisionsOf([], false).stored('unknown')).rejects.toThrow(UnavailableError)
  } finally {
    fresh.mockRestore()
  }
})
