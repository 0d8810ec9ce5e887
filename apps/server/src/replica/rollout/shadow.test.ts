import { type Change, canonicalJson, checkpointOf, type ProfileRolledOut, parseProfile, type RequestSpec } from '@gantt/scheduler-core'
import { aReport, aRequest } from '@gantt/scheduler-core/testing'
import { afterEach, expect, test } from 'vitest'
import { createMemoryStore, type MemoryStore } from '../../sync/memory/memory.ts'
import { unloggedRow } from '../follow/rows-of.ts'
import type { PlacementCall, UnloggedDecision } from '../propose/placement.ts'
import { Replica } from '../replica.ts'
import { healReplica } from '../watch/heal.ts'
import type { Finding } from './rollout-findings.ts'
import { createShadow, type Shadow } from './shadow.ts'

const closers: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

/** A replica with a shadow and two versions of a profile. The first prefers the emptiest host, the second the fullest that fits. */
async function openPair({
  lag,
  second = {},
  memory,
}: {
  readonly lag?: number
  readonly second?: object
  readonly memory?: MemoryStore
} = {}) {
  const store = memory ?? createMemoryStore()
  const warnings: string[] = []
  const warn = (message: string) => void warnings.push(message)
  let shadow: Shadow | undefined
  const recordUnlogged = async (decisions: readonly UnloggedDecision[]) => {
    for (const decision of decisions) shadow?.take(unloggedRow(decision, () => ''))
  }
  const replica = await Replica.start({ store: store.open(), name: memory === undefined ? 'one' : 'two', recordUnlogged, warn })
  const findings: (Omit<Finding, 'disagreement'> & { readonly detail: unknown })[] = []
  const add = ({ disagreement, ...one }: Finding) => void findings.push({ ...one, detail: disagreement?.() })
  const made = createShadow({ replica, warn, findings: { add }, ...(lag !== undefined && { lag }) })
  shadow = made
  closers.push(() => replica.close(), made.close)
  if (memory === undefined) {
    await replica.propose([aReport('large', { memoryMb: 65_536 }), aReport('small', { memoryMb: 8_192 })])
    await replica.propose([version(1, {}), version(2, { weighers: [{ name: 'RAMWeigher', multiplier: -1 }], ...second })])
  }
  return { store, replica, shadow: made, findings, warnings }
}

function version(number: number, parts: object): Change {
  const weighers = [{ name: 'RAMWeigher', multiplier: 1 }]
  const parsed = parseProfile({ name: 'site', number, filters: [{ name: 'RamFilter' }], weighers, ...parts })
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message)
  return { type: 'profile', profile: parsed.value }
}

const rollout = (version: number, next: ProfileRolledOut['rollout'], active = 1): ProfileRolledOut => ({
  ...{ type: 'rollout', name: 'site', expected: { active: 1, version }, active, past: [], rolledBack: [] },
  rollout: next,
})
const asShadow = { mode: 'SHADOW', number: 2, share: 10_000 } as const

const call = (key: string, request: RequestSpec, more: Partial<PlacementCall> = {}): PlacementCall => ({
  ...{ account: 'nova', key, digest: key, request, profile: 'site', mode: 'RESERVE', ttlMs: 120_000, deadlineMs: 120_000 },
  ...{ alternatesPerInstance: 1, intent: 'CREATE', source: null, allOrNothing: true },
  ...more,
})

const mib = (memoryMb: number) => aRequest({ memoryMb })

test('every decision, including refusals, is replayed by the candidate on the same state and counted', async () => {
  const { replica, shadow, warnings } = await openPair()
  await replica.place(call('before', mib(1_024)))
  expect(shadow.reportOf('site')).toBeUndefined()
  await replica.propose([rollout(0, asShadow)])
  await replica.place(call('a', mib(1_024)))
  await replica.place(call('b', mib(32_768)))
  await replica.place(call('c', mib(999_999)))
  await replica.place(call('d', mib(64), { profile: 'default' }))
  expect(await shadow.settled(5_000)).toBe(true)
  const report = shadow.reportOf('site')
  expect(report).toMatchObject({ sampled: 3, skipped: 0, counts: { SAME: 2, ELSEWHERE: 1, NEW_FAILURE: 0, NEW_PLACEMENT: 0 } })
  expect(report?.disagreements).toMatchObject([{ kind: 'ELSEWHERE', because: expect.stringMatching(/^site@2: small has /) }])
  expect(warnings).toEqual([])
})

