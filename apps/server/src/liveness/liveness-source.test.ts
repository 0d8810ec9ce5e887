import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLeaseStore } from '../db/tables/leases.ts'
import type { LeaseStore } from '../stores/leases.ts'
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts'
import { heardBy, livenessSourceSuite } from './liveness-source.suite.ts'
import type { LivenessSource } from './liveness-source.ts'
import { createReportsLiveness } from './reports.ts'
import { createStaticLiveness } from './static.ts'

let database: TestDatabase
let leases: LeaseStore
beforeAll(async () => {
  database = await createTestDatabase()
  leases = createLeaseStore(database.connection)
})
afterAll(async () => {
  await leases.close()
  await database.drop()
})

const openReports = async (): Promise<LivenessSource> =>
  createReportsLiveness({
    leases,
    breakMs: 60_000,
    warn: (message) => {
      throw new Error(message)
    },
  })

describe('the liveness source static', () => {
  livenessSourceSuite(async () => createStaticLiveness(() => 1_000_000))

  test('with the source static, hosts that never gave a sign of life are alive', async () => {
    const { now, lastOf } = await heardBy(createStaticLiveness(() => 5))
    expect(lastOf({ host: 'never', node: 'never' })).toBe(now)
  })
})

describe('the liveness source reports', () => {
  livenessSourceSuite(openReports)

  test('with the source reports, a sign that one replica received is known to another, and one replica at a time evaluates', async () => {
    const [first, second] = [await openReports(), await openReports()]
    first.heard([{ host: 'listed', node: 'listed' }])
    await first.look(async (_heard, isMine) => {
      expect(isMine).toBe(true)
      const other = await heardBy(second)
      expect(other.isMine).toBe(false)
      expect(other.lastOf({ host: 'listed', node: 'listed' })).toBeGreaterThan(0)
    })
    expect((await heardBy(second)).isMine).toBe(true)
    expect((await heardBy(second)).lastOf({ host: 'never', node: 'never' })).toBeUndefined()
    await Promise.all([first.close(), second.close()])
  })

  test('with the source reports, signs that one replica flushed are read by another', async () => {
    const [first, second] = [await openReports(), await openReports()]
    first.heard([{ host: 'flushed', node: 'flushed' }])
    await first.flush()
    expect((await heardBy(second)).lastOf({ host: 'flushed', node: 'flushed' })).toBeGreaterThan(0)
    await Promise.all([first.close(), second.close()])
  })

  test('with the source reports, the listening time starts again after a gap', async () => {
    const source = await openReports()
    const client = new pg.Client(database.connection)
    await client.connect()
    await client.query('DELETE FROM liveness_watch')
    const first = await heardBy(source)
    expect(first.listeningSince).toBe(first.now)
    await client.query('UPDATE liveness_watch SET since_ms = since_ms - 20000, until_ms = until_ms - 10000')
    expect((await heardBy(source)).listeningSince).toBe(first.now - 20_000)
    await client.query('UPDATE liveness_watch SET since_ms = since_ms - 90000, until_ms = until_ms - 90000')
    const after = await heardBy(source)
    expect(after.listeningSince).toBe(after.now)
    await client.end()
    await source.close()
  })
})
