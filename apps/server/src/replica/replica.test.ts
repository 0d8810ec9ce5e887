import { at, canonicalJson, checkpointOf, ENTRY_FORMAT, hostKey, parseProfile, type RequestSpec, restoreFleet } from '@gantt/scheduler-core'
import { aDocument, aReport, aRequest, aUuid } from '@gantt/scheduler-core/testing'
import { afterEach, expect, test } from 'vitest'
import { createMemoryStore, type MemoryStore } from '../sync/memory/memory.ts'
import { realTimers, type Timers } from '../timers.ts'
import type { PlacementCall, UnloggedDecision } from './propose/placement.ts'
import { Replica } from './replica.ts'
import type { Snapshot } from './replica-options.ts'

const replicas: Replica[] = []
afterEach(async () => {
  await Promise.all(replicas.splice(0).map((replica) => replica.close()))
})

async function open(store: MemoryStore, unlogged: UnloggedDecision[] = [], timers = realTimers): Promise<Replica> {
  const replica = await Replica.start({
    store: store.open(),
    name: `replica-${replicas.length}`,
    recordUnlogged: async (decisions) => void unlogged.push(...decisions),
    warn: () => {},
    timers,
  })
  replicas.push(replica)
  return replica
}

const call = (key: string, request: RequestSpec, more: Partial<PlacementCall> = {}): PlacementCall => ({
  account: 'nova',
  key,
  digest: key,
  request,
  profile: 'default',
  mode: 'RESERVE',
  ttlMs: 120_000,
  deadlineMs: 120_000,
  alternatesPerInstance: 1,
  intent: 'CREATE',
  source: null,
  allOrNothing: true,
  ...more,
})

const small = { vcpus: 1, memoryMb: 1_024, localGb: 100 }

test('a placed request is answered with its claim, and every replica has the claim', async () => {
  const store = createMemoryStore()
  const [a, b] = [await open(store), await open(store)]
  await a.propose([aReport('h1'), aReport('h2')])
  const outcome = await b.place(call('k1', aRequest({ instanceUuids: ['00000000-0000-4000-8000-00000000000a'] })))
  if (outcome.type !== 'placed') throw new Error(`the outcome is ${outcome.type}`)
  expect(outcome.answer[0]?.selected.host).toBe('h1')
  expect(outcome.answer[0]?.alternates.map(({ host }) => host)).toEqual(['h2'])
  expect(outcome.claims[0]).toMatchObject({ state: 'RESERVED', instance: '00000000-0000-4000-8000-00000000000a' })
  await a.fresh()
  expect(canonicalJson(checkpointOf(a.fleet))).toBe(canonicalJson(checkpointOf(b.fleet)))
})

test('of a hundred calls on two replicas, ten are placed because only ten fit, and the others are refused', async () => {
  const store = createMemoryStore()
  const unlogged: UnloggedDecision[] = []
  const pair = [await open(store, unlogged), await open(store, unlogged)] as const
  await pair[0].propose(Array.from({ length: 10 }, (_, i) => aReport(`h${i}`, small)))
  const outcomes = await Promise.all(Array.from({ length: 100 }, (_, i) => (pair[i % 2] as Replica).place(call(`k${i}`, aRequest()))))
  expect(outcomes.filter(({ type }) => type === 'placed')).toHaveLength(10)
  expect(outcomes.filter(({ type }) => type === 'refused')).toHaveLength(90)
  expect(unlogged).toHaveLength(90)
  const [{ fleet }] = pair
  for (const host of fleet.hosts.records) expect(at(fleet.hosts.classColumns('VCPU').free, host.index)).toBe(0)
})

test('a refusal counts the hosts that each filter refused, by reason', async () => {
  const store = createMemoryStore()
  const replica = await open(store)
  await replica.propose([aReport('h1', small), aReport('h2')])
  const outcome = await replica.place(call('k1', aRequest({ vcpus: 64, memoryMb: 128 })))
  expect(outcome).toMatchObject({ type: 'refused', found: 0, reasons: [{ filter: 'CoreFilter', code: 'cpu.too_few', hosts: 2 }] })
})

test('a request for three instances of which two fit is refused as a whole, with the reasons for the third instance', async () => {
  const store = createMemoryStore()
  const replica = await open(store)
  await replica.propose([aReport('h1', small), aReport('h2', small)])
  const outcome = await replica.place(call('k1', aRequest({ numInstances: 3 })))
  expect(outcome).toMatchObject({ type: 'refused', found: 2, reasons: [{ code: 'cpu.short', hosts: 2 }] })
  expect(replica.fleet.ledger.claims.size).toBe(0)
})

