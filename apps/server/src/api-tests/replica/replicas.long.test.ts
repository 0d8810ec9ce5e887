import { FEATURE_LEVEL } from '@gantt/scheduler-core'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openService, type Service } from '../../service.ts'
import { createTestDatabase } from '../../testing/test-database.ts'
import { codeOf, dataOf, placeWith, startTestService, type TestService } from '../../testing/test-service.ts'

let api: TestService
let second: Service

beforeAll(async () => {
  api = await startTestService()
  second = await openService({ connection: api.connection, host: '127.0.0.1', port: 0, warn: (message) => api.warnings.push(message) })
  await api.report({ 'h-1': {}, 'h-2': {} })
})
afterAll(async () => {
  await second.close()
  await api.close()
})

const REPLICAS = `{ replicas { id url version featureLevel mode reason live answers revision lagEvents lag violations checkedAt
  stateHash { revision hash } startedAt lastSeenAt stoppedAt
  lagHistory decisionsPerSecond proposals conflicts conflictRate memoryBytes hosts { up suspect down } } }`
const HEAL = `mutation ($replica: ID, $dryRun: Boolean, $from: Revision) { replicaHeal(replica: $replica, dryRun: $dryRun, fromRevision: $from) { __typename
  ... on ReplicaHealPayload { replica dryRun fromRevision fleetRevision differenceCount differences { subject name field before after } }
  ... on UserError { code message path } } }`

const replicas = async () => (await dataOf(api, REPLICAS)).replicas
const heal = async (variables: Record<string, unknown>) => (await dataOf(api, HEAL, variables)).replicaHeal

async function sql(text: string, values: unknown[] = []): Promise<pg.QueryResult> {
  const client = new pg.Client(api.connection)
  await client.connect()
  try {
    return await client.query(text, values)
  } finally {
    await client.end()
  }
}

test('every replica is listed with its last sign of life', async () => {
  await expect.poll(async () => (await replicas()).map(({ url }: { url: string | null }) => url)).toEqual([api.url, second.url])
  const [own, other] = await replicas()
  expect(own).toMatchObject({ id: api.service.replica.name, live: true, answers: true, mode: 'NORMAL', violations: 0, stoppedAt: null })
  expect(other).toMatchObject({ id: second.replica.name, live: true, answers: false, featureLevel: FEATURE_LEVEL })
  expect(own.lastSeenAt >= own.startedAt).toBe(true)
})

test('each replica reports its activity, its memory, and its lag in the last ten minutes', async () => {
  await placeWith(api, {})
  const hosts = { up: 2, suspect: 0, down: 0 }
  const [own] = await replicas()
  expect(own).toMatchObject({ proposals: 1, conflicts: 0, conflictRate: 0, hosts })
  expect(own.decisionsPerSecond).toBeGreaterThan(0)
  expect(own.memoryBytes).toBeGreaterThan(1e6)
  await expect.poll(async () => (await replicas())[1]).toMatchObject({ decisionsPerSecond: 0, proposals: 0, conflictRate: null, hosts })
  const [, other] = await replicas()
  expect(other.lagHistory).toHaveLength(60)
  expect(other.lagHistory.at(0)).toBeNull()
  expect(other.lagHistory.filter((lag: string | null) => lag !== null).at(-1)).toMatch(/^PT/)
})

test('activity and memory are null for a release that does not report them', async () => {
  await sql(
    `INSERT INTO replica SELECT 'an-old-one', NULL, '0.0.1', 1, 'NORMAL', NULL, 0, 0, 0, 0, NULL, '{}', seen_at_ms, seen_at_ms, NULL FROM replica LIMIT 1`,
  )
  const old = async () => (await replicas()).find(({ id }: { id: string }) => id === 'an-old-one')
  await expect
    .poll(old)
    .toMatchObject({ decisionsPerSecond: null, proposals: null, conflicts: null, conflictRate: null, memoryBytes: null, hosts: null })
  await sql(`DELETE FROM replica WHERE id = 'an-old-one'`)
})

test('after the auditor has checked the whole state, auditor and health show the result', async () => {
  await expect.poll(async () => (await dataOf(api, '{ auditor { checkedAt } }')).auditor.checkedAt).not.toBeNull()
  const { auditor, health } = await dataOf(
    api,
    '{ auditor { violations warnings notices counts { code severity count } findings { id code severity promise subject name host claim field expected actual since repair { text automatic } } cleanSince cleanRounds cleanLooks checkedAt age round rounds looked comparisons agreedAt } health { violations warnings cleanSince cleanLooks checkedAge code } }',
  )
  expect(auditor).toMatchObject({ violations: 0, cleanSince: expect.stringMatching(/Z$/) })
  expect(auditor.findings.filter((one: { severity: string }) => one.severity === 'VIOLATION')).toEqual([])
  expect(auditor.cleanRounds).toBeGreaterThan(0)
  expect(auditor.cleanLooks).toBeGreaterThanOrEqual(auditor.looked)
  expect(auditor.age).toMatch(/^PT/)
  expect(health).toMatchObject({ violations: 0, code: null, checkedAge: expect.stringMatching(/^PT/) })
})

