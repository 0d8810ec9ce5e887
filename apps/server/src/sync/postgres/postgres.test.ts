import { checkpointOf, ENTRY_FORMAT, Fleet, ORIGIN, type Place } from '@gantt/scheduler-core'
import { aReport } from '@gantt/scheduler-core/testing'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.ts'
import { synchronizerSuite } from '../synchronizer.suite.ts'
import type { Synchronizer } from '../synchronizer.ts'
import { openPostgresSynchronizer } from './postgres.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})

afterAll(() => database.drop())

for (const sharedFlush of ['off', 'on'] as const)
  synchronizerSuite({
    name: sharedFlush === 'on' ? 'postgres with a shared flush' : 'postgres',
    async createStore() {
      const run = async (sql: string, values: unknown[] = []): Promise<readonly Record<string, unknown>[]> => {
        const client = new pg.Client(database.connection)
        await client.connect()
        const { rows } = await client.query(sql, values)
        await client.end()
        return rows
      }
      return {
        open: () => openPostgresSynchronizer(database.connection, sharedFlush),
        async backUp() {
          const [head] = await run('SELECT max(revision) AS revision FROM log')
          return async () => void (await run('DELETE FROM log WHERE revision > $1', [head?.revision]))
        },
        followedTo: async (revision) =>
          void (await run(
            `INSERT INTO projection_position (name, revision, id) VALUES ('main', $1, '') ON CONFLICT (name) DO UPDATE SET revision = excluded.revision`,
            [revision],
          )),
        async drop() {
          await run('DELETE FROM projection_position')
          await run('DELETE FROM log')
          await run('DELETE FROM checkpoint')
        },
      }
    },
  })

test('a checkpoint in the old form, without parts, can be loaded', async () => {
  const store = await openPostgresSynchronizer(database.connection)
  const fleet = new Fleet()
  await store.append({ format: ENTRY_FORMAT, id: 'whole', writer: 'x', basis: fleet.place, changes: [aReport('h1'), aReport('h2')] })
  for (const entry of await store.read(fleet.place, 10)) fleet.apply(entry)
  const checkpoint = checkpointOf(fleet)
  const client = new pg.Client(database.connection)
  await client.connect()
  await client.query(
    `INSERT INTO checkpoint (revision, id, at_ms, epoch, format, body) SELECT $1, $2, $3, epoch, $4, $5 FROM store_epoch`,
    [checkpoint.place.revision, checkpoint.place.id, checkpoint.place.at, checkpoint.format, JSON.stringify(checkpoint)],
  )
  expect(await store.loadCheckpoint(10)).toEqual(JSON.parse(JSON.stringify(checkpoint)))
  await client.query('DELETE FROM checkpoint')
  await client.query('DELETE FROM log')
  await client.end()
  await store.close()
})

test('a row written with synchronous commit shows that its entry and all earlier ones are durable, and other rows do not', async () => {
  const [waits, shares] = await Promise.all((['off', 'on'] as const).map((mode) => openPostgresSynchronizer(database.connection, mode)))
  const reader = await openPostgresSynchronizer(database.connection, 'off')
  if (waits === undefined || shares === undefined) throw new Error('both are open')
  let basis: Place = ORIGIN
  const append = async (store: Synchronizer, id: string): Promise<void> => {
    basis = (await store.append({ format: ENTRY_FORMAT, id, writer: 'x', basis, changes: [aReport('h1')] })) ?? basis
  }
  await append(shares, 'first')
  await reader.read(ORIGIN, 10)
  expect(reader.durableRevision()).toBe(0)
  await append(waits, 'second')
  await append(shares, 'third')
  await reader.read(ORIGIN, 10)
  expect(reader.durableRevision()).toBe(2)
  await reader.durable(basis)
  expect(reader.durableRevision()).toBe(3)
  await Promise.all([waits, shares, reader].map((store) => store.close()))
})
