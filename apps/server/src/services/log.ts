import type { Horizon } from '../sync/retention.ts'
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
}

export interface LogKeeping {
  view(): Promise<LogView>
}

/** `countSetAside`: rows that the projections go on without. */
export function createLogReader(log: LogReader, { days, bytes: keptBytes }: Horizon, countSetAside: () => Promise<number>): LogKeeping {
  return {
    async view() {
      const [retention, rowsSetAside] = await Promise.all([log.retention(), countSetAside()])
      return { ...retention, keptDays: days, keptBytes, rowsSetAside }
    },
  }
}
