import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { aReport, aRequest } from '@gantt/scheduler-core/testing'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPgDriver, sqlState } from '../../db/session.ts'
import { openPostgresSynchronizer } from '../../sync/postgres/postgres.ts'
import { StoreUnavailableError } from '../../sync/synchronizer.ts'
import { startSwallowingProxy } from '../../testing/swallowing-proxy.ts'
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.ts'
import type { PlacementCall } from '../propose/placement.ts'
import { Replica } from '../replica.ts'

let database: TestDatabase
let admin: pg.Client
let killers: pg.Pool
let folder: string
let made = 0

beforeAll(async () => {
  database = await createTestDatabase()
  admin = new pg.Client(database.connection)
  await admin.connect()
  killers = new pg.Pool(database.connection)
  // when the test database is dropped, the server ends connections that are still open; their errors are expected
  killers.on('error', () => undefined)
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'gantt-faults-'))
})

afterAll(async () => {
  await admin.end()
  await killers.end()
  await database.drop()
  fs.rmSync(folder, { recursive: true, force: true })
})

const call = (key: string): PlacementCall => ({
  account: 'nova',
  key,
  digest: key,
  request: aRequest({ vcpus: 1, memoryMb: 1 }),
  profile: 'first-fit',
  mode: 'CONFIRM',
  ttlMs: 120_000,
  deadlineMs: 30_000,
  alternatesPerInstance: 0,
  intent: 'CREATE',
  source: null,
  allOrNothing: true,
})

/** Runs a test on a replica with an empty log and one large host, and closes the replica. */
async function withReplica(
  use: (replica: Replica) => Promise<void>,
  connection: pg.ClientConfig = database.connection,
  flush: 'on' | 'off' = 'off',
): Promise<void> {
  await admin.query('DELETE FROM log')
  const store = await openPostgresSynchronizer({ ...connection, application_name: 'replica' }, flush)
  const replica = await Replica.start({ store, name: 'x', recordUnlogged: async () => {}, warn: () => {} })
  try {
    await replica.propose([aReport('h1', { vcpus: 1_000, memoryMb: 1_000_000 })])
    await use(replica)
    expect(replica.halted).toBeUndefined()
  } finally {
    await replica.close()
  }
}

