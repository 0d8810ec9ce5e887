import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { StoreUnavailableError } from '../sync/synchronizer.ts'

/** One connection that is opened when needed and reopened after a loss. Statements run one at a time. */
export interface Session {
  query<Row extends pg.QueryResultRow>(query: pg.QueryConfig): Promise<pg.QueryResult<Row>>
  close(): Promise<void>
}

/** The longest time for which the server works on one statement, milliseconds. */
export const STATEMENT_MS = 10_000
/** The timeout of an answer: longer than the server's own timeout, so that the server's error arrives first. */
const ANSWER_MS = 15_000

/** How long anything waits for a connection, milliseconds: for a new one to be open, and for one of a pool to be free. */
const CONNECTED_MS = 5_000

/**
 * How long Prisma waits for a transaction to begin: longer than its pool waits for a connection, so that the pool's error arrives first,
 * which says why. Prisma's own 2 s would end the wait before.
 */
export const TRANSACTIONS = { maxWait: CONNECTED_MS + 1_000 }

/** Settings of every connection of the service, so that a server that does not answer cannot block the caller. */
export const TIMEOUTS = {
  connectionTimeoutMillis: CONNECTED_MS,
  statement_timeout: STATEMENT_MS,
  idle_in_transaction_session_timeout: STATEMENT_MS,
  query_timeout: ANSWER_MS,
  keepAlive: true,
} satisfies pg.ClientConfig

/** SQLSTATE of a lock that was not granted in time. */
export const LOCK_TIMEOUT = '55P03'

/** Pauses before a statement that may be repeated is sent again. */
const REPEAT_MS = [50, 200] as const

/** SQLSTATE classes for statements that are themselves wrong: a defect of this service, never retried. */
const DEFECTS = /^(0A|22|23|26|2B|34|39|3D|3F|42|44)/

/** PostgreSQL's code of an error, or of the cause of a StoreUnavailableError. */
export function sqlState(error: unknown): string | undefined {
  if (error instanceof StoreUnavailableError) return sqlState(error.cause)
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/**
 * Rethrows errors of this service's own statements; for any other error, the store did not answer, or rolled back a
 * repeatable statement.
 */
export function toStoreError(error: unknown): unknown {
  if (error instanceof StoreUnavailableError || DEFECTS.test(sqlState(error) ?? '')) return error
  return new StoreUnavailableError(error instanceof Error ? error.message : String(error), { cause: error })
}

/** Whether a connection can still be used after an error, because the server itself refused the statement. */
const isAlive = (error: unknown): boolean => error instanceof pg.DatabaseError && error.severity === 'ERROR'

/** How statements reach a PostgreSQL server. The simulator implements it with a simulated server. */
export interface Driver {
  /** One connection, reopened after a loss; `prepare` runs on each new one, `onEnd` after each loss. */
  session(prepare: (client: Prepared) => Promise<unknown>, onEnd?: () => void): Session
  /** Runs statements that are not urgent and may be repeated, on any connection. */
  query<Row extends pg.QueryResultRow>(query: pg.QueryConfig): Promise<pg.QueryResult<Row>>
  /** Runs statements in one transaction, on a connection of its own. */
  transaction<T>(use: (query: Query) => Promise<T>): Promise<T>
  close(): Promise<void>
}

type Query = <Row extends pg.QueryResultRow>(query: pg.QueryConfig) => Promise<pg.QueryResult<Row>>

/** A connection that is being made ready. */
export interface Prepared {
  query(text: string): Promise<unknown>
  on(event: 'notification', listener: (message: { readonly payload?: string | undefined }) => void): unknown
}

/** Connections of the driver `pg`. */
export function createPgDriver(connection: pg.ClientConfig): Driver {
  const pool = new pg.Pool({ ...TIMEOUTS, ...connection, max: 2, idleTimeoutMillis: 10_000 })
  pool.on('error', () => undefined) // an idle connection ended: the pool opens another when it needs one
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
      // the connection may end between two statements
      client.on('error', () => undefined)
      try {
        // rows of the other stores are durable once they are committed, whatever the server's default for synchronous_commit
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

/** `prepare` runs on each new connection. A failure of the connection is a StoreUnavailableError. */
function createSession(
  connection: pg.ClientConfig,
  prepare: (client: Prepared) => Promise<unknown>,
  onEnd: () => void = () => {},
): Session {
  let client: Promise<pg.Client> | undefined
  let closed = false

  const open = (): Promise<pg.Client> => {
    // a network that loses an answer must not block all later statements
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
        // after a failure the connection is not used again, whether or not it can still be closed
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
