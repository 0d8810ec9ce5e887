import { hostKey } from '@gantt/scheduler-core'
import pg from 'pg'
import type { LastOf, LeaseStore } from '../../stores/leases.ts'
import { TIMEOUTS } from '../session.ts'

/** The lock that a replica holds while it evaluates the leases. */
const WATCH_LOCK = 0x67616e82

const LISTENED = `INSERT INTO liveness_watch AS watch (since_ms, until_ms) VALUES ($1, $1)
  ON CONFLICT (id) DO UPDATE SET until_ms = $1, since_ms = CASE WHEN $1 - watch.until_ms > $2 THEN $1 ELSE watch.since_ms END
  RETURNING since_ms`

const RENEW = `INSERT INTO lease (host, node, heard_at_ms)
  SELECT host, node, (extract(epoch FROM clock_timestamp()) * 1000)::bigint FROM unnest($1::text[], $2::text[]) AS heard (host, node)
  ON CONFLICT (host, node) DO UPDATE SET heard_at_ms = greatest(lease.heard_at_ms, excluded.heard_at_ms)`

/** Selects all leases, a thousand per row, because reading one row per lease would take most of the time of a read. */
const READ = `SELECT json_agg(host), json_agg(node), json_agg(heard_at_ms)
  FROM (SELECT host, node, heard_at_ms, row_number() OVER () / 1000 AS part FROM lease) AS numbered GROUP BY part`

/** Ignores that a connection ends between two statements, because the next statement then fails. */
const ignored = (): void => {}

/** Leases in a table. `isMine` is true for the reader that holds the lock. */
export function createLeaseStore(connection: pg.ClientConfig): LeaseStore {
  const { connectionTimeoutMillis, query_timeout } = TIMEOUTS
  const pool = new pg.Pool({ connectionTimeoutMillis, query_timeout, ...connection, max: 2 })
  pool.on('error', () => undefined) // the pool opens another connection when it needs one
  return {
    async renew(hosts) {
      // sorted, so that two replicas lock rows in the same order and do not deadlock
      const sorted = hosts.map((host) => [hostKey(host), host] as const).sort(([a], [b]) => (a < b ? -1 : 1))
      await pool.query(RENEW, [sorted.map(([, { host }]) => host), sorted.map(([, { node }]) => node)])
    },
    async look(breakMs, conclude) {
      const client = await pool.connect()
      client.on('error', ignored)
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
        await conclude({ isMine, now, listeningSince: Number(watch[0]?.since_ms ?? now), leases: () => readLeases(client) })
        await client.query('COMMIT')
      } catch (error) {
        failure = error instanceof Error ? error : new Error(String(error))
        // releases the lock before the next read; if ROLLBACK fails, the lock is released when the connection ends
        await client.query('ROLLBACK').catch(() => undefined)
        throw failure
      } finally {
        client.off('error', ignored)
        client.release(failure)
      }
    },
    close: () => pool.end(),
  }
}

async function readLeases(client: pg.PoolClient): Promise<LastOf> {
  const { rows } = await client.query<[hosts: string[], nodes: string[], heardAtMs: number[]]>({ text: READ, rowMode: 'array' })
  const last = new Map<string, number>()
  for (const [hosts, nodes, heardAtMs] of rows)
    for (const [i, host] of hosts.entries()) last.set(hostKey({ host, node: nodes[i] as string }), heardAtMs[i] as number)
  return (host) => last.get(hostKey(host))
}
