import type { Checkpoint, Entry, LogEntry, Place } from '@gantt/scheduler-core'
import type pg from 'pg'
import { realTimers, type Timers } from '../../timers.ts'
import { type LogReader, StoreUnavailableError, StoreWentBackError, type Synchronizer } from '../synchronizer.ts'
import { createPgDriver, type Driver, sqlState } from './session.ts'

/** Advisory locks of a fleet's database: the turn, and the writing of checkpoints. */
const TURN_LOCK = 0x67616e80
const CHECKPOINT_LOCK = 0x67616e81

/** How long a replica waits for its turn before it goes on without: a stalled holder must not stop the fleet. */
const TURN_TIMEOUT_MS = 50

/** Checkpoints kept; older ones are dropped when a new one is written. */
const CHECKPOINTS_KEPT = 8

/** NOTIFY is a hint that may be lost: look at least this often. */
const POLL_MS = 1_000

const APPEND = `
WITH appended AS (
  INSERT INTO log (revision, id, writer, basis_revision, basis_id, body, at_ms, changes)
  SELECT $1::bigint + 1, $2, $3, $1::bigint, $4, $5, (extract(epoch FROM clock_timestamp()) * 1000)::bigint, $6::int
  WHERE $1::bigint = 0 OR EXISTS (SELECT FROM log WHERE revision = $1::bigint AND id = $4 AND at_ms = $7::bigint)
  ON CONFLICT (revision) DO NOTHING
  RETURNING revision, at_ms
)
SELECT revision, at_ms, pg_notify('gantt_log', revision::text) FROM appended`

const PING = { name: 'gantt-ping', text: 'SELECT 1' }

const READ = 'SELECT revision, id, writer, body, at_ms FROM log WHERE revision >= $1::bigint ORDER BY revision LIMIT $2::int'

interface LogRow {
  /** 64-bit integers arrive as text. */
  revision: string
  id: string
  writer: string
  body: string
  at_ms: string
}

/**
 * The log in a PostgreSQL table whose primary key is the revision: the next append names its predecessor, so there are
 * no gaps and no head row. Commits are synchronous: what is visible is durable.
 */
export async function openPostgresSynchronizer(connection: pg.ClientConfig): Promise<Synchronizer> {
  return openOn(createPgDriver(connection), realTimers)
}

