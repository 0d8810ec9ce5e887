import type { LogEntry, Place } from '@gantt/scheduler-core'
import type { ProjectionStore } from '../db/projections.ts'
import type { StoredDecision } from '../db/rows.ts'
import { type Horizon, retainedUntil } from '../sync/retention.ts'
import { type LogReader, LogTrimmedError } from '../sync/synchronizer.ts'

/** An entry stands a few behind its basis, as a rule. */
const FIRST_LOOK = 4
const READ_LIMIT = 1_000

/** How far the fleet log reaches back, and what it may grow to. */
export interface LogView {
  /** 0 while the log is whole. */
  readonly firstRevision: number
  /** Store time, milliseconds since 1970. */
  readonly firstAt: number | null
  readonly bytes: number
  readonly keptDays: number
  readonly keptBytes: number
  readonly rowsSetAside: number
  /** The last revision of which the tables of decisions, claims and hosts have everything. */
  readonly tablesRevision: number
}

export interface LogKeeping {
  view(): Promise<LogView>
  /** Name of the replica whose entry carried a decision; null where nothing was appended, or the log does not reach back to it. */
  writerOf(decision: Pick<StoredDecision, 'place'>): Promise<string | null>
  /** Until when a decision can be made again exactly, store time, as far as can be foreseen; null: it cannot any more. */
  retainedUntil(decision: Pick<StoredDecision, 'at' | 'place'>): Promise<number | null>
}

export function createLogReader(
  log: LogReader,
  { days, bytes: keptBytes }: Horizon,
  tables: Pick<ProjectionStore, 'countSetAside' | 'position'>,
): LogKeeping {
  /** What is dropped while one reads is not there. */
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
