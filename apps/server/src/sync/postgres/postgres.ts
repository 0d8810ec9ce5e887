import type { LogEntry, Place } from '@gantt/scheduler-core'
import type pg from 'pg'
import { createPgDriver, type Driver, LOCK_TIMEOUT, type Prepared, STATEMENT_MS, sqlState } from '../../db/session.ts'
import { realTimers, type Timers } from '../../timers.ts'
import type { SharedFlush } from '../flushing.ts'
import { parseEntriesYielding } from '../parse-entries.ts'
import { type Collect, fleetFromParts, fromParts, toParts } from '../parts.ts'
import { planTrim, ROW_BYTES } from '../retention.ts'
import { type LogReader, LogTrimmedError, StoreWentBackError, type Synchronizer } from '../synchronizer.ts'
import { createDurability, measure } from './durability.ts'
import { type LogRow, toEntry } from './log-row.ts'

/** Advisory locks of a fleet's database: the turn, and the writing of checkpoints. */
const TURN_LOCK = 0x67616e80

const CHECKPOINT_LOCK = 0x67616e81

/** A replica waits at most this long for its turn. It then continues without a turn, so that a stalled holder does not stop the fleet. */
const TURN_TIMEOUT_MS = 50

/** The time limits of every session. The server's limit for a statement is shorter than the client's. */
const LIMITS = `SET lock_timeout = ${TURN_TIMEOUT_MS}; SET statement_timeout = ${STATEMENT_MS}; SET idle_in_transaction_session_timeout = ${STATEMENT_MS}`

/** How many checkpoint parts are read at once, and how many entries one statement drops. Both are small, so that neither takes long. */
const PARTS_AT_ONCE = 4

const ENTRIES_AT_ONCE = 20_000

/** NOTIFY is a hint that may be lost, so the log is checked at least at this interval. */
const POLL_MS = 1_000

const APPEND = `
WITH appended AS (
  INSERT INTO log (revision, id, writer, basis_revision, basis_id, body, at_ms, changes, is_flushed)
  SELECT $1::bigint + 1, $2, $3, $1::bigint, $4, $5, (extract(epoch FROM clock_timestamp()) * 1000)::bigint, $6::int, $8::boolean
  WHERE $1::bigint = 0 OR EXISTS (SELECT FROM log WHERE revision = $1::bigint AND id = $4 AND at_ms = $7::bigint)
  ON CONFLICT (revision) DO NOTHING
  RETURNING revision, at_ms
)
SELECT revision, at_ms, pg_notify('gantt_log', revision::text) FROM appended`

/** The size of all entries, including dropped ones: the sum in the newest checkpoint plus the entries after it. */
const LOG_BYTES = `(coalesce((SELECT log_bytes FROM checkpoint ORDER BY revision DESC LIMIT 1), 0)
  + (SELECT coalesce(sum(octet_length(body) + ${ROW_BYTES}), 0) FROM log WHERE revision > coalesce((SELECT max(revision) FROM checkpoint), 0)))`

const LOG_BYTES_UP_TO = `coalesce((SELECT log_bytes FROM checkpoint WHERE revision < $1 ORDER BY revision DESC LIMIT 1), 0)
  + (SELECT coalesce(sum(octet_length(body) + ${ROW_BYTES}), 0) FROM log
     WHERE revision <= $1 AND revision > coalesce((SELECT max(revision) FROM checkpoint WHERE revision < $1), 0))`

const PING = { name: 'gantt-ping', text: 'SELECT 1' }

/**
 * After a crash, a server shows entries on its own disk before a standby has them. When this statement is answered, everything that the
 * session sees has reached the standbys.
 */
const CERTAIN = `SET synchronous_commit = on; SELECT pg_logical_emit_message(true, 'gantt', '')`

const READ = 'SELECT revision, id, writer, body, at_ms, is_flushed FROM log WHERE revision >= $1::bigint ORDER BY revision LIMIT $2::int'

