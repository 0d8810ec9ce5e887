import { type Change, canonicalJson, checkpointOf, ENTRY_FORMAT, type RequestSpec } from '@gantt/scheduler-core'
import { aReport, aRequest } from '@gantt/scheduler-core/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPrisma, type PrismaClient } from '../db/prisma.ts'
import { createTableWriter, type TableWriter } from '../db/table-writer.ts'
import { createDecisionStore, type DecisionStore, isUnreadable } from '../db/tables/decisions.ts'
import { createProjectionStore } from '../db/tables/projections.ts'
import { createRecordStore } from '../db/tables/records.ts'
import { createRequestSpecStore, requestSpecId } from '../db/tables/request-specs.ts'
import type { SetAside } from '../db/tables/set-aside.ts'
import type { RecordStore } from '../stores/records.ts'
import { openPostgresSynchronizer } from '../sync/postgres/postgres.ts'
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts'
import { createHistory } from './follow/history.ts'
import { createProjector, type Projector } from './follow/projector.ts'
import { unloggedRow } from './follow/rows-of.ts'
import { verifyDecisions } from './follow/verify.ts'
import { Replica } from './replica.ts'

interface Node {
  readonly replica: Replica
  readonly projector: Projector
}

let database: TestDatabase
let prisma: PrismaClient
let writer: TableWriter
let decisions: DecisionStore
let records: RecordStore
const nodes: Node[] = []
const warnings: string[] = []
const setAside: SetAside[] = []

async function open(name: string): Promise<Node> {
  const store = await openPostgresSynchronizer(database.connection)
  const warn = (message: string): void => void warnings.push(message)
  const replica = await Replica.start({
    store,
    name,
    warn,
    recordUnlogged: (unlogged) =>
      records.keepDecisions(unlogged.map((decision) => unloggedRow(decision, ({ request }) => requestSpecId(request)))),
  })
  return {
    replica,
    projector: createProjector(
      replica,
      createProjectionStore({ prisma, writer, mayPack: () => true, onSetAside: (row) => setAside.push(row) }),
      { history: createHistory(store), log: store, warn },
    ),
  }
}

const close = async ({ replica, projector }: Node): Promise<void> => {
  await projector.close()
  await replica.close()
}

beforeAll(async () => {
  database = await createTestDatabase()
  prisma = createPrisma(database.connection)
  writer = createTableWriter(database.connection)
  decisions = createDecisionStore(prisma)
  records = createRecordStore(writer, { mayPack: () => true, warn: () => {} })
  nodes.push(await open('a'), await open('b'))
})

afterAll(async () => {
  await Promise.all(nodes.map(close))
  await prisma.$disconnect()
  await writer.close()
  await database.drop()
})

const place = (replica: Replica, key: string, request: RequestSpec) =>
  replica.place({
    account: 'test',
    key,
    digest: key,
    request,
    profile: 'first-fit',
    mode: 'CONFIRM',
    ttlMs: 1_000,
    deadlineMs: 20_000,
    alternatesPerInstance: 2,
    intent: 'CREATE',
    source: null,
    allOrNothing: true,
  })

test('two replicas that race on one database allocate nothing twice, have equal states, and every decision can be replayed', async () => {
  const [a, b] = nodes as [Node, Node]
  await a.replica.propose(Array.from({ length: 8 }, (_, i) => aReport(`h${i}`, { vcpus: 4, memoryMb: 8_192 })))
  const outcomes = await Promise.all(
    Array.from({ length: 200 }, async (_, i) => {
      const { replica } = i % 2 === 0 ? a : b
      const outcome = await place(replica, `k${i}`, aRequest({ memoryMb: 128, numInstances: 1 + (i % 2) }))
      const claim = outcome.type === 'placed' ? outcome.claims[0] : undefined
      // every third caller releases its first claim, so that the fleet keeps changing
      if (claim !== undefined && i % 3 === 0)
        await replica.propose([{ type: 'release', claim: claim.id, fence: claim.fence, reason: 'test' }])
      return outcome
    }),
  )
  expect(new Set(outcomes.map(({ type }) => type))).toEqual(new Set(['placed', 'refused']))
  await Promise.all([a.replica.fresh(), b.replica.fresh()])
  expect(canonicalJson(checkpointOf(a.replica.fleet))).toBe(canonicalJson(checkpointOf(b.replica.fleet)))
  const { free } = a.replica.fleet.hosts.classColumns('VCPU')
  for (const { index } of a.replica.fleet.hosts.records) expect(free[index]).toBeGreaterThanOrEqual(0)

  expect(await a.projector.reached(a.replica.fleet.place.revision, 10_000)).toBe(true)
  const stored = (await decisions.list({ first: 1_000 })).flatMap((row) => (isUnreadable(row) ? [] : [row]))
  expect(stored).toHaveLength(200)
  const store = await openPostgresSynchronizer(database.connection)
  const { checked, differences } = await verifyDecisions(store, stored)
  await store.close()
  expect(differences).toEqual([])
  expect(checked).toBe(200)
})