test('two calls with the same key on two replicas place once, and get the same answer', async () => {
  const store = createMemoryStore()
  const [a, b] = [await open(store), await open(store)]
  await a.propose([aReport('h1'), aReport('h2')])
  const outcomes = await Promise.all([a.place(call('k', aRequest())), b.place(call('k', aRequest())), a.place(call('k', aRequest()))])
  const answers = outcomes.map((outcome) =>
    outcome.type === 'placed' ? [outcome.decision, outcome.answer, outcome.claims[0]?.fence] : outcome.type,
  )
  expect(answers[1]).toEqual(answers[0])
  expect(answers[2]).toEqual(answers[0])
  expect(outcomes.filter((outcome) => outcome.type === 'placed' && !outcome.replayed)).toHaveLength(1)
  expect(a.fleet.ledger.claims.size).toBe(1)
})

test('a call with a used key and another request is refused as a conflict', async () => {
  const store = createMemoryStore()
  const replica = await open(store)
  await replica.propose([aReport('h1')])
  await replica.place(call('k', aRequest()))
  expect(await replica.place(call('k', aRequest({ vcpus: 2 }), { digest: 'another' }))).toMatchObject({
    type: 'conflict',
    abandoned: false,
  })
})

test.each([true, false])('an append whose answer is lost (entry appended: %s) places once', async (landed) => {
  const store = createMemoryStore()
  const replica = await open(store)
  await replica.propose([aReport('h1')])
  store.faults.loseAnswers.push({ landed })
  const outcome = await replica.place(call('k', aRequest()))
  expect(outcome).toMatchObject({ type: 'placed', replayed: false })
  expect(replica.fleet.ledger.claims.size).toBe(1)
})

test('a replica that is behind the log does not refuse a request after another replica freed the resources', async () => {
  const store = createMemoryStore()
  const [a, b] = [await open(store), await open(store)]
  await a.propose([aReport('h1', small)])
  const full = await a.place(call('k1', aRequest()))
  await b.fresh()
  const claim = full.type === 'placed' ? full.claims[0] : undefined
  await a.propose([{ type: 'release', claim: claim?.id ?? '', fence: claim?.fence ?? 0, reason: null }])
  // b has not applied the release yet when it is called
  expect((await b.place(call('k2', aRequest()))).type).toBe('placed')
})

test('a placement that an edit makes void is decided again on another host', async () => {
  const store = createMemoryStore()
  const [a, b] = [await open(store), await open(store)]
  await a.propose([aReport('h1', { memoryMb: 4_096 }), aReport('h2', { memoryMb: 2_048 })])
  await b.fresh()
  const edit = a.propose([{ type: 'status', host: 'h1', node: 'h1', status: 'DISABLED', reason: 'disk' }])
  const outcome = await b.place(call('k', aRequest()))
  await edit
  await b.fresh()
  const host = outcome.type === 'placed' ? outcome.answer[0]?.selected.host : outcome.type
  const claims = [...b.fleet.ledger.claims.values()].map((claim) => hostKey(b.fleet.hosts.get(claim.host)))
  expect(claims).toEqual([host])
})

test('a reservation that is not confirmed expires by an entry in the log', async () => {
  let now = 1_700_000_000_000
  const store = createMemoryStore(() => now)
  const replica = await open(store)
  await replica.propose([aReport('h1')])
  const outcome = await replica.place(call('k', aRequest(), { ttlMs: 1_000 }))
  const id = outcome.type === 'placed' ? (outcome.claims[0]?.id ?? '') : ''
  expect(await replica.propose([{ type: 'expire', claim: id }])).toMatchObject([{ void: 'claim.not_expired' }])
  now += 1_000
  expect(await replica.propose([{ type: 'expire', claim: id }])).toMatchObject([{ void: undefined }])
  expect(replica.fleet.ledger.claims.get(id)?.state).toBe('EXPIRED')
})

test('a call in mode NONE gets a host and claims nothing', async () => {
  const store = createMemoryStore()
  const unlogged: UnloggedDecision[] = []
  const replica = await open(store, unlogged)
  await replica.propose([aReport('h1')])
  expect(await replica.place(call('k', aRequest(), { mode: 'NONE' }))).toMatchObject({ type: 'placed', claims: [undefined] })
  expect(replica.fleet.ledger.claims.size).toBe(0)
  expect(unlogged).toHaveLength(1)
})

test('if the store lost revisions, the replica stops writes with an error', async () => {
  const store = createMemoryStore()
  const replica = await open(store)
  await replica.propose([aReport('h1')])
  await replica.place(call('k1', aRequest()))
  store.faults.truncate(1)
  await expect(replica.place(call('k2', aRequest()))).rejects.toMatchObject({ reason: 'went_back' })
  expect(replica.halted?.message).toContain('at revision 2')
})

