import { type HostName, hostKey } from '@gantt/scheduler-core'
import pg from 'pg'
import type { LivenessSource } from './liveness-source.ts'
import { type LastOf, lookInTurn } from './turn.ts'

const FLUSH_MS = 1_000

const RENEW = `INSERT INTO lease (host, node, heard_at_ms)
  SELECT host, node, (extract(epoch FROM clock_timestamp()) * 1000)::bigint FROM unnest($1::text[], $2::text[]) AS heard (host, node)
  ON CONFLICT (host, node) DO UPDATE SET heard_at_ms = greatest(lease.heard_at_ms, excluded.heard_at_ms)`

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
      await lookInTurn({ pool, breakMs, source: 'reports', readLeases }, conclude)
    },
    async close() {
      clearInterval(timer)
      await flush()
      await pool.end()
    },
  }
}

async function readLeases(client: pg.PoolClient): Promise<LastOf> {
  const { rows: leases } = await client.query<{ host: string; node: string; heard_at_ms: string }>(
    'SELECT host, node, heard_at_ms FROM lease',
  )
  const last = new Map(leases.map(({ host, node, heard_at_ms }) => [hostKey({ host, node }), Number(heard_at_ms)]))
  return (host) => last.get(hostKey(host))
}