/**
 * The log in a PostgreSQL table with the revision as primary key. Each append names the entry before it. Therefore the log has no gaps, and
 * needs no row for its end. If the disk is slow, entries get their position before they are on disk, and one flush serves all waiting
 * calls.
 */
export async function openPostgresSynchronizer(connection: pg.ClientConfig, sharedFlush: SharedFlush = 'off'): Promise<Synchronizer> {
  return openOn(createPgDriver(connection), realTimers, sharedFlush)
}

/** Opens the log with any implementation of connections to a server. */
export async function openOn(driver: Driver, timers: Timers, sharedFlush: SharedFlush = 'off'): Promise<Synchronizer> {
  const listeners = new Set<(revision?: number) => void>()
  const news = (revision?: number): void => {
    for (const listener of listeners) listener(revision)
  }
  const commits = (mode: 'on' | 'off') => (client: Prepared) => client.query(`SET synchronous_commit = ${mode}; ${LIMITS}`)
  const flusher = driver.session(commits('on'))
  const flushing = await measure(sharedFlush, driver, flusher, commits('off'), timers)
  // one session takes turns, reads and appends, which keeps these calls in order; if the session ends, its turn also ends
  const log = driver.session(async (client) => {
    await client.query(CERTAIN)
    await commits(flushing.isShared ? 'off' : 'on')(client)
  })
  // reads of the past have a durable revision of their own, because they may see another history before the replica notices it
  const own = createDurability(flusher)
  const known = createDurability(flusher)
  const follower = driver.session(
    async (client) => {
      client.on('notification', ({ payload }) => news(Number(payload)))
      await client.query('LISTEN gantt_log')
    },
    () => news(),
  )
  // the poll also restores the listening connection after it was lost
  const stopPolling = timers.every(POLL_MS, () => {
    void follower.query(PING).catch(() => undefined)
    news()
  })
  await follower.query(PING)

  const past: LogReader = {
    async read(after, limit) {
      // the connection may be new, so it is unknown whether a row has reached the standbys
      const entries = await read(
        (query) => driver.query<LogRow>(query),
        after,
        limit,
        () => undefined,
      )
      const last = entries.at(-1)
      if (last !== undefined) await known.durable(last)
      return entries
    },
    loadCheckpoint: (atMost) => load(driver, atMost, fromParts),
    async placeAt(revision) {
      const { rows } = await driver.query<{ id: string; at_ms: string }>({
        name: 'gantt-place-at',
        text: 'SELECT id, at_ms FROM log WHERE revision = $1::bigint',
        values: [revision],
      })
      return rows[0] && { revision, id: rows[0].id, at: Number(rows[0].at_ms) }
    },
    async retention() {
      const { rows } = await driver.query<{ first: string | null; at_ms: string | null; bytes: string }>({
        name: 'gantt-retention',
        text: `SELECT first.revision AS first, first.at_ms, ${LOG_BYTES} - coalesce((SELECT c.log_bytes - octet_length(first.body) - ${ROW_BYTES}
                 FROM checkpoint c WHERE c.revision = first.revision), 0) AS bytes
               FROM (SELECT 1) one LEFT JOIN LATERAL (SELECT revision, at_ms, body FROM log ORDER BY revision LIMIT 1) first ON true`,
      })
      const { first, at_ms: at, bytes } = rows[0] ?? { first: null, at_ms: null, bytes: '0' }
      const firstRevision = Number(first ?? 0)
      return { firstRevision: firstRevision > 1 ? firstRevision : 0, firstAt: at === null ? null : Number(at), bytes: Number(bytes) }
    },
  }

  return {
    ...past,
    engine: 'postgres',
    refusesEarly: true,
    flushing,
    past,

    durableRevision: own.revision,

    async append(entry) {
      const body = JSON.stringify({ format: entry.format, basis: entry.basis, changes: entry.changes })
      const { rows } = await log.query<{ revision: string; at_ms: string }>({
        name: 'gantt-append',
        text: APPEND,
        values: [
          entry.basis.revision,
          entry.id,
          entry.writer,
          entry.basis.id,
          body,
          entry.changes.length,
          entry.basis.at,
          !flushing.isShared,
        ],
      })
      const row = rows[0]
      if (row === undefined) return undefined
      const place = { revision: Number(row.revision), id: entry.id, at: Number(row.at_ms) }
      if (!flushing.isShared) own.learn(place.revision)
      return place
    },

    durable: own.durable,

    async time() {
      const { rows } = await follower.query<{ now: string }>({
        name: 'gantt-time',
        text: 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now',
      })
      return Number(rows[0]?.now)
    },

    read: (after, limit) => read((query) => log.query<LogRow>(query), after, limit, own.learnFrom),

    onGrowth(listener) {
      listeners.add(listener)
    },

    async takeTurn() {
      try {
        await log.query({ name: 'gantt-turn', text: `SELECT pg_advisory_lock(${TURN_LOCK})` })
      } catch (error) {
        if (sqlState(error) === LOCK_TIMEOUT) return async () => {}
        throw error
      }
      return async () => {
        await log.query({ name: 'gantt-turn-end', text: `SELECT pg_advisory_unlock(${TURN_LOCK})` })
      }
    },

    loadFleet: (reader) => load(driver, Number.MAX_SAFE_INTEGER, fleetFromParts(reader)),

    saveCheckpoint: (checkpoint) =>
      driver.transaction(async (query) => {
        const { rows } = await query<{ locked: boolean }>({
          name: 'gantt-checkpoint-lock',
          text: `SELECT pg_try_advisory_xact_lock(${CHECKPOINT_LOCK}) AS locked`,
        })
        if (rows[0]?.locked !== true) return false
        const { place } = checkpoint
        const { head, count, parts } = toParts(checkpoint)
        const saved = await query({
          name: 'gantt-save-checkpoint',
          text: `INSERT INTO checkpoint (revision, id, at_ms, epoch, format, body, parts, log_bytes)
                 SELECT $1, $2, $3, epoch, $4, $5, $6, ${LOG_BYTES_UP_TO} FROM store_epoch
                 WHERE EXISTS (SELECT FROM log WHERE revision = $1 AND id = $2 AND at_ms = $3) ON CONFLICT (revision) DO NOTHING`,
          values: [place.revision, place.id, place.at, checkpoint.format, head, count],
        })
        if (saved.rowCount !== 1) return false
        let part = 0
        for (const body of parts())
          await query({
            name: 'gantt-save-part',
            text: 'INSERT INTO checkpoint_part (revision, part, body) VALUES ($1, $2, $3)',
            values: [place.revision, part++, body],
          })
        return true
      }),

    async trim(horizon) {
      const base = await driver.transaction(async (query) => {
        const { rows: lock } = await query<{ locked: boolean }>({
          name: 'gantt-checkpoint-lock',
          text: `SELECT pg_try_advisory_xact_lock(${CHECKPOINT_LOCK}) AS locked`,
        })
        if (lock[0]?.locked !== true) return 0
        const { rows } = await query<{
          revision: string
          at_ms: string
          log_bytes: string
          all_bytes: string
          now: string
          reached: string
        }>({
          name: 'gantt-list-checkpoints',
          text: `SELECT revision, at_ms, log_bytes, ${LOG_BYTES} AS all_bytes, (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now,
                   coalesce((SELECT min(revision) FROM projection_position), 0) AS reached FROM checkpoint ORDER BY revision`,
        })
        const [one] = rows
        if (one === undefined) return 0
        const plan = planTrim(
          rows.map(({ revision, at_ms, log_bytes }) => ({ revision: Number(revision), at: Number(at_ms), logBytes: Number(log_bytes) })),
          horizon,
          { now: Number(one.now), logBytes: Number(one.all_bytes), reached: Number(one.reached) },
        )
        if (plan === undefined) return 0
        await query({ name: 'gantt-drop-checkpoints', text: 'DELETE FROM checkpoint WHERE revision = ANY($1)', values: [plan.drop] })
        return plan.base
      })
      for (let dropped = base > 0 ? ENTRIES_AT_ONCE : 0; dropped > 0; )
        dropped =
          (
            await driver.query({
              name: 'gantt-drop-entries',
              // the entry at revision `base` stays, because a replica that continues from the checkpoint at that revision compares its
              // position with this entry
              text: `DELETE FROM log WHERE revision < $1::bigint AND revision < (SELECT min(revision) FROM log) + ${ENTRIES_AT_ONCE}`,
              values: [base],
            })
          ).rowCount ?? 0
    },

    async close() {
      stopPolling()
      await Promise.all([log.close(), flusher.close(), follower.close(), driver.close()])
    },
  }
}

