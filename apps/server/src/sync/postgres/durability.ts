import type { Place } from '@gantt/scheduler-core'
import type { Driver, Prepared, Session } from '../../db/session.ts'
import type { Timers } from '../../timers.ts'
import { chooseFlushing, type SharedFlush } from '../flushing.ts'
import { type Flushing, StoreWentBackError } from '../synchronizer.ts'
import type { LogRow } from './log-row.ts'

/**
 * A small transaction that waits for the disk and for synchronous standbys. Everything that was committed before it is then durable. The
 * same transaction checks that the log has the entry at the given position, so that the same PostgreSQL server makes the check and the flush.
 */
const FLUSH = `
SELECT (SELECT count(*)::int FROM log WHERE revision = $1::bigint AND id = $2 AND at_ms = $3::bigint) AS held,
  pg_logical_emit_message(true, 'gantt', '')::text`

const COMMIT = { name: 'gantt-commit', text: `SELECT pg_logical_emit_message(true, 'gantt', '')::text` }

/** Measures how long flushes take on the flushing session, and how long commits take on a separate session. */
export async function measure(
  setting: SharedFlush,
  driver: Driver,
  flusher: Session,
  prepare: (client: Prepared) => Promise<unknown>,
  timers: Timers,
): Promise<Flushing> {
  const unflushed = driver.session(prepare)
  try {
    return await chooseFlushing(setting, { flush: () => flusher.query(COMMIT), commit: () => unflushed.query(COMMIT), now: timers.now })
  } finally {
    await unflushed.close()
  }
}

/** Knows up to which revision one history of the log is durable, and flushes further entries. */
export function createDurability(flusher: Session) {
  let durableRevision = 0
  let running: Promise<void> | undefined
  let next: { place: Place; flushed: Promise<void> } | undefined
  const learn = (revision: number): void => {
    durableRevision = Math.max(durableRevision, revision)
  }
  const flush = async ({ revision, id, at }: Place): Promise<void> => {
    const { rows } = await flusher.query<{ held: number }>({ name: 'gantt-flush', text: FLUSH, values: [revision, id, at] })
    if (rows[0]?.held !== 1) throw new StoreWentBackError(`the store does not have entry ${id} at revision ${revision}`)
    learn(revision)
  }
  return {
    revision: () => durableRevision,
    learn,
    /** an append that waited for the disk also made all earlier entries durable */
    learnFrom(rows: readonly LogRow[]): void {
      const flushed = rows.findLast(({ is_flushed }) => is_flushed)
      if (flushed !== undefined) learn(Number(flushed.revision))
    },
    /** Runs one flush at a time. Calls that arrive meanwhile share the next flush. */
    async durable(place: Place): Promise<void> {
      if (place.revision <= durableRevision) return
      if (next === undefined) {
        const flushed = (running ?? Promise.resolve())
          .catch(() => undefined)
          .then(() => {
            next = undefined
            running = flush(waiting.place)
            return running
          })
        const waiting = { place, flushed }
        next = waiting
      } else if (place.revision > next.place.revision) next.place = place
      await next.flushed
    },
  }
}
