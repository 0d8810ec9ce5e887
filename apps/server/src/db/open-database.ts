import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../embedded-postgres/index.ts'
import { migrate } from './migrate.ts'
import { untilReachable } from './until-reachable.ts'

export type DatabaseOptions = {
  /** A PostgreSQL server of the operator's own; without it the embedded one is used. */
  readonly databaseUrl?: string
  /** Where the embedded server keeps its files. */
  readonly stateDir?: string
  /** The embedded server is wanted alone: `postgres.in_use` where another process owns it already. */
  readonly alone?: boolean
  /** Left out: it is. Else a server of the operator's own may be away: whoever uses it finds out when it is there, and migrates it. */
  readonly isAwaited?: boolean
  /** A server of the operator's own that cannot be reached is waited for until this is aborted. Left out: that is an error at once. */
  readonly stopped?: AbortSignal
  /** Hears what is waited for. */
  readonly warn?: (message: string) => void
  /** The embedded server ended. Pools reconnect by themselves once it is back; LISTEN and what was cached must be renewed. */
  readonly onLost?: () => void
  /** It is back, with the outcome of starting it again. */
  readonly onRecovered?: (mode: EmbeddedPostgres['mode']) => void
}

export type Database = {
  /** For `pg` and for Prisma's adapter. */
  readonly connection: pg.ClientConfig
  readonly url: string
  /** How the server was come by; `external` is the operator's own. */
  readonly mode: EmbeddedPostgres['mode'] | 'external'
  /** The migrations applied by this call. */
  readonly applied: readonly string[]
  /** Close your pools first. The last process on an embedded server stops it. */
  close(): Promise<void>
}

const NAME = 'gantt'
/** Held while the database is made, in the server's database `postgres`. */
const CREATION_LOCK = 0x67616e77
const RETRY_AFTER_MS = 500

/** A migrated database: on the server behind `databaseUrl`, else on the embedded one, started or joined as needed. */
export async function openDatabase(options: DatabaseOptions = {}): Promise<Database> {
  return options.databaseUrl === undefined ? openEmbedded(options) : openExternal(options.databaseUrl, options)
}

async function openExternal(url: string, { isAwaited = true, stopped, warn = () => {} }: DatabaseOptions): Promise<Database> {
  const connection = { connectionString: url }
  const migrated = () => (stopped === undefined ? migrate(connection) : untilReachable(() => migrate(connection), { url, stopped, warn }))
  const applied = isAwaited ? await migrated() : []
  return { connection, url, mode: 'external', applied, close: async () => {} }
}

async function openEmbedded({ stateDir, alone = false, onLost = () => {}, onRecovered = () => {} }: DatabaseOptions): Promise<Database> {
  let isClosed = false
  let recovery: Promise<void> | undefined

  const start = () =>
    startEmbeddedPostgres({
      ...(stateDir === undefined ? {} : { stateDir }),
      alone,
      onLost: () => {
        if (isClosed) return
        onLost()
        recovery = recover()
      },
    })
  /** Tries until it succeeds: a service without its database has nothing else to do. */
  const recover = async (): Promise<void> => {
    while (!isClosed) {
      try {
        server = await start()
        return onRecovered(server.mode)
      } catch {
        await sleep(RETRY_AFTER_MS)
      }
    }
  }

  let server = await start()
  try {
    await createOnce(server)
    const applied = await migrate(server.connection(NAME))
    return {
      connection: server.connection(NAME),
      url: server.url(NAME),
      mode: server.mode,
      applied,
      async close() {
        isClosed = true
        await recovery
        await server.stop()
      },
    }
  } catch (error) {
    isClosed = true
    await server.stop()
    throw error
  }
}

async function createOnce(server: EmbeddedPostgres): Promise<void> {
  const admin = new pg.Client(server.connection())
  await admin.connect()
  try {
    await admin.query('SELECT pg_advisory_lock($1)', [CREATION_LOCK])
    const { rowCount } = await admin.query('SELECT FROM pg_database WHERE datname = $1', [NAME])
    if (rowCount === 0) await admin.query(`CREATE DATABASE ${NAME}`)
  } finally {
    await admin.end()
  }
}
