import { type HostName, hostKey } from '@gantt/scheduler-core'
import pg from 'pg'
import type { Heard, LivenessSource } from './liveness-source.ts'

/** Held by the replica that draws conclusions, for one look. */
const WATCH_LOCK = 0x67616e82
const FLUSH_MS = 1_000

const RENEW = `INSERT INTO lease (host, node, heard_at_ms)
  SELECT host, node, (extract(epoch FROM clock_timestamp()) * 1000)::bigint FROM unnest($1::text[], $2::text[]) AS heard (host, node)
  ON CONFLICT (host, node) DO UPDATE SET heard_at_ms = greatest(lease.heard_at_ms, excluded.heard_at_ms)`

const LISTENED = `INSERT INTO liveness_watch AS watch (since_ms, until_ms) VALUES ($1, $1)
  ON CONFLICT (id) DO UPDATE SET until_ms = $1, since_ms = CASE WHEN $1 - watch.until_ms > $2 THEN $1 ELSE watch.since_ms END
  RETURNING since_ms`

export interface ReportsOptions {
  readonly connection: pg.ClientConfig
  /** When nobody looked for longer than this, nobody listened. */
  readonly breakMs: number
  warn(message: string): void
}

/** Hosts are alive while they report or send heartbeats to any replica: leases in the database, renewed in batches. */
export function createReportsLiveness({ connection, breakMs, warn }: ReportsOptions): LivenessSource {
  const pool = new pg.Pool({ ...connection, max: 2, connectionTimeoutMillis: 5_000, query_timeout: 15_000 })
  pool.on('error', () => undefined) // an idle connection ended: the pool opens another when it needs one
  let waiting = new Map<string, HostName>()
  let flushing: Promise<void> | undefined
  let isTold = false

  const write = async (): Promise<void> => {
    const batch = waiting
    waiting = new Map()
    // in one order everywhere, so that two replicas do not wait for each other
    const hosts = [...batch].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, host]) => host)
    try {
      await pool.query(RENEW, [hosts.map(({ host }) => host), hosts.map(({ node }) => node)])
      isTold = false
    } catch (error) {
      for (const [key, host] of batch) waiting.set(key, host)
      if (!isTold) warn(`signs of life could not be kept, and are tried again: ${error instanceof Error ? error.message : String(error)}`)
      isTold = true
    }
  }
  const flush = async (): Promise<void> => {
    while (flushing !== undefined) await flushing
    if (waiting.size === 0) return
    flushing = write().finally(() => {
      flushing = undefined
    })
    await flushing
  }
  const timer = setInterval(() => void flush(), FLUSH_MS)
  timer.unref()

  return {
    name: 'reports',
    heard(hosts) {
      for (const { host, node } of hosts) waiting.set(hostKey({ host, node }), { host, node })
    },
    flush,
    async look(conclude) {
      await flush()
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
        const { rows: leases } = await client.query<{ host: string; node: string; heard_at_ms: string }>(
          'SELECT host, node, heard_at_ms FROM lease',
        )
        const last = new Map(leases.map(({ host, node, heard_at_ms }) => [hostKey({ host, node }), Number(heard_at_ms)]))
        const heard: Heard = {
          source: 'reports',
          now,
          listeningSince: Number(watch[0]?.since_ms ?? now),
          lastOf: (host) => last.get(hostKey(host)),
        }
        await conclude(heard, isMine)
        await client.query('COMMIT')
      } catch (error) {
        failure = error instanceof Error ? error : new Error(String(error))
        throw failure
      } finally {
        client.release(failure)
      }
    },
    async close() {
      clearInterval(timer)
      await flush()
      await pool.end()
    },
  }
}