test("each of this replica's decisions is reported once, with the choice of each version and its rank in the other version", async () => {
  const { replica, shadow, findings } = await openPair()
  await replica.propose([rollout(0, asShadow)])
  const since = replica.fleet.profiles.courseOf('site')?.rollout?.since
  for (const [key, memoryMb] of Object.entries({ a: 1_024, b: 32_768, c: 999_999 })) await replica.place(call(key, mib(memoryMb)))
  await shadow.settled(5_000)
  expect(findings.map(({ rollout: id, end }) => [id, end])).toEqual(
    ['elsewhere', 'agreed', 'agreed'].map((end) => [`site@2 SHADOW ${since}`, end]),
  )
  expect(findings.map(({ detail }) => detail)).toEqual([
    {
      ...{ decision: expect.any(String), kind: 'ELSEWHERE', because: expect.stringMatching(/^site@2: small has /), instance: 0 },
      ...{ baseline: { host: 'large', rank: 2, because: null }, candidate: { host: 'small', rank: 2, because: null } },
    },
    undefined,
    undefined,
  ])
  expect(findings.every(({ at }) => at >= (since ?? Number.NaN) && Number.isInteger(at))).toBe(true)
})

test('decisions of another replica are replayed here, and reported by that replica', async () => {
  const { replica, shadow, findings, store } = await openPair()
  const other = await openPair({ memory: store })
  await replica.propose([rollout(0, asShadow)])
  await other.replica.fresh()
  await replica.place(call('a', mib(1_024)))
  await other.replica.fresh()
  await other.replica.place(call('b', mib(1_024)))
  await replica.fresh()
  await Promise.all([shadow.settled(5_000), other.shadow.settled(5_000)])
  expect([shadow.reportOf('site')?.sampled, other.shadow.reportOf('site')?.sampled]).toEqual([2, 2])
  expect([findings.length, other.findings.length]).toEqual([1, 1])
})

test('each of several claims of one entry is replayed on its own state', async () => {
  const { replica, shadow } = await openPair({ second: { weighers: [{ name: 'RAMWeigher', multiplier: 3 }] } })
  await replica.propose([rollout(0, asShadow)])
  await Promise.all(Array.from({ length: 12 }, (_, i) => replica.place(call(`k${i}`, mib(4_096)))))
  await shadow.settled(5_000)
  // another multiplier of the only weigher changes nothing if both versions see the same state
  expect(shadow.reportOf('site')).toMatchObject({ sampled: 12, skipped: 0, counts: { SAME: 12 } })
})

test('a request that only the candidate refuses is a new failure, with the refusing filters', async () => {
  const { replica, shadow, findings } = await openPair({
    second: {
      filters: [{ name: 'NumInstancesFilter', options: { max_instances_per_host: 1 } }],
      weighers: [{ name: 'RAMWeigher', multiplier: 1 }],
    },
  })
  await replica.propose([rollout(0, asShadow)])
  for (const key of ['a', 'b', 'c']) await replica.place(call(key, mib(1_024)))
  await shadow.settled(5_000)
  const report = shadow.reportOf('site')
  expect(report?.counts).toEqual({ SAME: 1, ELSEWHERE: 2, NEW_FAILURE: 0, NEW_PLACEMENT: 0 })
  await replica.place(call('d', mib(32_768)))
  await shadow.settled(5_000)
  const none = { host: null, rank: null, because: 'The candidate finds no host for an instance.' }
  expect(findings.map(({ end }) => end)).toEqual(['agreed', 'elsewhere', 'elsewhere', 'newFailures'])
  expect(findings[3]?.detail).toMatchObject({ kind: 'NEW_FAILURE', instance: null, baseline: none, candidate: none })
  // `rank` is the rank of the chosen host in the other version: the candidate refuses `large`, and the baseline ranks `small` second
  expect(findings[1]?.detail).toMatchObject({
    baseline: { host: 'large', rank: null, because: expect.stringMatching(/^NumInstancesFilter refuses it: /) },
    candidate: { host: 'small', rank: 2, because: null },
  })
  expect(shadow.reportOf('site')?.disagreements[0]).toMatchObject({
    kind: 'NEW_FAILURE',
    because: expect.stringMatching(
      /^site@2: Of 2 hosts none takes it: 1 with too little memory in total, 1 at their limit of instances\. /,
    ),
  })
})

test('a canary reports how the candidate differs from the active version, whichever of them decided', async () => {
  const { replica, shadow, findings } = await openPair()
  await replica.propose([rollout(0, { mode: 'CANARY', number: 2, share: 10_000 })])
  const outcome = await replica.place(call('a', mib(1_024)))
  if (outcome.type !== 'placed') throw new Error(outcome.type)
  expect(outcome.answer[0]?.selected.host).toBe('small')
  await shadow.settled(5_000)
  expect(shadow.reportOf('site')?.disagreements).toMatchObject([
    { kind: 'ELSEWHERE', because: expect.stringContaining('site@1: large has ') },
  ])
  expect(findings[0]?.detail).toMatchObject({ baseline: { host: 'large', rank: 2 }, candidate: { host: 'small', rank: 2 } })
})

