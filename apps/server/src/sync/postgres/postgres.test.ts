import pg from 'pg'
import { afterAll, beforeAll } from 'vitest'
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
