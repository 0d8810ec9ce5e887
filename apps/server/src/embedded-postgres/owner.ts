import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { EmbeddedPostgresError } from './error.ts'
import { askToStop, findPostmaster, isPostmaster } from './postmaster.ts'
import type { StateDir } from './state-dir.ts'

/**
 * `stopped`: this process was the last owner and stopped the server. `left`: other owners still use the server. `gone`: the server had
 * already ended.
 */
export type Departure = 'stopped' | 'left' | 'gone'

/** A shared lock that every owner holds while its connection is open. The server itself releases it when an owner dies. */
const OWNERS_LOCK = 0x67616e74
/** An exclusive lock for an owner that needs the server alone. If several start at once, exactly one gets it. */
const ALONE_LOCK = 0x67616e78
const STOP_TIMEOUT_MS = 30_000
const POLL_INTERVAL_MS = 10

/**
 * Joins the owners of the server. Returns the connection that makes this process an owner, and how many owners there are. With `alone`,
 * throws `postgres.in_use` if there is another owner, or if another process that needs the server alone was faster.
 */
export async function joinOwners(connection: pg.ClientConfig, alone = false): Promise<{ client: pg.Client; owners: number }> {
  const client = new pg.Client({ ...connection, application_name: `gantt owner ${process.pid}` })
  client.on('error', () => {}) // the connection to the server was lost; the event 'end' follows
  try {
    await client.connect()
    if (alone) await takeAlone(client)
    await client.query('SELECT pg_advisory_lock_shared($1)', [OWNERS_LOCK]) // waits while a leaving owner stops the server
    const { rows } = await client.query<{ owners: number }>(
      `SELECT count(*)::int AS owners FROM pg_locks WHERE locktype = 'advisory' AND objid = $1 AND granted`,
      [OWNERS_LOCK],
    )
    const owners = rows[0]?.owners ?? 1
    if (alone && owners > 1) throw inUse()
    return { client, owners }
  } catch (error) {
    client.end().catch(() => {})
    throw error
  }
}

async function takeAlone(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS taken', [ALONE_LOCK])
  if (rows[0]?.taken !== true) throw inUse()
}

const inUse = () =>
  new EmbeddedPostgresError('postgres.in_use', 'Another process uses the embedded PostgreSQL server, which this process needs alone.')

/**
 * Ends the ownership of this process. The last owner stops the server. No process can join meanwhile, because joining waits for the lock.
 */
export async function leaveOwners(client: pg.Client, stateDir: StateDir): Promise<Departure> {
  try {
    await client.query('SELECT pg_advisory_unlock_shared($1)', [OWNERS_LOCK])
    const { rows } = await client.query<{ last: boolean }>('SELECT pg_try_advisory_lock($1) AS last', [OWNERS_LOCK])
    const pid = rows[0]?.last ? findPostmaster(stateDir) : undefined
    if (pid === undefined) {
      // there are other owners, or the server runs in another container where signals do not reach it
      await client.end()
      return 'left'
    }
    askToStop(pid)
    const deadline = Date.now() + STOP_TIMEOUT_MS
    while (isPostmaster(pid, stateDir) && Date.now() < deadline) await sleep(POLL_INTERVAL_MS)
    client.end().catch(() => {})
    return 'stopped'
  } catch {
    return 'gone'
  }
}
