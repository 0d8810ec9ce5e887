import pg from 'pg'
import { UnavailableError } from '../unavailable.ts'

/** Watches whether the database answers, for a service that can run without it. */
export interface DatabaseWatch {
  /** Since when and why the database is unavailable; undefined while it answers. */
  readonly away: DatabaseAway | undefined
  /** Throws UnavailableError while the database does not answer. */
  assertThere(): void
  close(): Promise<void>
}

export interface DatabaseAway {
  /** The time of the first failed check, in milliseconds since 1970 by this machine's clock. */
  readonly since: number
  readonly reason: string
}

/** A watch that never reports an outage, for a service that cannot run without its database. Failed queries report the outage instead. */
export const askedAnyway: DatabaseWatch = { away: undefined, assertThere: () => {}, close: async () => {} }

export interface WatchOptions {
  /** Prepares the database, for example by migrations, before it is considered available. */
  prepare(): Promise<void>
  warn(message: string): void
}

const POLL_INTERVAL_MS = 1_000
const TIMEOUT_MS = 2_000

/** Checks the database each second. Resolves after the first check, which includes `prepare` if the database answers. */
export async function watchDatabase(connection: pg.ClientConfig, { prepare, warn }: WatchOptions): Promise<DatabaseWatch> {
  let client: pg.Client | undefined
  let isPrepared = false
  let isClosed = false
  let away: DatabaseAway | undefined = { since: Date.now(), reason: 'it has not been queried yet' }
  let hasWarned = false

  const leave = async (): Promise<void> => {
    const former = client
    client = undefined
    await former?.end().catch(() => undefined)
  }
  const ask = async (): Promise<void> => {
    if (client === undefined) {
      const next = new pg.Client({ ...connection, connectionTimeoutMillis: TIMEOUT_MS, query_timeout: TIMEOUT_MS, keepAlive: true })
      // if an idle connection ends, the next check notices it
      next.on('error', () => undefined)
      await next.connect()
      client = next
    }
    await client.query('SELECT 1')
    if (!isPrepared) await prepare()
    isPrepared = true
  }
  const look = async (): Promise<void> => {
    try {
      await ask()
      if (away === undefined) return
      if (hasWarned) warn(`the database is back after ${Math.round((Date.now() - away.since) / 1_000)} s; what waited is written`)
      away = undefined
      hasWarned = false
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      away = { since: away?.since ?? Date.now(), reason }
      if (!hasWarned) warn(`the database does not answer (${reason}): claims, reports and keys continue, and rows for its tables wait`)
      hasWarned = true
      await leave()
    }
  }
  let looking = look()
  await looking
  const timer = setInterval(() => {
    looking = looking.then(() => (isClosed ? undefined : look()))
  }, POLL_INTERVAL_MS)
  timer.unref()
  return {
    get away() {
      return away
    },
    assertThere() {
      if (away === undefined) return
      const seconds = Math.round((Date.now() - away.since) / 1_000)
      throw new UnavailableError('store', `the database has not answered for ${seconds} s; what is read from it cannot be answered now`)
    },
    async close() {
      isClosed = true
      clearInterval(timer)
      await looking
      await leave()
    },
  }
}
