import { canonicalJson, checkpointOf, ENTRY_FORMAT } from '@gantt/scheduler-core'
import { aReport, aRequest } from '@gantt/scheduler-core/testing'
import { afterEach, expect, test } from 'vitest'
import { createMemoryStore, type MemoryStore } from '../../sync/memory/memory.ts'
import { modeOf } from '../mode.ts'
import type { PlacementCall, UnloggedDecision } from '../propose/placement.ts'
import { Replica } from '../replica.ts'

const replicas: Replica[] = []
const warnings: string[] = []
const unlogged: UnloggedDecision[] = []
afterEach(async () => {
  await Promise.all(replicas.splice(0).map((replica) => replica.close()))
  warnings.length = 0
  unlogged.length = 0
})

async function open(store: MemoryStore): Promise<Replica> {
  const replica = await Replica.start({
    store: store.open(),
    name: `replica-${replicas.length}`,
    recordUnlogged: async (decisions) => void unlogged.push(...decisions),
    warn: (message) => void warnings.push(message),
  })
  replicas.push(replica)
  return replica
}

const call = (key: string, vcpus = 1): PlacementCall => ({
  account: 'nova',
  key,
  digest: key,
  request: aRequest({ vcpus, memoryMb: 64 }),
  profile: 'default',
  mode: 'CONFIRM',
  ttlMs: 120_000,
  deadlineMs: 120_000,
  alternatesPerInstance: 0,
  intent: 'CREATE',
  source: null,
  allOrNothing: true,
})

const shared = (): MemoryStore => createMemoryStore(undefined, { isShared: true })

/**
 * Runs the event loop fifty times, which completes all work that waits for nothing else. Resolves with true if the promise is then settled.
 */
async function isAnswered(promise: Promise<unknown>): Promise<boolean> {
  let answered = false
  const note = (): void => {
    answered = true
  }
  promise.then(note, note)
  for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve))
  return answered
}

test('claims, changes, refusals, repeated calls and reads are not answered before a flush', async () => {
  const store = shared()
  const [a, b] = [await open(store), await open(store)]
  await a.propose([aReport('h1', { vcpus: 1 })])
  await b.fresh()
  expect(a.settled()).toBeUndefined()
  const release = store.faults.holdFlushes()
  const placed = a.place(call('k1'))
  await expect.poll(() => a.fleet.ledger.claims.size).toBe(1)
  // these calls depend on a state that is not durable yet, on this replica and on others
  const waiting = {
    placed,
    repeated: a.place(call('k1')),
    refused: a.place(call('k2')),
    changed: a.propose([{ type: 'status', host: 'h1', node: 'h1', status: 'DISABLED', reason: '' }]),
    read: a.settled() ?? Promise.reject(new Error('the state is already durable')),
    elsewhere: b.place(call('k3')),
    readElsewhere: b.fresh().then(() => b.settled()),
    reached: b.reached(2, 5_000),
  }
  for (const [name, promise] of Object.entries(waiting)) expect([name, await isAnswered(promise)]).toEqual([name, false])
  expect(unlogged).toEqual([])
  expect(a.durableRevision).toBe(1)
  release()
  const answers = await Promise.all(Object.values(waiting))
  expect(answers.slice(0, 3)).toMatchObject([{ type: 'placed', replayed: false }, { type: 'placed', replayed: true }, { type: 'refused' }])
  expect(a.settled()).toBeUndefined()
})

test('during a flush further entries are appended, and their calls are answered after a flush', async () => {
  const store = shared()
  const a = await open(store)
  await a.propose([aReport('h1', { vcpus: 64 })])
  const release = store.faults.holdFlushes()
  const first = a.place(call('k1'))
  await expect.poll(() => store.entries.length).toBe(2)
  const second = a.place(call('k2'))
  await expect.poll(() => store.entries.length).toBe(3)
  release()
  expect((await Promise.all([first, second])).map(({ type }) => type)).toEqual(['placed', 'placed'])
})

test('entries that the store lost are written again once: the first one unchanged, and calls that depend on it are decided again', async () => {
  const store = shared()
  const [a, b] = [await open(store), await open(store)]
  await a.propose([aReport('h1', { vcpus: 64 })])
  await b.fresh()
  let replaced = 0
  a.onReplaced(() => replaced++)
  const release = store.faults.holdFlushes()
  const first = a.place(call('k1'))
  await expect.poll(() => store.entries.length).toBe(2)
  const second = a.place(call('k2'))
  const edit = a.propose([{ type: 'status', host: 'h1', node: 'h1', status: 'ENABLED', reason: 'well' }])
  await expect.poll(() => store.entries.length).toBeGreaterThanOrEqual(3)
  await b.fresh()
  expect(b.fleet.place.revision).toBe(store.entries.length)
  const sent = store.entries[1]?.id
  store.faults.loseUnflushed()
  expect(store.entries).toHaveLength(1)
  release()
  const outcomes = await Promise.all([first, second])
  expect(outcomes).toMatchObject([
    { type: 'placed', replayed: false },
    { type: 'placed', replayed: false },
  ])
  expect(await edit).toMatchObject([{ void: undefined }])
  expect(store.entries[1]?.id).toBe(sent)
  await Promise.all([a.fresh(), b.fresh()])
  expect(a.fleet.ledger.claims.size).toBe(2)
  expect(canonicalJson(checkpointOf(b.fleet))).toBe(canonicalJson(checkpointOf(a.fleet)))
  expect([a.halted, b.halted, replaced]).toEqual([undefined, undefined, 1])
  expect(warnings.filter((warning) => warning.includes('lost its unflushed tail')).length).toBeGreaterThan(0)
})

test('calls whose entries were lost are decided again if other entries now have the lost revisions', async () => {
  const store = shared()
  const a = await open(store)
  await a.propose([aReport('h1', { vcpus: 1 })])
  const release = store.faults.holdFlushes()
  const lost = a.place(call('k1'))
  await expect.poll(() => store.entries.length).toBe(2)
  store.faults.loseUnflushed()
  const [entry] = store.entries
  const basis = { revision: 1, id: entry?.id ?? '', at: entry?.at ?? 0 }
  const changes = [{ type: 'status', host: 'h1', node: 'h1', status: 'DISABLED', reason: 'disk' } as const]
  await store.open().append({ format: ENTRY_FORMAT, id: 'other', writer: 'other', basis, changes })
  release()
  expect((await lost).type).toBe('refused')
  expect(a.fleet.place).toMatchObject({ revision: 2, id: 'other' })
  expect(a.fleet.ledger.claims.size).toBe(0)
})

test('if the store lost durable entries, writes stop and reads continue', async () => {
  const store = shared()
  const a = await open(store)
  await a.propose([aReport('h1')])
  await a.place(call('k1'))
  const release = store.faults.holdFlushes()
  const unflushed = a.place(call('k2'))
  await expect.poll(() => store.entries.length).toBe(3)
  store.faults.truncate(1)
  release()
  await expect(unflushed).rejects.toMatchObject({ reason: 'went_back' })
  expect(modeOf(a)).toMatchObject({ mode: 'READ_ONLY', code: 'store.went_back' })
  expect(a.halted?.message).toMatch(
    /does not have entry .* at revision 2.*which was durable: a backup was restored, or a fail-over lost data/,
  )
  await expect(a.place(call('k3'))).rejects.toMatchObject({ reason: 'went_back' })
  expect(a.settled()).toBeUndefined()
  expect(a.fleet.hosts.count).toBe(1)
})