const terminate = () => killers.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'replica'`)

test.each(['off', 'on'] as const)(
  'sessions that end under load cause no lost and no repeated entries (shared flush: %s)',
  async (flush) => {
    await withReplica(
      async (replica) => {
        const placing = Array.from({ length: 8 }, async () => {
          for (let i = 0; i < 15; i++) {
            const outcome = await replica.place(call(`k${made++}`))
            expect(outcome.type).toBe('placed')
            if (i % 4 === 1) await terminate()
          }
        })
        await Promise.all(placing)
        expect(replica.fleet.ledger.claims.size).toBe(120)
        const { rows } = await admin.query('SELECT count(*)::int AS entries, max(revision)::int AS last FROM log')
        expect(rows[0]?.entries).toBe(rows[0]?.last)
      },
      database.connection,
      flush,
    )
  },
)

test('a call that meets a table locked by another session waits and then succeeds', async () => {
  await withReplica(async (replica) => {
    await admin.query('BEGIN')
    await admin.query('LOCK TABLE log IN ACCESS EXCLUSIVE MODE')
    let isOver = false
    const placed = replica.place(call(`k${made++}`)).finally(() => {
      isOver = true
    })
    await admin.query('SELECT pg_sleep(0.3)')
    expect(isOver).toBe(false)
    await admin.query('COMMIT')
    expect((await placed).type).toBe('placed')
  })
})

test("an append that waits for another session's transaction continues when that transaction is rolled back", async () => {
  await withReplica(async (replica) => {
    const { revision, id, at } = replica.fleet.place
    await admin.query('BEGIN')
    await admin.query(
      `INSERT INTO log (revision, id, writer, basis_revision, basis_id, body, at_ms, changes) VALUES ($1, 'stuck', 'x', $2, $3, '{}', $4, 0)`,
      [revision + 1, revision, id, at],
    )
    const placed = replica.place(call(`k${made++}`))
    await admin.query('SELECT pg_sleep(0.2)')
    await admin.query('ROLLBACK')
    expect((await placed).type).toBe('placed')
    expect(replica.fleet.place.revision).toBe(revision + 1)
  })
})

test('an entry without an answer is sent again and takes effect once', async () => {
  const proxy = await startSwallowingProxy(String(database.connection.host), path.join(folder, 'proxy'))
  try {
    // a short timeout, so that the test is short
    const connection = { ...database.connection, host: proxy.host, query_timeout: 400 }
    await withReplica(async (replica) => {
      for (const statement of ['gantt-append', 'gantt-read', 'gantt-turn']) {
        proxy.swallowAnswersFrom(statement)
        for (let i = 0; i < 10; i++) expect((await replica.place(call(`k${made++}`))).type).toBe('placed')
      }
      expect(replica.fleet.ledger.claims.size).toBe(30)
      expect(proxy.swallowed).toBeGreaterThan(0)
    }, connection)
  } finally {
    await proxy.close()
  }
})

test('a store that hangs is considered unavailable before its timeouts end, and available as soon as it answers', async () => {
  const proxy = await startSwallowingProxy(String(database.connection.host), path.join(folder, 'still'))
  try {
    await withReplica(
      async (replica) => {
        proxy.stall(true)
        const waiting = replica.place(call(`k${made++}`))
        // the store's own timeouts are at least 10 s, so the replica notices the silence earlier
        await expect.poll(() => replica.isStoreAway).toBe(true)
        await expect(replica.place(call(`k${made++}`))).rejects.toMatchObject({ reason: 'store' })
        // calls that need new state are refused at once with any timeout, and reads use the present state
        await expect(replica.fresh(60_000)).rejects.toMatchObject({ reason: 'store' })
        await replica.freshest(60_000)
        proxy.stall(false)
        expect((await waiting).type).toBe('placed')
        await expect.poll(() => replica.isStoreAway).toBe(false)
        expect((await replica.place(call(`k${made++}`))).type).toBe('placed')
      },
      { ...database.connection, host: proxy.host },
    )
  } finally {
    await proxy.close()
  }
})

test('of two deadlocked sessions, one gets the error for an unavailable store, and both keep their connections', async () => {
  const driver = createPgDriver(database.connection)
  const sessions = [1, 2].map(() => driver.session((client) => client.query(`SET deadlock_timeout = '20ms'; SET lock_timeout = 0`)))
  const [a, b] = sessions
  if (a === undefined || b === undefined) throw new Error('a session is missing')
  const lock = (session: typeof a, key: number) => session.query({ text: 'SELECT pg_advisory_lock($1::bigint)', values: [key] })
  const backend = async (session: typeof a) =>
    (await session.query<{ pid: number }>({ text: 'SELECT pg_backend_pid() AS pid' })).rows[0]?.pid
  const before = await Promise.all([backend(a), backend(b)])
  await lock(a, 71)
  await lock(b, 72)
  const waits = [lock(a, 72), lock(b, 71)]
  const failed = await Promise.any(
    waits.map((wait) =>
      wait.then(
        () => Promise.reject(new Error('the lock was granted')),
        (error: unknown) => error,
      ),
    ),
  )
  expect(failed).toBeInstanceOf(StoreUnavailableError)
  expect(sqlState(failed)).toBe('40P01')
  // the locks are released concurrently, because each session can still hold a lock for which the other session waits
  await Promise.all([a, b].map((session) => session.query({ text: 'SELECT pg_advisory_unlock_all()' })))
  await Promise.allSettled(waits)
  expect(await Promise.all([backend(a), backend(b)])).toEqual(before)
  await Promise.all([...sessions.map((session) => session.close()), driver.close()])
})

test('reads are repeated if their connection ended, but a faulty query is not', async () => {
  const driver = createPgDriver({ ...database.connection, application_name: 'replica' })
  for (let i = 0; i < 3; i++) {
    expect((await driver.query({ text: 'SELECT 1 AS one' })).rows).toEqual([{ one: 1 }])
    await terminate()
  }
  await expect(driver.query({ text: 'SELECT nonsense' })).rejects.toMatchObject({ code: '42703' })
  const slow = driver.query({ text: 'SELECT pg_sleep(0.5)' })
  await expect.poll(async () => (await admin.query(`SELECT FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%'`)).rowCount).toBe(1)
  await terminate()
  expect((await slow).rowCount).toBe(1)
  await driver.close()
})