test('the tables have the same content as the fleet', async () => {
  const [a, b] = nodes as [Node, Node]
  await b.replica.propose([
    {
      type: 'aggregate',
      uuid: '00000000-0000-4000-8000-0000000000a1',
      expectedVersion: 0,
      next: { name: 'rack', metadata: { availability_zone: 'az1' }, hosts: ['h1'] },
    },
    { type: 'status', host: 'h2', node: 'h2', status: 'DISABLED', reason: 'disk' },
  ])
  await a.replica.fresh()
  const { ledger, place: head } = a.replica.fleet
  expect(await a.projector.reached(head.revision, 10_000)).toBe(true)
  const claims = await prisma.claim.findMany()
  for (const claim of claims)
    expect({ id: claim.id, state: claim.state }).toEqual({ id: claim.id, state: ledger.claims.get(claim.id)?.state })
  expect(claims).toHaveLength(ledger.claims.size)
  expect(
    await prisma.computeNode.findMany({
      select: { host: true, status: true, availabilityZone: true },
      where: { host: { in: ['h1', 'h2'] } },
      orderBy: { host: 'asc' },
    }),
  ).toEqual([
    { host: 'h1', status: 'ENABLED', availabilityZone: 'az1' },
    { host: 'h2', status: 'DISABLED', availabilityZone: 'nova' },
  ])
  expect(await prisma.aggregate.findMany({ select: { name: true, version: true } })).toEqual([{ name: 'rack', version: 1 }])
  const specs = createRequestSpecStore(prisma)
  const [newest] = await specs.list({ first: 1 })
  expect(newest && requestSpecId(newest.document)).toBe(newest?.id)
})

test('a void attempt is in the tables with its host and reason, and a decision with its duration', async () => {
  const [a] = nodes as [Node]
  // this test uses two hosts of its own, because the free amounts of the other hosts depend on the race of the replicas
  await a.replica.propose([aReport('tight', { vcpus: 4, memoryMb: 1_024 }), aReport('roomy', { vcpus: 4, memoryMb: 1_024 })])
  const placed = await place(a.replica, 'wins', aRequest({ memoryMb: 600, forceHosts: ['tight'] }))
  expect(await a.projector.reached(a.replica.fleet.place.revision, 30_000)).toBe(true)
  const store = await openPostgresSynchronizer(database.connection)
  const won = await createHistory(store).find(
    (await decisions.list({ first: 1, host: 'tight' })).flatMap((one) => (isUnreadable(one) ? [] : [one.place.entryId ?? '']))[0] ?? '',
    0,
  )
  // another replica claimed the same resources first: this proposal has no effect, and the request is then placed on another host
  const claims = won?.changes.find((change) => change.type === 'instances')
  if (claims?.type !== 'instances') throw new Error('the entry of the placement has no claims')
  const decision = '00000000-0000-4000-8000-00000000d001'
  const again = (attempt: number, host: string): Change => ({
    ...claims,
    key: 'loses',
    digest: 'loses',
    tookUs: 1_500 * attempt,
    parts: claims.parts.map((part) => ({ ...part, claim: `00000000-0000-4000-8000-00000000c00${attempt}`, host, node: host })),
    decision: { ...claims.decision, id: decision, attempt },
  })
  for (const [attempt, host] of [
    [1, 'tight'],
    [2, 'roomy'],
  ] as const) {
    await a.replica.fresh()
    const basis = a.replica.fleet.place
    const changes = [again(attempt, host)]
    expect(await store.append({ format: ENTRY_FORMAT, id: `lost-try-${attempt}`, writer: 'c', basis, changes })).toBeDefined()
  }
  await store.close()
  await a.replica.fresh()
  expect(await a.projector.reached(a.replica.fleet.place.revision, 30_000)).toBe(true)
  expect(placed.type).toBe('placed')
  expect(await decisions.find(decision)).toMatchObject({ tookUs: 3_000, record: { attempt: 2 } })
  const tries = await decisions.lostTries(decision)
  expect(tries).toMatchObject([{ attempt: 1, code: 'claim.no_room', hosts: ['tight'], tookUs: 1_500 }])
  expect(tries[0]?.revision).toBe((tries[0]?.basis ?? 0) + 1)
  const [made] = await decisions.list({ first: 1, account: 'test', host: 'tight' })
  expect(made !== undefined && !isUnreadable(made) && typeof made.tookUs).toBe('number')
})

