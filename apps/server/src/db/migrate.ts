import { createHash, randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { TIMEOUTS } from './session.ts'

export type Migration = { readonly name: string; readonly sql: string; readonly checksum: string }

export const migrationCodes = ['migration.edited', 'migration.unfinished', 'migration.failed'] as const

/**
 * Thrown if a migration cannot be applied. `code` is the kind of failure; `message` explains it, and says what to do if there is a remedy.
 */
export class MigrationError extends Error {
  override readonly name = 'MigrationError'
  readonly code: (typeof migrationCodes)[number]

  constructor(code: MigrationError['code'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** The lock that is held during migrations. If processes start together, one of them migrates. */
const MIGRATION_LOCK = 0x67616e75

/**
 * Migrates the database to the newest schema and returns the names of the applied migrations. The applied migrations are recorded as Prisma
 * records them. Prisma's command line therefore accepts the database. Each migration is one transaction.
 */
export async function migrate(connection: pg.ClientConfig, migrations: readonly Migration[] = readMigrations()): Promise<string[]> {
  const client = new pg.Client({ connectionTimeoutMillis: TIMEOUTS.connectionTimeoutMillis, keepAlive: true, ...connection })
  await client.connect()
  try {
    await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK])
    await client.query(CREATE_BOOKKEEPING)
    const pending = pendingOf(migrations, await readApplied(client))
    for (const migration of pending) await apply(client, migration)
    return pending.map((migration) => migration.name)
  } finally {
    await client.end()
  }
}

/** The migrations of this release, oldest first. */
export function readMigrations(folder = findMigrationsFolder()): Migration[] {
  return readdirSync(folder)
    .filter((name) => existsSync(path.join(folder, name, 'migration.sql')))
    .sort()
    .map((name) => {
      const sql = readFileSync(path.join(folder, name, 'migration.sql'), 'utf8')
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
    })
}

/**
 * The folder `prisma/migrations` in the nearest folder above this file. The result is the same whether this file runs in `src` or in
 * `dist`.
 */
function findMigrationsFolder(): string {
  for (let folder = path.dirname(fileURLToPath(import.meta.url)); ; folder = path.dirname(folder)) {
    const migrations = path.join(folder, 'prisma', 'migrations')
    if (existsSync(migrations)) return migrations
    if (folder === path.dirname(folder))
      throw new Error('There is no folder prisma/migrations above this file; the installation is incomplete.')
  }
}

type Applied = { readonly migration_name: string; readonly checksum: string; readonly finished_at: Date | null }

const CREATE_BOOKKEEPING = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
  id VARCHAR(36) PRIMARY KEY NOT NULL,
  checksum VARCHAR(64) NOT NULL,
  finished_at TIMESTAMPTZ,
  migration_name VARCHAR(255) NOT NULL,
  logs TEXT,
  rolled_back_at TIMESTAMPTZ,
  started_at TIMESTAMPTZ NOT NULL DEFAULT now(),
  applied_steps_count INTEGER NOT NULL DEFAULT 0
)`

async function readApplied(client: pg.Client): Promise<Map<string, Applied>> {
  const { rows } = await client.query<Applied>(
    'SELECT migration_name, checksum, finished_at FROM _prisma_migrations WHERE rolled_back_at IS NULL',
  )
  return new Map(rows.map((row) => [row.migration_name, row]))
}

function pendingOf(migrations: readonly Migration[], applied: ReadonlyMap<string, Applied>): Migration[] {
  return migrations.filter(({ name, checksum }) => {
    const row = applied.get(name)
    if (row === undefined) return true
    if (row.finished_at === null) {
      throw new MigrationError(
        'migration.unfinished',
        `Migration ${name} was begun by another tool and not finished. Resolve it with the Prisma command line.`,
      )
    }
    if (row.checksum !== checksum) {
      throw new MigrationError(
        'migration.edited',
        `Migration ${name} differs from the one applied to this database. Use the release that applied it, or a new database.`,
      )
    }
    return false
  })
}

async function apply(client: pg.Client, { name, sql, checksum }: Migration): Promise<void> {
  try {
    await client.query('BEGIN')
    await client.query(sql)
    await client.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
       VALUES ($1, $2, $3, now(), now(), 1)`,
      [randomUUID(), checksum, name],
    )
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    const reason = error instanceof Error ? error.message : String(error)
    throw new MigrationError('migration.failed', `Migration ${name} failed and was undone: ${reason}`, { cause: error })
  }
}
