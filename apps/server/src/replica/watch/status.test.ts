import { checkpointOf, FEATURE_LEVEL, type HostIndex, UnknownEntryError } from '@gantt/scheduler-core'
import { aClaim, aReport } from '@gantt/scheduler-core/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPrisma, type PrismaClient } from '../../db/prisma.ts'
import { createReplicaStore } from '../../db/tables/replicas.ts'
import type { ReplicaStore, Sign } from '../../stores/replicas.ts'
import { createMemoryStore } from '../../sync/memory/memory.ts'
import { openPostgresSynchronizer } from '../../sync/postgres/postgres.ts'
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.ts'
import { realTimers, type Timers } from '../../timers.ts'
import { Replica } from '../replica.ts'
import { healReplica } from './heal.ts'
import { type Registered, type ReplicaStatus, registerReplica } from './status.ts'

/** The registry and the auditor run only when the test triggers them. */
let skipped = 0
const byHand: Timers = { ...realTimers, now: () => performance.now() + skipped, every: () => () => {} }

/** Lets an auditor check everything once, after its pause. The first step after a change of the log digests nothing. */
function look({ auditor }: Pick<ReplicaStatus, 'auditor'>): void {
  skipped += 2_000
  const { rounds } = auditor.view()
  while (auditor.view().rounds === rounds) auditor.step()
  for (let i = 0; i < 3; i++) auditor.step()
}

interface Node extends ReplicaStatus {
  readonly replica: Replica
  readonly registered: Registered
  heal(dryRun: boolean, from?: number): ReturnType<typeof healReplica>
}

let database: TestDatabase
let prisma: PrismaClient
let store: ReplicaStore
const nodes: Node[] = []
const warnings: string[] = []

async function open(name: string): Promise<Node> {
  const warn = (message: string): void => void warnings.push(`${name}: ${message}`)
  const log = await openPostgresSynchronizer(database.connection)
  const registered = await registerReplica({ store, name, timers: byHand, warn })
  const replica = await Replica.start({ store: log, name, warn, recordUnlogged: async () => {}, ...registered.options })
  return {
    replica,
    registered,
    ...registered.follow(replica),
    heal: (dryRun, from) => healReplica(replica, log.past, { dryRun, from }),
  }
}

beforeAll(async () => {
  database = await createTestDatabase()
  prisma = createPrisma(database.connection)
  store = createReplicaStore(prisma)
  nodes.push(await open('a'), await open('b'))
  await nodes[0]?.replica.propose([aReport('h1', { instances: [] }), aReport('h2', { instances: [] })])
  await nodes[0]?.replica.propose([aClaim({ key: 'k1', hosts: ['h1'], mode: 'CONFIRM' }), aClaim({ key: 'k2', hosts: ['h2'] })])
})

afterAll(async () => {
  for (const { replica, registered } of nodes) {
    await replica.close()
    await registered.close()
  }
  await prisma.$disconnect()
  await database.drop()
})

const pair = (): [Node, Node] => nodes as [Node, Node]
const aSign = (more: Partial<Sign>): Sign => ({ ...pair()[0].describe(), id: 'old', url: null, revision: 0, ...more })

/**
 * Waits until both replicas are at the same revision, have checked the state at that revision completely, and have read each other's signs
 * of life.
 */
async function meet(): Promise<void> {
  const [a, b] = pair()
  for (const { replica } of [a, b]) await replica.fresh()
  for (const node of [a, b]) look(node)
  await a.registry.look()
  await b.registry.look()
  await a.registry.look()
}

const codesOf = ({ auditor }: Node): string[] => auditor.view().findings.map(({ code, field }) => `${code} ${field}`)

