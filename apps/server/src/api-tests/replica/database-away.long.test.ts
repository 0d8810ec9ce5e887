import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPrisma } from '../../db/prisma.ts'
import { readTables } from '../../stores/stores.suite.ts'
import { parseNatsAddress } from '../../sync/nats/address.ts'
import { type NatsServers, noNatsServer, startNatsServers } from '../../testing/nats-servers.ts'
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.ts'
import { codeOf, dataOf, type Json, placeWith, startTestService, type TestService } from '../../testing/test-service.ts'

describe.skipIf(noNatsServer !== undefined)(
  `a service with its log in NATS runs without its database${noNatsServer === undefined ? '' : ` [skipped: ${noNatsServer}]`}`,
  () => {
    let cluster: NatsServers
    let database: TestDatabase
    let admin: TestDatabase
    let api: TestService
    let late: TestService
    const liveness = { source: 'reports', suspectAfterMs: 60_000, downAfterMs: 180_000, checkIntervalMs: 0 }
    const start = () => startTestService({ database, nats: parseNatsAddress(`${cluster.url}/away`), liveness })
    /** The decisions that the tables must contain at the end. */
    const decisions: string[] = []
    let mutations = 0

    beforeAll(async () => {
      ;[cluster, database, admin] = await Promise.all([startNatsServers(), createTestDatabase(), createTestDatabase()])
      api = await start()
    })
    afterAll(async () => {
      await Promise.all([api, late].map((each) => each?.close()))
      await database.drop()
      await admin.drop()
      await cluster.stop()
    })

    /**
     * If `isThere` is false, ends every connection to the service's database and refuses new connections. Otherwise accepts connections
     * again.
     */
    async function setDatabase(isThere: boolean): Promise<void> {
      const client = new pg.Client(admin.connection)
      await client.connect()
      await client.query(`ALTER DATABASE ${pg.escapeIdentifier(database.name)} ALLOW_CONNECTIONS ${isThere}`)
      await client.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [database.name])
      await client.end()
    }
    const change = (query: string, variables: Record<string, unknown> = {}): Promise<Json> => {
      mutations++
      return dataOf(api, query, variables)
    }
    const place = async (at: TestService, gantt: Record<string, unknown> = {}): Promise<Json> => {
      mutations++
      const answer = await placeWith(at, {}, gantt)
      decisions.push(answer.decision.id)
      return answer
    }
    const report = (hosts: Record<string, Record<string, unknown>>): Promise<void> => {
      mutations++
      return api.report(hosts)
    }
    const makeKey = async (): Promise<{ readonly id: string; readonly secret: string }> => {
      const input = { name: 'k', account: 'a', scopes: ['READ', 'SCHEDULE', 'CLAIM'] }
      const { apiKeyCreate } = await change(
        'mutation ($input: ApiKeyCreateInput!) { apiKeyCreate(input: $input) { ... on ApiKeyPayload { secret key { id } } } }',
        { input },
      )
      return { id: apiKeyCreate.key.id, secret: apiKeyCreate.secret }
    }
    const health = async (at = api): Promise<Json> => (await dataOf(at, '{ health { mode degraded { code since message } } }')).health
    const BIG = { flavor: { vcpus: 1_000, memoryMb: 1 } }
    let revoked: { readonly id: string; readonly secret: string }
    let made: { readonly id: string; readonly secret: string }

    test('without the database the service places, refuses, accepts reports and heartbeats, and creates and revokes keys', async () => {
      await report({ h1: {} })
      expect(await place(api)).toMatchObject({ __typename: 'SelectDestinationsPayload', decision: { outcome: 'PLACED' } })
      revoked = await makeKey()
      await setDatabase(false)
      // these calls arrive before the replica has noticed that the database is unreachable
      expect(await Promise.all([place(api), place(api), place(api, BIG)])).toMatchObject([
        { __typename: 'SelectDestinationsPayload', decision: { outcome: 'PLACED' } },
        { __typename: 'SelectDestinationsPayload', decision: { outcome: 'PLACED' } },
        { __typename: 'NoValidHost', decision: { outcome: 'NO_VALID_HOST' } },
      ])
      await expect.poll(async () => (await health()).degraded).toMatchObject([{ code: 'database.away' }])
      expect((await health()).mode).toBe('NORMAL')

      expect(await place(api)).toMatchObject({ __typename: 'SelectDestinationsPayload', decision: { outcome: 'PLACED' } })
      expect(await place(api, BIG)).toMatchObject({ __typename: 'NoValidHost', decision: { outcome: 'NO_VALID_HOST' } })
      await report({ h2: {} })
      await api.service.watcher.look()
      made = await makeKey()
      expect((await api.ask('{ health { mode } }', {}, made.secret)).status).toBe(200)
      await change('mutation ($id: ID!) { apiKeyRevoke(id: $id) { __typename } }', { id: revoked.id })
      expect(codeOf(await api.ask('{ health { mode } }', {}, revoked.secret))).toBe('UNAUTHENTICATED')
    })

    test('without the database the service returns the last decisions from memory, and fails at once for data that is only in tables', async () => {
      for (const id of decisions.slice(1)) {
        const { decision } = await dataOf(api, 'query ($id: ID!) { decision(id: $id) { id outcome } }', { id })
        expect(decision.id).toBe(id)
      }
      for (const query of [
        '{ decisions(first: 1) { nodes { id } } }',
        '{ auditLog(first: 1) { nodes { seq } } }',
        '{ requestSpecs(first: 1) { nodes { id } } }',
      ]) {
        const answer = await api.ask(query)
        expect([query, codeOf(answer), answer.status]).toEqual([query, 'UNAVAILABLE', 503])
      }
    })

    test('without the database another replica starts, knows the keys, places, and supports the feature level', async () => {
      late = await start()
      expect(await health(late)).toMatchObject({ mode: 'NORMAL', degraded: [{ code: 'database.away' }] })
      expect((await late.ask('{ health { mode } }', {}, made.secret)).status).toBe(200)
      expect(codeOf(await late.ask('{ health { mode } }', {}, revoked.secret))).toBe('UNAUTHENTICATED')
      expect(await place(late)).toMatchObject({ __typename: 'SelectDestinationsPayload' })
      expect(await place(late, BIG)).toMatchObject({ __typename: 'NoValidHost' })
      await api.service.replica.fresh()
      const { replicas } = await dataOf(late, '{ replicas { live } }')
      expect(replicas).toEqual([{ live: true }, { live: true }])
    })

    test('once the database is back, the tables contain every record exactly once, and no record waits', async () => {
      await setDatabase(true)
      await expect.poll(async () => [(await health()).degraded, (await health(late)).degraded]).toEqual([[], []])
      const { nodes } = (await dataOf(late, '{ decisions(first: 50) { nodes { id } } }')).decisions
      expect(nodes.map(({ id }: { id: string }) => id).sort()).toEqual([...decisions].sort())

      const prisma = createPrisma(database.connection)
      await expect.poll(async () => (await readTables(prisma)).audit.length).toBe(mutations)
      const tables = await readTables(prisma)
      expect([tables.auditFaults, new Set(tables.audit).size, tables.decisions.length]).toEqual([[], mutations, decisions.length])
      const keyRows = async () => (await prisma.apiKey.findMany()).map(({ id, revokedAtMs }) => [id, revokedAtMs !== null])
      // the table contains the keys that were created and revoked while the database was unreachable
      const expected = [
        [made.id, false],
        [revoked.id, true],
      ]
      await expect.poll(keyRows).toEqual(expect.arrayContaining(expected))
      const positions = new Map((await prisma.projectionPosition.findMany()).map(({ name, revision }) => [name, Number(revision)]))
      expect(positions.get('main')).toBe(api.service.replica.fleet.place.revision)
      await prisma.$disconnect()
      expect(api.warnings.filter((warning) => warning.includes('the database does not answer'))).toHaveLength(1)
    })
  },
)
