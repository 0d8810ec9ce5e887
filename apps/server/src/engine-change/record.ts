import pg from 'pg'
import { TIMEOUTS } from '../db/session.ts'
import { StoreSetupError, StoreUnavailableError } from '../sync/synchronizer.ts'
import { EngineChangeError } from './error.ts'

export const engines = ['postgres', 'nats'] as const
export type EngineName = (typeof engines)[number]

/** The database's record of a change of engine. The record of the last change determines where the log is. */
export interface EngineChange {
  readonly id: string
  readonly to: EngineName
  /** The NATS URL, without credentials. */
  readonly address: string
  /** The last revision of the copied log; null until it is known. */
  readonly revision: number | null
  /** `verified`: the target has the whole log, and replicas may already use it. `done`: replicas use the target. */
  readonly state: 'copying' | 'verified' | 'done'
}

/** The operations on the database during one change. No other change can begin until `end` is called. */
export interface ChangeRecord {
  readonly client: pg.Client
  last(): Promise<EngineChange | undefined>
  /**
   * Records that a change has begun, and prevents appends to the database's table `log` until the table is opened again. Returns the
   * table's last revision; 0 if it is empty.
   */
  begin(change: Pick<EngineChange, 'id' | 'to' | 'address'>): Promise<number>
  /** Prevents appends by all replicas, if they are possible now. */
  close(): Promise<void>
  mark(id: string, state: EngineChange['state'], revision: number): Promise<void>
  /** Cancels a change as if it had not begun. With `isOpen`, replicas can append to this database again. */
  forget(id: string, isOpen: boolean): Promise<void>
  end(): Promise<void>
}

/** A lock that is held while the engine is changed. */
const CHANGE_LOCK = 0x67616e83
/** The session's settings. Copying and digesting are one transaction, and its duration grows with the log. */
const LIMITS = `SET statement_timeout = 0; SET lock_timeout = '30s'; SET idle_in_transaction_session_timeout = 0; SET synchronous_commit = on`

const NOW = `(extract(epoch FROM clock_timestamp()) * 1000)::bigint`

/** Closes the tables while the log is in NATS. The table lock waits for running writes, and the trigger refuses later ones. */
const CLOSE = `LOCK TABLE log IN SHARE ROW EXCLUSIVE MODE;
  CREATE OR REPLACE TRIGGER log_is_elsewhere BEFORE INSERT ON log FOR EACH STATEMENT EXECUTE FUNCTION log_is_elsewhere()`
export const OPEN = 'DROP TRIGGER IF EXISTS log_is_elsewhere ON log'

/** Throws EngineChangeError (`engine.busy`) if another change is in progress, and StoreUnavailableError if the database does not answer. */
export async function openChangeRecord(connection: pg.ClientConfig): Promise<ChangeRecord> {
  const client = new pg.Client({ connectionTimeoutMillis: TIMEOUTS.connectionTimeoutMillis, keepAlive: true, ...connection })
  // the next statement detects a lost session
  client.on('error', () => undefined)
  await client.connect().catch((error: unknown) => {
    throw new StoreUnavailableError(`the database does not answer: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    })
  })
  try {
    await client.query(LIMITS)
    const { rows } = await client.query<{ mine: boolean }>('SELECT pg_try_advisory_lock($1) AS mine', [CHANGE_LOCK])
    if (rows[0]?.mine !== true)
      throw new EngineChangeError('engine.busy', 'another "gantt migrate-sync" works on this database; wait until it has ended')
  } catch (error) {
    await client.end()
    throw error
  }
  return {
    client,
    last: () => lastChange(client),
    begin: ({ id, to, address }) =>
      inTransaction(client, async () => {
        await client.query(CLOSE)
        await client.query(`INSERT INTO engine_change (id, "to", address, state, started_at_ms) VALUES ($1, $2, $3, 'copying', ${NOW})`, [
          ...[id, to, address],
        ])
        const { rows } = await client.query<{ head: string }>('SELECT coalesce(max(revision), 0) AS head FROM log')
        return Number(rows[0]?.head)
      }),
    close: () => inTransaction(client, async () => void (await client.query(CLOSE))),
    async mark(id, state, revision) {
      await client.query(
        `UPDATE engine_change SET state = $2, revision = $3, ended_at_ms = CASE WHEN $2 = 'done' THEN ${NOW} END WHERE id = $1`,
        [id, state, revision],
      )
    },
    forget: (id, isOpen) =>
      inTransaction(client, async () => {
        await client.query('DELETE FROM engine_change WHERE id = $1', [id])
        if (isOpen) await client.query(OPEN)
      }),
    end: () => client.end(),
  }
}

export async function inTransaction<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  await client.query('BEGIN')
  try {
    const result = await work()
    await client.query('COMMIT')
    return result
  } catch (error) {
    // If the session was lost, PostgreSQL has already rolled its transaction back.
    await client.query('ROLLBACK').catch(() => undefined)
    throw error
  }
}

async function lastChange(client: pg.Client): Promise<EngineChange | undefined> {
  const { rows } = await client.query<Omit<EngineChange, 'revision'> & { revision: string | null }>(
    'SELECT id, "to", address, revision, state FROM engine_change ORDER BY started_at_ms DESC LIMIT 1',
  )
  const [row] = rows
  return row && { ...row, revision: row.revision === null ? null : Number(row.revision) }
}

/** Throws StoreSetupError if the database has a record that the log is not in this engine. The message names the present engine. */
export async function assertLogIn(engine: EngineName, connection: pg.ClientConfig): Promise<void> {
  const client = new pg.Client({ ...TIMEOUTS, ...connection })
  client.on('error', () => undefined)
  await client.connect()
  try {
    const change = await lastChange(client)
    if (change === undefined || (change.to === engine && change.state === 'done')) return
    // During a change, the database does not know whether the NATS streams contain the log. The streams show this.
    if (engine === 'nats' && (change.to === 'nats' ? change.state === 'verified' : change.state !== 'done')) return
    throw new StoreSetupError([whereIs(change)])
  } finally {
    await client.end()
  }
}

/** Text for an error that says where the log is, according to the database's record of the last change. */
export function whereIs({ to, address, state, revision }: EngineChange): string {
  if (state === 'done')
    return to === 'nats'
      ? `The log of this database was taken to NATS by "gantt migrate-sync", at revision ${revision}. Set GANTT_SYNC=${address} on every replica.`
      : `The log was taken from NATS into this database by "gantt migrate-sync", at revision ${revision}. Set GANTT_SYNC=postgres on every replica.`
  const [from, into] = to === 'nats' ? ['postgres', 'nats'] : ['nats', 'postgres']
  return `A change of the engine, ${from === 'nats' ? 'from' : 'to'} NATS at ${address}, has not ended. Run "gantt migrate-sync --from ${from} --to ${into}" again to end it, or with --abandon to stay on ${from}.`
}