describe('the status of replicas', () => {
  test('each replica knows the release, levels, revision and state hash of the other', async () => {
    await meet()
    const [a, b] = pair()
    const { revision } = a.replica.fleet.place
    const rows = a.registry.last.rows.map(({ id, featureLevel, mode, ...row }) => ({
      id,
      featureLevel,
      mode,
      revision: row.revision,
      lag: row.lagChanges,
    }))
    expect(rows).toEqual([
      { id: 'a', featureLevel: FEATURE_LEVEL, mode: 'NORMAL', revision, lag: 0 },
      { id: 'b', featureLevel: FEATURE_LEVEL, mode: 'NORMAL', revision, lag: 0 },
    ])
    for (const { vitals } of a.registry.last.rows) {
      expect(vitals).toMatchObject({ hosts: { UP: 2, SUSPECT: 0, DOWN: 0 }, conflicts: 0 })
      expect(vitals?.memoryBytes).toBeGreaterThan(1e6)
    }
    expect(a.lags.of('b')).toContain(0)
    const [whole] = [...new Set(a.registry.last.rows.map(({ digests }) => JSON.stringify(digests.whole)))]
    expect(JSON.parse(whole ?? '')).toMatchObject({ revision, digest: expect.stringMatching(/^[0-9a-f]{16}$/) })
    expect(a.auditor.view()).toMatchObject({ violations: 0, findings: [], looked: 9 })
    expect(b.auditor.view().compared).toBeGreaterThan(0)
    expect(b.auditor.view().agreedAt).not.toBeNull()
  })

  test('the lag of a replica that has applied nothing is all changes of the log, and the time since the first change', async () => {
    await store.keep(aSign({ id: 'behind' }))
    const { now, rows } = await store.list()
    const behind = rows.find(({ id }) => id === 'behind')
    // two reports, the change that raises the feature level of the new log, and two claims
    expect(behind?.lagChanges).toBe(5)
    expect(behind?.lagMs).toBeGreaterThan(0)
    expect(behind?.seenAt).toBeLessThanOrEqual(now)
    await store.stop('behind')
    expect((await store.list()).rows.find(({ id }) => id === 'behind')?.stoppedAt).toBeGreaterThan(0)
  })
})

describe('the log’s feature level', () => {
  const change = {
    type: 'group',
    uuid: '00000000-0000-4000-8000-000000000061',
    policy: 'AFFINITY',
    maxServerPerHost: null,
    expectedVersion: 1,
  } as const

  test('simultaneous calls share one read of the levels from the store, and continue in their order', async () => {
    let looks = 0
    const list: ReplicaStore['list'] = () => {
      looks++
      return store.list()
    }
    const { options, close } = await registerReplica({ store: { ...store, list }, name: 'asking', timers: byHand, warn: () => {} })
    const before = looks
    const order: number[] = []
    await Promise.all([0, 1, 2, 3].map((n) => options.mayRaise(1).then(() => order.push(n))))
    expect([looks - before, order]).toEqual([1, [0, 1, 2, 3]])
    await options.mayRaise(1)
    expect(looks - before).toBe(2)
    await close()
  })

  test('the level is raised only after every living replica supports it', async () => {
    await store.keep(aSign({ id: 'old', featureLevel: 1 }))
    const warn = (message: string): void => void warnings.push(message)
    const registered = await registerReplica({ store, name: 'newer', timers: byHand, warn })
    const log = createMemoryStore().open()
    const replica = await Replica.start({ store: log, name: 'newer', warn, recordUnlogged: async () => {}, ...registered.options })
    await expect(replica.propose([change])).rejects.toMatchObject({ name: 'FeatureLevelError', replica: 'old', reads: 1, needs: 2 })
    await replica.propose([aReport('h1', { instances: [] })])
    expect(replica.fleet.featureLevel).toBe(1)
    await store.stop('old')
    expect((await replica.propose([change]))[0]?.void).toBe('group.unknown')
    expect(replica.fleet.featureLevel).toBe(2)
    // a change that needs only the log's present feature level does not read the feature levels of the replicas
    await store.keep(aSign({ id: 'older', featureLevel: 1 }))
    expect((await replica.propose([change]))[0]?.void).toBe('group.unknown')
    await store.stop('older')
    await replica.close()
    await registered.close()
  })

  test('a replica does not start from a checkpoint of a higher level than its release reads', async () => {
    const memory = createMemoryStore()
    const first = await Replica.start({ store: memory.open(), name: 'first', recordUnlogged: async () => {}, warn: () => {} })
    await first.propose([aReport('h1', { instances: [] })])
    await memory.open().saveCheckpoint({ ...checkpointOf(first.fleet), featureLevel: FEATURE_LEVEL + 1 })
    await first.close()
    await expect(
      Replica.start({ store: memory.open(), name: 'second', recordUnlogged: async () => {}, warn: () => {} }),
    ).rejects.toBeInstanceOf(UnknownEntryError)
  })
})