test('a replica that starts later reaches the same state', async () => {
  const store = createMemoryStore()
  const a = await open(store)
  await a.propose([aReport('h1'), aReport('h2')])
  await Promise.all(Array.from({ length: 20 }, (_, i) => a.place(call(`k${i}`, aRequest({ memoryMb: 512 })))))
  const b = await open(store)
  expect(canonicalJson(checkpointOf(b.fleet))).toBe(canonicalJson(checkpointOf(a.fleet)))
})

test('while the store is down a call ends at its deadline, and the restarted store accepts new calls', async () => {
  const store = createMemoryStore()
  const replica = await open(store)
  await replica.propose([aReport('h1')])
  store.faults.down = true
  await expect(replica.place(call('k1', aRequest(), { deadlineMs: 30 }))).rejects.toMatchObject({ reason: 'deadline' })
  store.faults.down = false
  expect((await replica.place(call('k2', aRequest()))).type).toBe('placed')
})

test('a group that exists only in a proposal of the same batch causes no refusals', async () => {
  const store = createMemoryStore()
  const [a, b] = [await open(store), await open(store)]
  await b.propose([aReport('h1', small)])
  await a.fresh()
  const group = (policy: 'AFFINITY' | 'ANTI_AFFINITY') =>
    aRequest({ instanceGroup: { uuid: '00000000-0000-4000-8000-0000000000e1', policy } })
  // if b claims the only free resources, the other calls are refused, and not because of a group that was never created
  const [winner, first, second] = await Promise.all([
    b.place(call('k0', aRequest())),
    a.place(call('k1', group('ANTI_AFFINITY'))),
    a.place(call('k2', group('AFFINITY'))),
  ])
  const placed = [winner, first, second].filter(({ type }) => type === 'placed')
  expect(placed).toHaveLength(1)
  if (winner.type === 'placed') expect([first.type, second.type]).toEqual(['refused', 'refused'])
})

test('an error of a listener is logged, and the replica continues to follow the log', async () => {
  const store = createMemoryStore()
  const warnings: string[] = []
  const replica = await Replica.start({
    store: store.open(),
    name: 'x',
    recordUnlogged: async () => {},
    warn: (message) => warnings.push(message),
  })
  replicas.push(replica)
  replica.onApplied(() => {
    throw new Error('the listener failed')
  })
  await replica.propose([aReport('h1')])
  expect((await replica.place(call('k', aRequest()))).type).toBe('placed')
  expect(warnings.join()).toContain('the listener failed')
  expect(replica.halted).toBeUndefined()
})

test('a decision that cannot be recorded fails alone, and other decisions succeed', async () => {
  const store = createMemoryStore()
  const replica = await Replica.start({
    store: store.open(),
    name: 'x',
    warn: () => {},
    recordUnlogged: async (decisions) => {
      if (decisions.some(({ record }) => record.request.projectId === 'odd')) throw new Error('the table refuses the row')
    },
  })
  replicas.push(replica)
  await replica.propose([aReport('h1', small)])
  const outcomes = await Promise.allSettled([
    replica.place(call('k1', aRequest({ vcpus: 2, projectId: 'odd' }))),
    replica.place(call('k2', aRequest({ vcpus: 2 }))),
  ])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
})

test('an entry with an unknown outcome is sent again in a turn, even if no other call waits', async () => {
  const store = createMemoryStore()
  const [a, b] = [await open(store), await open(store)]
  await a.propose([aReport('h1')])
  await b.fresh()
  let others = 0
  const busy = (async () => {
    while (others < 200) await b.propose([aReport('h2', {}, ++others)])
  })()
  store.faults.loseAnswers.push({ landed: false }, { landed: false })
  const outcome = await a.place(call('k', aRequest()))
  others = 200
  await busy
  expect(outcome.type).toBe('placed')
})

test('calls past their deadline are dropped while the store is unavailable', async () => {
  const store = createMemoryStore()
  const replica = await open(store)
  await replica.propose([aReport('h1')])
  store.faults.down = true
  const calls = await Promise.allSettled(Array.from({ length: 50 }, (_, i) => replica.place(call(`k${i}`, aRequest(), { deadlineMs: 20 }))))
  expect(calls.every(({ status }) => status === 'rejected')).toBe(true)
  store.faults.down = false
  await replica.fresh()
  expect(replica.fleet.ledger.claims.size).toBeLessThan(50)
})

