import { checkpointOf, ENTRY_FORMAT, Fleet } from '@gantt/scheduler-core'
import { aReport } from '@gantt/scheduler-core/testing'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.ts'
import { synchronizerSuite } from '../synchronizer.suite.ts'
import { openPostgresSynchronizer } from './postgres.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})

afterAll(() => database.drop())

synchronizerSuite({
  name: 'postgres',
  async createStore() {
    const run = async (sql: string, values: unknown[] = []): Promise<void> => {
      const client = new pg.Client(database.connection)
      await client.connect()
      await client.query(sql, values)
      await client.end()
    }
    return {
      open: () => openPostgresSynchronizer(database.connection),
      truncate: (revision) => run('DELETE FROM log WHERE revision > $1', [revision]),
      followedTo: (revision) =>
        run(
          `INSERT INTO projection_position (name, revision, id) VALUES ('main', $1, '') ON CONFLICT (name) DO UPDATE SET revision = excluded.revision`,
          [revision],
        ),
      async drop() {
        await run('DELETE FROM projection_position')
        await run('DELETE FROM log')
        await run('DELETE FROM checkpoint')
      },
    }
  },
})

test('a checkpoint that was kept whole, as before there were parts, is read', async () => {
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