test('the tables have the new policy of a group that is created again after its end', async () => {
  const [a] = nodes as [Node]
  const uuid = '00000000-0000-4000-8000-0000000000b1'
  await a.replica.propose([aReport('grouped', { vcpus: 4 })])
  for (const policy of ['AFFINITY', 'ANTI_AFFINITY'] as const) {
    const request = aRequest({ memoryMb: 64, forceHosts: ['grouped'], instanceGroup: { uuid, policy } })
    const placed = await place(a.replica, `group-${policy}`, request)
    const claim = placed.type === 'placed' ? placed.claims[0] : undefined
    await a.replica.propose([{ type: 'release', claim: claim?.id ?? '', fence: claim?.fence ?? 0, reason: null }])
    expect(await a.projector.reached(a.replica.fleet.place.revision, 10_000)).toBe(true)
    expect(await prisma.serverGroup.findUnique({ where: { id: uuid }, select: { policy: true } })).toEqual({ policy })
  }
})

test('a missing projection is recreated from the log', async () => {
  const [a] = nodes as [Node]
  const before = await prisma.claim.count()
  await prisma.$executeRaw`DELETE FROM claim`
  await prisma.$executeRaw`DELETE FROM decision`
  await prisma.$executeRaw`UPDATE projection_position SET revision = 0, id = ''`
  const late = await open('late')
  expect(await late.projector.reached(a.replica.fleet.place.revision, 20_000)).toBe(true)
  await close(late)
  expect(await prisma.claim.count()).toBe(before)
})

test('a row that the database refuses is skipped and reported, and the projections continue', async () => {
  const [a] = nodes as [Node]
  const nul = 'disk\u0000'
  await a.replica.propose([aReport('odd'), aReport('even'), { type: 'status', host: 'odd', node: 'odd', status: 'DISABLED', reason: nul }])
  await a.replica.propose([aReport('after')])
  expect(await a.projector.reached(a.replica.fleet.place.revision, 10_000)).toBe(true)
  const hosts = await prisma.computeNode.findMany({ select: { host: true }, where: { host: { in: ['odd', 'even', 'after'] } } })
  expect(hosts.map(({ host }) => host).sort()).toEqual(['after', 'even'])
  const [row, ...more] = await prisma.projectionSetAside.findMany()
  expect(row).toMatchObject({ kind: 'compute_node', id: 'odd/odd', reason: expect.stringContaining('22P05') })
  expect(more).toEqual([])
  expect(setAside).toMatchObject([{ kind: 'compute_node', id: 'odd/odd' }])
})

test('a past fleet is equal to the fleet at that time', async () => {
  const [a] = nodes as [Node]
  const store = await openPostgresSynchronizer(database.connection)
  const history = createHistory(store)
  await a.replica.propose([aReport('past', { vcpus: 2 })])
  const was = canonicalJson(checkpointOf(a.replica.fleet))
  const { revision } = a.replica.fleet.place
  await store.saveCheckpoint(checkpointOf(await history.at(revision - 3)))
  await a.replica.propose([aReport('past', { vcpus: 32 }, 2)])
  expect(canonicalJson(checkpointOf(await history.at(revision)))).toBe(was)
  expect((await history.entry(revision)).changes[0]).toMatchObject({ type: 'report', host: 'past' })
  await expect(history.at(revision + 1_000)).rejects.toThrow('the log ends at revision')
  await store.close()
})

test('no warning was logged', () => expect(warnings).toEqual([]))