/** Reads the entries after a position. The first row is the position itself, unless it is the beginning of the log. */
async function read(
  query: (config: pg.QueryConfig) => Promise<{ rows: LogRow[] }>,
  after: Place,
  limit: number,
  learnFrom: (rows: readonly LogRow[]) => void,
): Promise<LogEntry[]> {
  const { rows } = await query({ name: 'gantt-read', text: READ, values: [after.revision, limit + 1] })
  const first = Number(rows[0]?.revision ?? 0)
  if (first > Math.max(1, after.revision)) throw new LogTrimmedError(after.revision, first)
  // the beginning of the log has no row, so all rows are entries, and there may be one more than the limit
  if (after.revision === 0) {
    learnFrom(rows)
    return parseEntriesYielding(rows.slice(0, limit), toEntry)
  }
  const [own, ...next] = rows
  if (own === undefined || Number(own.revision) !== after.revision || own.id !== after.id || Number(own.at_ms) !== after.at)
    throw new StoreWentBackError(
      `the store does not have entry ${after.id} at revision ${after.revision}; it has ${own ? `entry ${own.id}` : 'no entry'} there`,
    )
  learnFrom(rows)
  return parseEntriesYielding(next, toEntry)
}

/** The newest checkpoint at or before a revision. If it is dropped while it is read, another one is looked up and read. */
async function load<Result>(driver: Driver, atMost: number, collect: Collect<Result>): Promise<Result | undefined> {
  for (;;) {
    const { rows } = await driver.query<{ revision: string; body: string; parts: number }>({
      name: 'gantt-load-checkpoint',
      text: `SELECT revision, body, parts FROM checkpoint c WHERE revision <= $1
               AND EXISTS (SELECT FROM log l WHERE l.revision = c.revision AND l.id = c.id AND l.at_ms = c.at_ms)
             ORDER BY revision DESC LIMIT 1`,
      values: [atMost],
    })
    const [row] = rows
    if (row === undefined) return undefined
    let read = 0
    let isRead = false
    const parts = (async function* () {
      yield* readParts(driver, row.revision, () => read++)
      isRead = true
    })()
    try {
      const result = await collect(row.body, parts)
      if (read === row.parts) return result
    } catch (error) {
      // without all of its parts, a checkpoint cannot be used
      if (!isRead || read === row.parts) throw error
    }
  }
}

/** The parts of a checkpoint in order, PARTS_AT_ONCE at a time. The next ones are read while the caller uses the present ones. */
async function* readParts(driver: Driver, revision: string, each: () => void): AsyncGenerator<string> {
  const read = (from: number) =>
    driver.query<{ body: string }>({
      name: 'gantt-load-parts',
      text: `SELECT body FROM checkpoint_part WHERE revision = $1 AND part >= $2 ORDER BY part LIMIT ${PARTS_AT_ONCE}`,
      values: [revision, from],
    })
  let reading = read(0)
  for (let next = PARTS_AT_ONCE; ; next += PARTS_AT_ONCE) {
    const { rows } = await reading
    const isLast = rows.length < PARTS_AT_ONCE
    if (!isLast) {
      reading = read(next)
      // the error is thrown by the `await` above, which is not reached if the caller stops reading
      reading.catch(() => undefined)
    }
    for (const { body } of rows) {
      each()
      yield body
    }
    if (isLast) return
  }
}