test('heal reports the differences and repairs them; both are in the audit', async () => {
  expect(await heal({ dryRun: true })).toMatchObject({
    __typename: 'ReplicaHealPayload',
    dryRun: true,
    differenceCount: 0,
    fromRevision: '0',
  })
  const { hosts } = api.service.replica.fleet
  const free = hosts.classes.get('MEMORY_MB')?.free
  if (free === undefined) throw new Error('no host reports memory')
  free[1] = 1
  const difference = { subject: 'host', name: 'h-2', field: 'classes.MEMORY_MB.free', before: '1', after: '65536' }
  expect(await heal({ replica: api.service.replica.name })).toMatchObject({ dryRun: false, differenceCount: 1, differences: [difference] })
  expect(await heal({ dryRun: true })).toMatchObject({ differenceCount: 0 })
  const placed = await placeWith(api, {})
  expect(placed.__typename).toBe('SelectDestinationsPayload')
  const { auditLog } = await dataOf(api, '{ auditLog(query: "mutation:replicaHeal", oldestFirst: true) { nodes { result summary } } }')
  expect(auditLog.nodes.map(({ result }: { result: string }) => result)).toEqual(Array(3).fill('ReplicaHealPayload'))
})

test('heal is refused if the call names another replica', async () => {
  const refused = await heal({ replica: second.replica.name })
  expect(refused).toMatchObject({ __typename: 'ReplicaHealRefused', code: 'PRECONDITION', path: ['replica'] })
  expect(refused.message).toContain(second.replica.name)
})

test('a change of a newer kind is refused until every living replica supports it, and the error names the replica that does not', async () => {
  const database = await createTestDatabase()
  const older = await startTestService({ database, featureLevel: 1 })
  await older.report({ 'h-1': { vcpus: 10_000, memoryMb: 2 ** 26 } })
  const newer = await startTestService({ database })
  const placed = await placeWith(newer, { claim: { mode: 'CONFIRM' } })
  const revoke = () =>
    newer.ask('mutation ($ids: [ID!]!) { claimRevoke(ids: $ids, reason: "test") { __typename } }', {
      ids: [placed.destinations[0].selected.claim.id],
    })
  const blocked = await revoke()
  expect([blocked.status, codeOf(blocked)]).toEqual([503, 'FEATURE_LEVEL'])
  expect(blocked.errors[0]?.extensions).toMatchObject({ replica: older.service.replica.name, reads: 1, needs: 2, retryable: true })
  await older.close()
  expect((await revoke()).errors).toEqual([])
  expect((await dataOf(newer, '{ health { featureLevel } }')).health.featureLevel).toBe(2)
  // a decision raises the feature level once the next check of the replicas has shown that all of them support it
  const levelAfterPlacing = async (): Promise<number> => {
    await placeWith(newer, {})
    return (await dataOf(newer, '{ health { featureLevel } }')).health.featureLevel
  }
  await expect.poll(levelAfterPlacing, { interval: 500 }).toBe(FEATURE_LEVEL)
  await newer.close()
  await database.drop()
})

test('a log of a newer release makes a running replica read-only, with a code, and a starting replica fails with an error', async () => {
  await sql(
    `INSERT INTO log (revision, id, writer, basis_revision, basis_id, body, at_ms, changes)
     SELECT revision + 1, 'newer', 'newer', revision, id, $1, at_ms, 1 FROM log ORDER BY revision DESC LIMIT 1`,
    [JSON.stringify({ format: 1, basis: { revision: 0, id: '', at: 0 }, changes: [{ type: 'feature', level: FEATURE_LEVEL + 1 }] })],
  )
  await expect
    .poll(async () => (await dataOf(api, '{ health { mode code } }')).health)
    .toEqual({ mode: 'READ_ONLY', code: 'log.unreadable' })
  await expect(openService({ connection: api.connection, host: '127.0.0.1', port: 0, warn: () => {} })).rejects.toMatchObject({
    name: 'UnknownEntryError',
    message: expect.stringContaining(`level to ${FEATURE_LEVEL + 1}`),
  })
  expect(await heal({})).toMatchObject({ __typename: 'ReplicaHealRefused', code: 'PRECONDITION' })
})
