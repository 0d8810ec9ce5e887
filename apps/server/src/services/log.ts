import type { ProjectionStore } from '../db/projections.ts'
import type { StoredDecision } from '../db/rows.ts'
import { type Horizon, retainedUntil } from '../sync/retention.ts'
import type { LogReader } from '../sync/synchronizer.ts'

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
  /** Until when a decision can be made again exactly, store time, as far as can be foreseen; null: it cannot any more. */
  retainedUntil(decision: Pick<StoredDecision, 'at' | 'place'>): Promise<number | null>
}

export function createLogReader(
  log: LogReader,
  { days, bytes: keptBytes }: Horizon,
  tables: Pick<ProjectionStore, 'countSetAside' | 'position'>,
): LogKeeping {
  return {
    async view() {
      const [retention, rowsSetAside, { revision }] = await Promise.all([log.retention(), tables.countSetAside(), tables.position()])
      return { ...retention, keptDays: days, keptBytes, rowsSetAside, tablesRevision: revision }
    },
    async retainedUntil({ at, place: { basis: revision } }) {
      return retainedUntil({ revision, at }, await log.retention(), { days, bytes: keptBytes }, Date.now()) ?? null
    },
  }
}
