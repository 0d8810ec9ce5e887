import pg from 'pg'
import { StoreUnavailableError } from '../synchronizer.ts'

/** One connection that is opened when needed and opened anew after a loss. Statements run one at a time. */
export interface Session {
  query<Row extends pg.QueryResultRow>(query: pg.QueryConfig): Promise<pg.QueryResult<Row>>
  close(): Promise<void>
}

/** How long an answer may take: longer than the server's own statement time-out, so that its word comes first. */
const ANSWER_MS = 15_000

/** SQLSTATE classes that say that the statement was refused for what it is: a defect of ours, never retried. */
const DEFECTS = /^(0A|22|23|26|2B|34|39|3D|3F|42|44)/

export const sqlState = (error: unknown): string | undefined =>
  error !== null && typeof error === 'object' && 'code' in error && typeof error.code === 'string' ? error.code : undefined

/** How statements reach a PostgreSQL server. The simulator has a server of its own. */
export interface Driver {
  /** One connection, opened anew after a loss; `prepare` runs on each new one, `onEnd` after each loss. */
  session(prepare: (client: Prepared) => Promise<unknown>, onEnd?: () => void): Session
  /** Statements that are in no hurry, on any connection. */
  query<Row extends pg.QueryResultRow>(query: pg.QueryConfig): Promise<pg.QueryResult<Row>>
  /** Statements that count all or none, on a connection of their own. */
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
  const pool = new pg.Pool({ ...connection, max: 2, connectionTimeoutMillis: 5_000, idleTimeoutMillis: 10_000 })
  pool.on('error', () => undefined) // an idle connection ended: the pool opens another when it needs one
  return {
    session: (prepare, onEnd) => createSession(connection, prepare, onEnd),
    query: (query) => pool.query(query),
    async transaction(use) {
      const client = await pool.connect()
      try {
        await client.query('BEGIN')
        const result = await use((query) => client.query(query))
        await client.query('COMMIT')
        return result
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
    // a network that swallows an answer must not hold up everything behind it
    const fresh = new pg.Client({ connectionTimeoutMillis: 5_000, query_timeout: ANSWER_MS, keepAlive: true, ...connection })
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
      const state = sqlState(error)
      if (state !== undefined && (DEFECTS.test(state) || state === '55P03' || state === '40001' || state === '40P01')) throw error
      if (client === used) client = undefined
      // a connection that failed once is not trusted again; whether it can still be closed does not matter
      void used.then((broken) => broken.end()).catch(() => undefined)
      throw new StoreUnavailableError(error instanceof Error ? error.message : String(error), { cause: error })
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
