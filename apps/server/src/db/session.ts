import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { StoreUnavailableError } from '../sync/synchronizer.ts'

/** A connection that is opened when it is needed, and reopened after it was lost. Statements run one at a time. */
export interface Session {
  query<Row extends pg.QueryResultRow>(query: pg.QueryConfig): Promise<pg.QueryResult<Row>>
  close(): Promise<void>
}

/** The server's limit for one statement, in milliseconds. */
export const STATEMENT_MS = 10_000
/**
 * How long the client waits for an answer, in milliseconds. This is longer than the server's own limit, so that the server's error arrives
 * first.
 */
const ANSWER_MS = 15_000

/** How long the client waits for a new connection, and for a free connection of a pool, in milliseconds. */
const CONNECTED_MS = 5_000

/**
 * How long Prisma waits for a transaction to start. This is longer than the pool's connection timeout, so that the pool's more precise
 * error arrives first. Prisma's default of 2 s is shorter than that timeout.
 */
export const TRANSACTIONS = { maxWait: CONNECTED_MS + 1_000 }

/** The usual settings of a connection. With these limits, a server that does not answer cannot block the caller. */
export const TIMEOUTS = {
  connectionTimeoutMillis: CONNECTED_MS,
  statement_timeout: STATEMENT_MS,
  idle_in_transaction_session_timeout: STATEMENT_MS,
  query_timeout: ANSWER_MS,
  keepAlive: true,
} satisfies pg.ClientConfig

/** SQLSTATE of a lock that was not granted in time. */
export const LOCK_TIMEOUT = '55P03'

/** Pauses before a statement that may be repeated is sent again, in milliseconds. */
const REPEAT_MS = [50, 200] as const

/** SQLSTATE classes of statements that are wrong themselves. They are defects of this service and never retried. */
const DEFECTS = /^(0A|22|23|26|2B|34|39|3D|3F|42|44)/

/** PostgreSQL's code of an error, or of the cause of a StoreUnavailableError. */
export function sqlState(error: unknown): string | undefined {
  if (error instanceof StoreUnavailableError) return sqlState(error.cause)
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/**
 * Returns errors of this service's own wrong statements unchanged. Any other error becomes a StoreUnavailableError: the store did not
 * answer, or it rolled back a statement that can be repeated.
 */
export function toStoreError(error: unknown): unknown {
  if (error instanceof StoreUnavailableError || DEFECTS.test(sqlState(error) ?? '')) return error
  return new StoreUnavailableError(error instanceof Error ? error.message : String(error), { cause: error })
}

/** Returns true if a connection is usable after an error, because only the statement was refused. */
const isAlive = (error: unknown): boolean => error instanceof pg.DatabaseError && error.severity === 'ERROR'

/** Sends statements to a PostgreSQL server. The simulator implements it with a simulated server. */
export interface Driver {
  /** One connection, which is reopened after it was lost. `prepare` runs on each new connection, and `onEnd` after each loss. */
  session(prepare: (client: Prepared) => Promise<unknown>, onEnd?: () => void): Session
  /** Runs statements that are not urgent and may be repeated, on any connection. */
  query<Row extends pg.QueryResultRow>(query: pg.QueryConfig): Promise<pg.QueryResult<Row>>
  /** Runs statements in one transaction, on a separate connection. */
  transaction<T>(use: (query: Query) => Promise<T>): Promise<T>
  close(): Promise<void>
}

type Query = <Row extends pg.QueryResultRow>(query: pg.QueryConfig) => Promise<pg.QueryResult<Row>>

/** A new connection before its first use. */
export interface Prepared {
  query(text: string): Promise<unknown>
  on(event: 'notification', listener: (message: { readonly payload?: string | undefined }) => void): unknown
}

/** Connections of the driver `pg`. */
export function createPgDriver(connection: pg.ClientConfig): Driver {
  const pool = new pg.Pool({ ...TIMEOUTS, ...connection, max: 2, idleTimeoutMillis: 10_000 })
  pool.on('error', () => undefined) // the pool opens another connection when it needs one
  return {
    session: (prepare, onEnd) => createSession(connection, prepare, onEnd),
    async query(query) {
      for (let tries = 0; ; tries++) {
        try {
          return await pool.query(query)
        } catch (error) {
          const pause = REPEAT_MS[tries]
          const fault = toStoreError(error)
          if (!(fault instanceof StoreUnavailableError) || pause === undefined) throw fault
          await sleep(pause)
        }
      }
    },
    async transaction(use) {
      const client = await pool.connect().catch((error: unknown) => {
        throw toStoreError(error)
      })
      // the connection can end between two statements; the next statement then fails
      client.on('error', () => undefined)
      try {
        // the rows of this transaction must be durable once it is committed, whatever the server's default for synchronous_commit
        await client.query('BEGIN; SET LOCAL synchronous_commit = on')
        const result = await use((query) => client.query(query))
        await client.query('COMMIT')
        return result
      } catch (error) {
        throw toStoreError(error)
      } finally {
        client.release(true)
      }
    },
    close: () => pool.end(),
  }
}

/** `prepare` runs on each new connection. A failed connection throws StoreUnavailableError. */
function createSession(
  connection: pg.ClientConfig,
  prepare: (client: Prepared) => Promise<unknown>,
  onEnd: () => void = () => {},
): Session {
  let client: Promise<pg.Client> | undefined
  let closed = false

  const open = (): Promise<pg.Client> => {
    // with timeouts, because an answer that the network loses must not block all later statements
    const fresh = new pg.Client({ ...TIMEOUTS, ...connection })
    const opened = fresh
      .connect()
      .then(() => prepare(fresh))
      .then(() => fresh)
    const forget = (): void => {
      if (client === opened) client = undefined
      if (!closed) onEnd()
    }
    fresh.on('error', forget)
    fresh.once('end', forget)
    return opened
  }

  let last: Promise<unknown> = Promise.resolve()
  const run = async <Row extends pg.QueryResultRow>(query: pg.QueryConfig): Promise<pg.QueryResult<Row>> => {
    if (closed) throw new StoreUnavailableError('the connection to the store is closed')
    client ??= open()
    const used = client
    try {
      return await (await used).query<Row>(query)
    } catch (error) {
      if (!isAlive(error)) {
        if (client === used) client = undefined
        // after a failure the connection is not used again, even if it cannot be closed
        void used.then((broken) => broken.end()).catch(() => undefined)
      }
      throw toStoreError(error)
    }
  }

  return {
    query<Row extends pg.QueryResultRow>(query: pg.QueryConfig) {
      const result = last.then(() => run<Row>(query))
      last = result.catch(() => undefined)
      return result
    },
    async close() {
      closed = true
      const open = await client?.catch(() => undefined)
      client = undefined
      await open?.end()
    },
  }
}
