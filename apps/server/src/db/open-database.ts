import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../embedded-postgres/index.ts'
import { migrate } from './migrate.ts'
import { untilReachable } from './until-reachable.ts'

export type DatabaseOptions = {
  /** The operator's own PostgreSQL server; absent: the embedded one is used. */
  readonly databaseUrl?: string
  /** The folder of the embedded server's files. */
  readonly stateDir?: string
  /** True if the embedded server must not be shared. If another process already owns the server, `postgres.in_use` is thrown. */
  readonly alone?: boolean
  /** If false, an external server may be unavailable at the start, and the caller migrates the database once it answers. Default: true. */
  readonly isAwaited?: boolean
  /**
   * If an external server cannot be reached, the start waits for it until this signal is aborted. Without the signal, an unreachable server
   * is an error at once.
   */
  readonly stopped?: AbortSignal
  /** Gets messages about what the start waits for. */
  readonly warn?: (message: string) => void
  /**
   * Called when the embedded server ended. Pools reconnect by themselves once the server runs again. The caller must renew LISTEN and its
   * caches.
   */
  readonly onLost?: () => void
  /** Called when the server runs again, with how this process got the server: started, attached or adopted. */
  readonly onRecovered?: (mode: EmbeddedPostgres['mode']) => void
}

export type Database = {
  /** The connection settings for `pg` and for Prisma's adapter. */
  readonly connection: pg.ClientConfig
  readonly url: string
  /** The kind of server. `external` is the operator's own. */
  readonly mode: EmbeddedPostgres['mode'] | 'external'
  /** The migrations applied by this call. */
  readonly applied: readonly string[]
  /** Closes the database. All pools must be closed first. The last process that uses an embedded server stops it. */
  close(): Promise<void>
}

const NAME = 'gantt'
/** A lock in the server's database `postgres`. It is held while the service's own database is created. */
const CREATION_LOCK = 0x67616e77
const RETRY_AFTER_MS = 500

/**
 * Opens a migrated database on the server at `databaseUrl`. Without a URL, the embedded server is started, or joined if it runs already.
 */
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
  /** Retries until the server runs again, because the service needs its database. */
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