test('a call whose appends are all refused ends with an error and a warning that name the obstacle', async () => {
  const store = createMemoryStore()
  const warnings: string[] = []
  const synchronizer = store.open()
  let refusing = false
  const replica = await Replica.start({
    store: { ...synchronizer, append: async (entry) => (refusing ? undefined : synchronizer.append(entry)) },
    name: 'x',
    recordUnlogged: async () => {},
    warn: (message) => warnings.push(message),
  })
  replicas.push(replica)
  await replica.propose([aReport('h1')])
  refusing = true
  const outcome = replica.place(call('k', aRequest(), { deadlineMs: 60_000 }))
  await expect(outcome).rejects.toMatchObject({ name: 'RetriesExhaustedError', attempts: 100, rule: 'append.refused' })
  expect(warnings).toHaveLength(1)
  expect(warnings[0]).toMatch(/^10 attempts of decision \S+ did not count: append.refused \(10 times\)/)
  refusing = false
  expect((await replica.place(call('k', aRequest()))).type).toBe('placed')
})

test('a replica that fell behind the beginning of the log continues from a checkpoint', async () => {
  const store = createMemoryStore()
  const slow = await open(store)
  await slow.propose([aReport('h1')])
  store.faults.down = true
  await expect(slow.fresh(50)).rejects.toMatchObject({ reason: 'store' })
  store.faults.down = false
  const other = store.open()
  const fleet = restoreFleet(checkpointOf(slow.fleet))
  for (let i = 2; i <= 9; i++) {
    await other.append({ format: ENTRY_FORMAT, id: `e${i}`, writer: 'other', basis: fleet.place, changes: [aReport(`h${i}`)] })
    for (const entry of await other.read(fleet.place, 10)) fleet.apply(entry)
    if (i % 4 === 0) await other.saveCheckpoint(checkpointOf(fleet))
  }
  await other.saveCheckpoint(checkpointOf(fleet))
  await other.trim({ days: 0, bytes: 0 })
  expect((await slow.place(call('k', aRequest()))).type).toBe('placed')
  expect(slow.fleet.hosts.count).toBe(9)
})

test('listeners get a copy of the present fleet, the copy for each checkpoint, and a copy of a fleet that replaces the present one', async () => {
  let isDue = (): void => {}
  const timers: Timers = {
    ...realTimers,
    every(ms, callback) {
      if (ms !== 60_000) return realTimers.every(ms, callback)
      isDue = callback
      return () => {}
    },
  }
  const store = createMemoryStore()
  const replica = await open(store, [], timers)
  const snapshots: Snapshot[] = []
  await replica.propose([aReport('h1')])
  const stop = replica.onSnapshot((snapshot) => snapshots.push(snapshot))
  await replica.propose([aReport('h2')])
  isDue()
  await replica.propose([aReport('h3')])
  expect(snapshots.map(({ fleet, of, changes }) => [fleet.hosts.count, of === replica.fleet, changes])).toEqual([
    [1, true, 0],
    // two reports, and the change that raises the feature level of the new log
    [2, true, 3],
  ])
  await expect.poll(async () => (await store.open().past.loadCheckpoint(9))?.place).toEqual(snapshots[1]?.fleet.place)
  replica.adopt(restoreFleet(checkpointOf(replica.fleet)))
  expect([snapshots[2]?.fleet.hosts.count, snapshots[2]?.of === replica.fleet, snapshots.length]).toEqual([3, true, 3])
  stop()
  isDue()
  expect(snapshots).toHaveLength(3)
})

test('the documents of services grow old although no entry is added to the log', async () => {
  let time = 1_000_000
  const replica = await open(createMemoryStore(() => time))
  const near = parseProfile({ name: 'near', number: 1, filters: [{ name: 'VolumeAffinityFilter' }], weighers: [] })
  if (!near.ok) throw new Error('the profile is wrong')
  const document = { pools: [{ uuid: aUuid(1), name: 'fast' }], volumes: [{ uuid: aUuid(2), pool: aUuid(1) }] }
  await replica.propose([aReport('h1')])
  await replica.propose([
    { type: 'profile', profile: near.value },
    { type: 'activate', name: 'near', number: 1 },
    aDocument('h1', 'storage', document),
  ])
  const ask = (key: string) => replica.place(call(key, aRequest({ schedulerHints: { near_volume: [aUuid(2)] } }), { profile: 'near' }))
  expect(await ask('k1')).toMatchObject({ type: 'placed' })
  time += 7_200_000
  await expect.poll(() => replica.storeTime).toBeGreaterThanOrEqual(time)
  const before = replica.fleet.place.revision
  expect(await ask('k2')).toMatchObject({ type: 'refused', reasons: [{ filter: 'VolumeAffinityFilter', code: 'volume.unknown' }] })
  expect([replica.fleet.now, replica.fleet.place.revision]).toEqual([time, before + 1])
  await replica.propose([aDocument('h1', 'storage', document, 2)])
  expect(await ask('k3')).toMatchObject({ type: 'placed' })
})
