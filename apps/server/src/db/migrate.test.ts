import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts'
import { MigrationError, migrate, readMigrations } from './migrate.ts'

let database: TestDatabase
let client: pg.Client

beforeAll(async () => {
  database = await createTestDatabase()
  client = new pg.Client(database.connection)
  client.on('error', () => {})
  await client.connect()
})

afterAll(async () => {
  await client.end()
  await database.drop()
})

const migration = (name: string, sql: string) => ({ name, sql, checksum: `checksum of ${sql}` })

test('a test database has the newest schema and the first epoch', async () => {
  expect(await migrate(database.connection)).toEqual([])
  const { rows } = await client.query('SELECT id, epoch FROM store_epoch')
  expect(rows).toEqual([{ id: 1, epoch: 1 }])
})

test('if several processes start together, one of them applies a migration', async () => {
  const migrations = [...readMigrations(), migration('29990101000000_together', 'CREATE TABLE together (id int)')]
  const applied = await Promise.all([1, 2, 3, 4].map(() => migrate(database.connection, migrations)))
  expect(applied.flat()).toEqual(['29990101000000_together'])
})

test('a migration that fails changes nothing', async () => {
  const broken = migration('29990102000000_broken', 'CREATE TABLE half (id int); SELECT 1/0')
  await expect(migrate(database.connection, [broken])).rejects.toMatchObject({ code: 'migration.failed' })
  const { rows } = await client.query(
    `SELECT to_regclass('half') AS half, (SELECT count(*)::int FROM _prisma_migrations WHERE migration_name LIKE '%broken') AS kept`,
  )
  expect(rows).toEqual([{ half: null, kept: 0 }])
})

test('a migration that was edited after it was applied is refused', async () => {
  const [first] = readMigrations()
  const edited = { name: first?.name ?? '', sql: 'SELECT 1', checksum: 'another' }
  await expect(migrate(database.connection, [edited])).rejects.toBeInstanceOf(MigrationError)
})