describe('the auditor', () => {
  test('a column that differs from the claims is found, no checkpoint is written of that state, and heal shows and corrects it', async () => {
    await meet()
    const [a] = pair()
    const claimed = a.replica.fleet.hosts.classes.get('VCPU')?.claimed
    if (claimed === undefined) throw new Error('no host reports VCPU')
    claimed[0] = 5
    look(a)
    expect(codesOf(a)).toContain('state.column VCPU.claimed')
    expect(a.auditor.view().findings[0]).toMatchObject({ subject: 'host', name: 'h1', host: 'h1', expected: '1', actual: '5' })
    expect(a.registered.options.mayCheckpoint()).toBe(false)
    const shown = await a.heal(true)
    expect(shown).toMatchObject({ from: 0, revision: a.replica.fleet.place.revision, count: 1 })
    expect(shown.differences).toEqual([{ subject: 'host', name: 'h1', field: 'classes.VCPU.claimed', before: '5', after: '1' }])
    expect(claimed[0]).toBe(5)
    expect(await a.heal(false)).toEqual(shown)
    look(a)
    expect(codesOf(a)).toEqual([])
    expect(a.registered.options.mayCheckpoint()).toBe(true)
    expect((await a.heal(true)).count).toBe(0)
    expect(warnings.filter((warning) => warning.includes('VCPU.claimed'))).toHaveLength(1)
  })

  test('a defect that no replica can detect alone is found by comparison, and the finding ends after the wrong replica is healed', async () => {
    await meet()
    const [a, b] = pair()
    b.replica.fleet.hosts.columns.status[1 as HostIndex] = 1
    await a.replica.propose([aReport('h1', { instances: [] }, 2)])
    await meet()
    expect(codesOf(a)).toEqual([`state.diverged digest at revision ${a.replica.fleet.place.revision}, replica b`])
    expect(codesOf(b)).toEqual([`state.diverged digest at revision ${a.replica.fleet.place.revision}, replica a`])
    // the comparison does not determine which replica is wrong, so both continue
    expect((await a.heal(true)).count).toBe(0)
    expect((await b.heal(false)).differences).toEqual([{ subject: 'host', name: 'h2', field: 'columns.status', before: '1', after: '0' }])
    await meet()
    expect([codesOf(a), codesOf(b)]).toEqual([[], []])
  })
})

test('heal follows the log during the comparison, and starts from the newest checkpoint at or before the given revision', async () => {
  const [a] = pair()
  const healing = a.heal(false)
  const reports = Array.from({ length: 20 }, (_, i) => aReport('h1', { instances: [] }, i + 3))
  for (const report of reports) await a.replica.propose([report])
  const { revision, count } = await healing
  expect(count).toBe(0)
  expect(revision).toBeLessThanOrEqual(a.replica.fleet.place.revision)
  const old = a.replica.fleet
  expect(await a.heal(false, 1)).toMatchObject({ from: 0, count: 0 })
  expect(a.replica.fleet).not.toBe(old)
  // the fleet that replaced the old one follows the log
  expect((await a.replica.propose([aReport('h1', { instances: [] }, 99)]))[0]?.void).toBeUndefined()
  await meet()
  expect([codesOf(nodes[0] as Node), codesOf(nodes[1] as Node)]).toEqual([[], []])
})