/** The same on any way of reaching a server. */
export async function openOn(driver: Driver, timers: Timers): Promise<Synchronizer> {
  const listeners = new Set<(revision?: number) => void>()
  const news = (revision?: number): void => {
    for (const listener of listeners) listener(revision)
  }
  // one session appends, takes turns and reads for them, in order; a turn dies with it
  const log = driver.session((client) =>
    client.query(
      `SET synchronous_commit = on; SET lock_timeout = ${TURN_TIMEOUT_MS}; SET statement_timeout = 10000; SET idle_in_transaction_session_timeout = 10000`,
    ),
  )
  const follower = driver.session(
    async (client) => {
      client.on('notification', ({ payload }) => news(Number(payload)))
      await client.query('LISTEN gantt_log')
    },
    () => news(),
  )
  // the poll also brings the listening connection back after a loss
  const stopPolling = timers.every(POLL_MS, () => {
    void follower.query(PING).catch(() => undefined)
    news()
  })
  await follower.query(PING)

  const past: LogReader = {
    read: (after, limit) => read((query) => driver.query<LogRow>(query), after, limit),
    async loadCheckpoint(atMost) {
      const { rows } = await driver.query<{ body: string }>({
        name: 'gantt-load-checkpoint',
        text: 'SELECT body FROM checkpoint WHERE revision <= $1 ORDER BY revision DESC LIMIT 1',
        values: [atMost],
      })
      return rows[0] && (JSON.parse(rows[0].body) as Checkpoint)
    },
  }

  return {
    ...past,
    engine: 'postgres',
    past,

    async append(entry) {
      const body = JSON.stringify({ format: entry.format, basis: entry.basis, changes: entry.changes })
      try {
        const { rows } = await log.query<{ revision: string; at_ms: string }>({
          name: 'gantt-append',
          text: APPEND,
          values: [entry.basis.revision, entry.id, entry.writer, entry.basis.id, body, entry.changes.length, entry.basis.at],
        })
        const row = rows[0]
        return row && { revision: Number(row.revision), id: entry.id, at: Number(row.at_ms) }
      } catch (error) {
        // lock wait, serialization and deadlock roll this statement back, but an earlier copy of the entry may still land:
        // only the comparison with the head is certain, so the same entry is sent again
        if (['55P03', '40001', '40P01'].includes(sqlState(error) ?? ''))
          throw new StoreUnavailableError('another append holds the head', { cause: error })
        throw error
      }
    },

    // commits are synchronous, so an entry that anybody has seen is on disk
    async durable() {},

    async time() {
      const { rows } = await follower.query<{ now: string }>({
        name: 'gantt-time',
        text: 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now',
      })
      return Number(rows[0]?.now)
    },

    read: (after, limit) => read((query) => log.query<LogRow>(query), after, limit),

    onNews(listener) {
      listeners.add(listener)
    },

    async takeTurn() {
      try {
        await log.query({ name: 'gantt-turn', text: `SELECT pg_advisory_lock(${TURN_LOCK})` })
      } catch (error) {
        if (sqlState(error) === '55P03') return async () => {}
        throw error
      }
      return async () => {
        await log.query({ name: 'gantt-turn-end', text: `SELECT pg_advisory_unlock(${TURN_LOCK})` })
      }
    },

    saveCheckpoint: (checkpoint) =>
      driver.transaction(async (query) => {
        const { rows } = await query<{ locked: boolean }>({
          name: 'gantt-checkpoint-lock',
          text: `SELECT pg_try_advisory_xact_lock(${CHECKPOINT_LOCK}) AS locked`,
        })
        if (rows[0]?.locked !== true) return false
        const { place } = checkpoint
        const saved = await query({
          name: 'gantt-save-checkpoint',
          text: `INSERT INTO checkpoint (revision, id, at_ms, epoch, format, body)
                 SELECT $1, $2, $3, epoch, $4, $5 FROM store_epoch ON CONFLICT (revision) DO NOTHING`,
          values: [place.revision, place.id, place.at, checkpoint.format, JSON.stringify(checkpoint)],
        })
        // the log is kept whole, so an old checkpoint only saves reading: a few are enough
        if (saved.rowCount === 1)
          await query({
            name: 'gantt-drop-checkpoints',
            text: 'DELETE FROM checkpoint WHERE revision NOT IN (SELECT revision FROM checkpoint ORDER BY revision DESC LIMIT $1)',
            values: [CHECKPOINTS_KEPT],
          })
        return saved.rowCount === 1
      }),

    async close() {
      stopPolling()
      await Promise.all([log.close(), follower.close(), driver.close()])
    },
  }
}

function toEntry({ revision, id, writer, body, at_ms }: LogRow): LogEntry {
  const { format, basis, changes } = JSON.parse(body) as Pick<Entry, 'format' | 'basis' | 'changes'>
  return { format, id, writer, basis, changes, revision: Number(revision), at: Number(at_ms) }
}

/** The first row is the caller's own place, unless it is the origin. */
async function read(query: (config: pg.QueryConfig) => Promise<{ rows: LogRow[] }>, after: Place, limit: number): Promise<LogEntry[]> {
  const { rows } = await query({ name: 'gantt-read', text: READ, values: [after.revision, limit + 1] })
  // nothing stands at the origin, so the row beyond the limit is an entry too
  if (after.revision === 0) return rows.slice(0, limit).map(toEntry)
  const [own, ...next] = rows
  if (own === undefined || Number(own.revision) !== after.revision || own.id !== after.id || Number(own.at_ms) !== after.at)
    throw new StoreWentBackError(
      `the store does not hold revision ${after.revision} as entry ${after.id}; it holds ${own ? `entry ${own.id}` : 'nothing there'}`,
    )
  return next.map(toEntry)
}
