import { createHash, randomBytes } from 'node:crypto'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { migrate, readMigrations } from '../db/migrate.ts'
import { type EmbeddedPostgres, type PostgresConnection, startEmbeddedPostgres } from '../embedded-postgres/index.ts'

export type TestDatabase = {
  readonly name: string
  readonly connection: PostgresConnection
  readonly url: string
  /** Ends every session on the database and removes it. */
  drop(): Promise<void>
}

const TEMPLATE_LOCK = 0x67616e76
const ABANDONED_AFTER_S = 24 * 3600

/** All test runs of one user account share this server. The first run starts it, and the last one stops it. */
export function startTestServer(): Promise<EmbeddedPostgres> {
  const stateDir = path.join(os.tmpdir(), `gantt-test-${process.getuid?.() ?? 'user'}`)
  // test data need not survive a crash of the machine
  return startEmbeddedPostgres({ stateDir, settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' } })
}

/** An empty database with all migrations on a real server. Each test file creates one and drops it in `afterAll`. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const server = await startTestServer()
  const name = `gantt_test_${nowInSeconds()}_${randomBytes(6).toString('hex')}`
  try {
    await withAdmin(server, async (admin) => {
      const template = await makeTemplate(server, admin)
      await admin.query(`CREATE DATABASE ${name} TEMPLATE ${template}`)
    })
  } catch (error) {
    await server.stop()
    throw error
  }

  return {
    name,
    connection: server.connection(name),
    url: server.url(name),
    async drop() {
      await withAdmin(server, (admin) => admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`))
      await server.stop()
    },
  }
}

/** Removes databases that killed test runs left on the server. */
export async function removeAbandonedDatabases(server: EmbeddedPostgres): Promise<void> {
  await withAdmin(server, async (admin) => {
    const { rows } = await admin.query<{ datname: string }>(`SELECT datname FROM pg_database WHERE datname LIKE 'gantt_test_%'`)
    for (const { datname } of rows) {
      const madeAt = Number(datname.split('_')[2])
      if (nowInSeconds() - madeAt > ABANDONED_AFTER_S) await admin.query(`DROP DATABASE IF EXISTS ${datname} WITH (FORCE)`)
    }
  })
}

/**
 * A template database, created once for each state of the migrations. The database gets the name of a template only when it is complete.
 */
async function makeTemplate(server: EmbeddedPostgres, admin: pg.Client): Promise<string> {
  const migrations = readMigrations()
  const hash = createHash('sha256').update(JSON.stringify(migrations.map(({ name, checksum }) => [name, checksum])))
  const template = `gantt_template_${hash.digest('hex').slice(0, 16)}`
  await admin.query('SELECT pg_advisory_lock($1)', [TEMPLATE_LOCK])
  const { rowCount } = await admin.query('SELECT FROM pg_database WHERE datname = $1', [template])
  if (rowCount === 0) {
    const unfinished = `${template}_unfinished`
    await admin.query(`DROP DATABASE IF EXISTS ${unfinished} WITH (FORCE)`)
    await admin.query(`CREATE DATABASE ${unfinished}`)
    await migrate(server.connection(unfinished), migrations)
    await admin.query(`ALTER DATABASE ${unfinished} RENAME TO ${template}`)
  }
  await admin.query('SELECT pg_advisory_unlock($1)', [TEMPLATE_LOCK])
  return template
}

async function withAdmin<T>(server: EmbeddedPostgres, work: (admin: pg.Client) => Promise<T>): Promise<T> {
  const admin = new pg.Client(server.connection())
  await admin.connect()
  try {
    return await work(admin)
  } finally {
    await admin.end()
  }
}

function nowInSeconds(): number {
  return Math.floor(Date.now() / 1000)
}