test('decisions for which a version needs the solver are counted by a shadow and by a canary, but not compared', async () => {
  const two = aRequest({ numInstances: 2, memoryMb: 1_024 })
  const shadowed = await openPair({ second: { scheduler: 'solver' } })
  await shadowed.replica.propose([rollout(0, asShadow)])
  await shadowed.replica.place(call('two', two))
  // for a single instance, the choice of the scheduler without a solver is also the best one
  await shadowed.replica.place(call('one', mib(1_024)))
  await shadowed.shadow.settled(5_000)
  expect(shadowed.shadow.reportOf('site')).toMatchObject({ sampled: 1, notSolved: 1, skipped: 0 })

  // the active version has a solver; the candidate, which decides, has none
  const canary = await openPair({ second: { scheduler: 'solver', weighers: [{ name: 'RAMWeigher', multiplier: 1 }] } })
  await canary.replica.propose([rollout(0, { mode: 'CANARY', number: 1, share: 10_000 }, 2)])
  await canary.replica.place(call('two', two))
  await canary.replica.place(call('one', mib(1_024)))
  await canary.shadow.settled(5_000)
  expect(canary.shadow.reportOf('site')).toMatchObject({ sampled: 1, notSolved: 1, counts: { SAME: 1 } })
})

test('the counts end with their rollout, and the next rollout starts at zero', async () => {
  const { replica, shadow } = await openPair()
  await replica.propose([rollout(0, asShadow)])
  await replica.place(call('a', mib(1_024)))
  await shadow.settled(5_000)
  await replica.propose([rollout(1, null)])
  expect(shadow.reportOf('site')).toBeUndefined()
  await replica.propose([rollout(2, { ...asShadow, mode: 'CANARY', share: 1 })])
  await shadow.settled(5_000)
  expect(shadow.reportOf('site')).toMatchObject({ sampled: 0, skipped: 0, disagreements: [] })
})

test('without time for replays decisions are skipped and counted, and the shadow still follows the log', async () => {
  const { replica, shadow, findings } = await openPair({ lag: 0 })
  await replica.propose([rollout(0, asShadow)])
  for (const key of ['a', 'b', 'c']) await replica.place(call(key, mib(1_024)))
  await shadow.settled(5_000)
  expect(shadow.reportOf('site')).toMatchObject({ sampled: 0, skipped: 3 })
  expect(findings.map(({ end }) => end)).toEqual(['skipped', 'skipped', 'skipped'])
})

test('calls have the same answers with and without a shadow, and the fleet is the same', async () => {
  const states: string[] = []
  for (const next of [null, asShadow]) {
    const { replica, shadow } = await openPair()
    await replica.propose([rollout(0, next)])
    const answers = []
    for (const [i, memoryMb] of [1_024, 32_768, 4_096, 999_999].entries()) {
      const outcome = await replica.place(call(`k${i}`, mib(memoryMb)))
      answers.push(outcome.type === 'placed' ? outcome.answer : outcome.type)
    }
    await shadow.settled(5_000)
    const { hosts } = checkpointOf(replica.fleet)
    states.push(
      canonicalJson([
        answers,
        hosts.map(({ host, stats }) => [host, stats]),
        replica.fleet.ledger.claims.size,
        replica.fleet.place.revision,
      ]),
    )
  }
  expect(states[1]).toBe(states[0])
})

test('after a heal, decisions are replayed on the healed state', async () => {
  const { replica, shadow, store } = await openPair({ second: { weighers: [{ name: 'RAMWeigher', multiplier: 3 }] } })
  const claimed = replica.fleet.hosts.classes.get('MEMORY_MB')?.claimed
  if (claimed === undefined) throw new Error('no host reports MEMORY_MB')
  claimed[0] = 65_000
  await replica.propose([rollout(0, asShadow)])
  await replica.place(call('wrong', mib(1_024)))
  expect(await shadow.settled(5_000)).toBe(true)
  expect((await healReplica(replica, store.open().past, { from: undefined, dryRun: false })).count).toBeGreaterThan(0)
  // the first decision after the heal begins a new copy of the fleet
  for (const key of ['first', 'a', 'b']) await replica.place(call(key, mib(1_024)))
  expect(await shadow.settled(5_000)).toBe(true)
  expect(shadow.reportOf('site')?.counts).toMatchObject({ ELSEWHERE: 0, NEW_FAILURE: 0, NEW_PLACEMENT: 0 })
})
