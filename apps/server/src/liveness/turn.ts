import type { HostName } from '@gantt/scheduler-core'
import type pg from 'pg'
import type { LivenessSource } from './liveness-source.ts'

/** Held by the replica that draws conclusions, for one look. */
const WATCH_LOCK = 0x67616e82

const LISTENED = `INSERT INTO liveness_watch AS watch (since_ms, until_ms) VALUES ($1, $1)
  ON CONFLICT (id) DO UPDATE SET until_ms = $1, since_ms = CASE WHEN $1 - watch.until_ms > $2 THEN $1 ELSE watch.since_ms END
  RETURNING since_ms`

/** When a host was last heard, by the store's time; undefined: never. */
export type LastOf = (host: HostName) => number | undefined

export interface TurnOptions {
  readonly pool: pg.Pool
  /** The name of the source. */
  readonly source: string
  /** When nobody looked for longer than this, nobody listened. */
  readonly breakMs: number
  /** What was heard; `now`: the store's time. */
  readLeases(client: pg.PoolClient, now: number): Promise<LastOf> | LastOf
}

/** One look: by the store's time, and by one replica at a time. What goes wrong in it leaves it as if nobody had looked. */
export async function lookInTurn(
  { pool, source, breakMs, readLeases }: TurnOptions,
  conclude: Parameters<LivenessSource['look']>[0],
): Promise<void> {
  const client = await pool.connect()
  let failure: Error | undefined
  try {
    await client.query(`BEGIN; SET LOCAL idle_in_transaction_session_timeout = '30s'`)
    const { rows: lock } = await client.query<{ mine: boolean; now: string }>(
      'SELECT pg_try_advisory_xact_lock($1) AS mine, (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now',
      [WATCH_LOCK],
    )
    const isMine = lock[0]?.mine === true
    const now = Number(lock[0]?.now)
    const { rows: watch } = isMine
      ? await client.query<{ since_ms: string }>(LISTENED, [now, breakMs])
      : await client.query<{ since_ms: string }>('SELECT since_ms FROM liveness_watch')
    const lastOf = await readLeases(client, now)
    await conclude({ source, now, listeningSince: Number(watch[0]?.since_ms ?? now), lastOf }, isMine)
    await client.query('COMMIT')
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error))
    // gives the turn back before the next look; where it is refused, the end of the connection does so later
    await client.query('ROLLBACK').catch(() => undefined)
    throw failure
  } finally {
    client.release(failure)
  }
}
