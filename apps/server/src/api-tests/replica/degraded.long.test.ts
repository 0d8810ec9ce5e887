import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.ts'
import { codeOf, dataOf, placeWith, startTestService, type TestService } from '../../testing/test-service.ts'

let api: TestService
let admin: TestDatabase

beforeAll(async () => {
  ;[api, admin] = await Promise.all([startTestService(), createTestDatabase()])
  await api.report({ 'h-1': {} })
})
afterAll(async () => {
  await api.close()
  await admin.drop()
})

const HEALTH = '{ health { mode reason revision stateAge replica featureLevel } }'
const health = async () => (await dataOf(api, HEALTH)).health

/**
 * If `isOpen` is false, ends every connection to the service's database and refuses new connections. Otherwise accepts connections again.
 */
async function setStore(isOpen: boolean): Promise<void> {
  const { rows } = await sql('SELECT datname FROM pg_database WHERE datname = $1', [api.database])
  const name = pg.escapeIdentifier(String(rows[0]?.datname))
  await sql(`ALTER DATABASE ${name} ALLOW_CONNECTIONS ${isOpen}`)
  await sql('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [api.database])
}

async function sql(text: string, values: unknown[] = []): Promise<pg.QueryResult> {
  const client = new pg.Client(admin.connection)
  await client.connect()
  try {
    return await client.query(text, values)
  } finally {
    await client.end()
  }
}

test('without its store a replica answers reads, shows the age of its state, and refuses claims at once; afterwards it continues', async () => {
  expect(await health()).toMatchObject({ mode: 'NORMAL', reason: null })
  const placed = await placeWith(api, {})
  await setStore(false)
  await expect.poll(async () => (await health()).mode).toBe('STORE_AWAY')
  const { stateAge, revision } = await health()
  expect(stateAge).toMatch(/^PT[2-9]/)
  const { host } = await dataOf(api, '{ host(name: "h-1") { capacity { resourceClass claimed } } }')
  expect(host.capacity).toContainEqual({ resourceClass: 'VCPU', claimed: 2 })
  // an explanation of a new request needs no tables, so it works
  const EXPLAIN = `{ explainPlacement(input: { subject: { spec: { gantt: { flavor: { vcpus: 15, memoryMb: 1 } } } } }) { headline } }`
  expect((await dataOf(api, EXPLAIN)).explainPlacement.headline).toContain('15 vCPUs needed, 14 free')
  const refused = await api.ask(
    `mutation { selectDestinations(input: { idempotencyKey: "away", spec: { gantt: { flavor: { vcpus: 1, memoryMb: 1 } } } }) { __typename } }`,
  )
  expect(codeOf(refused)).toBe('UNAVAILABLE')
  expect(refused.errors[0]?.extensions).toMatchObject({ retryable: true, retryAfterMs: 1_000 })
  expect(refused.status).toBe(503)
  await setStore(true)
  await expect.poll(async () => (await health()).mode).toBe('NORMAL')
  expect(Number((await health()).revision)).toBeGreaterThanOrEqual(Number(revision))
  const again = await placeWith(api, { idempotencyKey: 'away' })
  expect(again).toMatchObject({ __typename: 'SelectDestinationsPayload', replayed: false })
  expect(again.destinations[0].selected.host).toEqual(placed.destinations[0].selected.host)
  expect(api.warnings.some((warning) => warning.includes('the store does not answer'))).toBe(true)
})
