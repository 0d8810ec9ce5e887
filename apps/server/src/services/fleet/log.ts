import type { LogEntry, Place } from '@gantt/scheduler-core'
import type { ProjectionStore } from '../../db/tables/projections.ts'
import type { StoredDecision } from '../../db/tables/rows.ts'
import { type Horizon, retainedUntil } from '../../sync/retention.ts'
import { type LogReader, LogTrimmedError } from '../../sync/synchronizer.ts'

/**
 * A search for the log entry of a decision first reads only this many entries, because the entry is usually only a few revisions later than
 * the state on which the decision was made.
 */
const FIRST_LOOK = 4
const READ_LIMIT = 1_000

/** The state of the fleet log: its first revision, its size, its retention limits, and how far the tables follow it. */
export interface LogView {
  /** The first revision that the log contains; 0 if nothing has been trimmed. */
  readonly firstRevision: number
  /** Store time (the database's clock) of the first entry, in milliseconds since 1970; null if the log has no entry. */
  readonly firstAt: number | null
  readonly bytes: number
  readonly keptDays: number
  readonly keptBytes: number
  readonly rowsSetAside: number
  /** The last revision that the tables of decisions, claims and hosts contain completely. */
  readonly tablesRevision: number
}

export interface LogKeeping {
  view(): Promise<LogView>
  /** The name of the replica that wrote the entry of a decision. Null if the decision has no entry, or if the log no longer contains it. */
  writerOf(decision: Pick<StoredDecision, 'place'>): Promise<string | null>
  /**
   * The estimated store time (the database's clock) until which a decision can be replayed exactly. Null if the log no longer contains the
   * entries for an exact replay.
   */
  retainedUntil(decision: Pick<StoredDecision, 'at' | 'place'>): Promise<number | null>
}

export function createLogReader(
  log: LogReader,
  { days, bytes: keptBytes }: Horizon,
  tables: Pick<ProjectionStore, 'countSetAside' | 'position'>,
): LogKeeping {
  /** Reads the entries after a point in the log. Returns an empty list if the log was trimmed there during the read. */
  const readBehind = async (place: Place, limit: number): Promise<readonly LogEntry[]> => {
    try {
      return await log.read(place, limit)
    } catch (error) {
      if (error instanceof LogTrimmedError) return []
      throw error
    }
  }
  return {
    async view() {
      const [retention, rowsSetAside, { revision }] = await Promise.all([log.retention(), tables.countSetAside(), tables.position()])
      return { ...retention, keptDays: days, keptBytes, rowsSetAside, tablesRevision: revision }
    },
    async writerOf({ place: { basis, entryId } }) {
      const place = entryId === null ? undefined : await log.placeAt(basis)
      if (place === undefined) return null
      for (const limit of [FIRST_LOOK, READ_LIMIT]) {
        const found = (await readBehind(place, limit)).find(({ id }) => id === entryId)
        if (found !== undefined) return found.writer
      }
      return null
    },
    async retainedUntil({ at, place: { basis: revision } }) {
      return retainedUntil({ revision, at }, await log.retention(), { days, bytes: keptBytes }, Date.now()) ?? null
    },
  }
}
