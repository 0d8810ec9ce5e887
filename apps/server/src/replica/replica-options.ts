import type { Fleet, FleetReader, LogEntry, Void } from '@gantt/scheduler-core'
import type { Horizon } from '../sync/retention.ts'
import type { Synchronizer } from '../sync/synchronizer.ts'
import type { Timers } from '../timers.ts'
import type { Gather, UnloggedDecision } from './propose/placement.ts'
import type { MayRaise } from './watch/feature-level.ts'

/** The dependencies and settings of a replica. */
export interface ReplicaOptions extends FleetReader {
  readonly store: Synchronizer
  readonly name: string
  /** Stores decisions that are not in the log. Their calls are answered after that. */
  recordUnlogged(decisions: readonly UnloggedDecision[]): Promise<void>
  /** Warns operators about errors. Messages contain no data of callers. */
  warn(message: string): void
  readonly newId?: () => string
  readonly newSeed?: () => string
  /** A clock for deadlines, retries and estimates of the store's time. */
  readonly timers?: Timers
  /** How many entries of the log are kept, by age and size. */
  readonly horizon?: Horizon
  /** Checks that every living replica supports a feature level. Called only before the log's feature level is raised. */
  readonly mayRaise?: MayRaise
  /** Returns true if every living replica supported a feature level at the last check. Does not query the store. */
  readonly isReadByAll?: (level: number) => boolean
  /**
   * Returns false if the auditor has found an error in this replica's state. No replica should then start from a checkpoint of this state.
   */
  readonly mayCheckpoint?: () => boolean
  /** Requests answers of external plug-ins for a call before it is decided. Absent: there are no external plug-ins. */
  readonly gather?: Gather
}

/** A copy of the fleet at one revision; it does not change. */
export interface Snapshot {
  readonly fleet: Fleet
  /** The fleet from which the snapshot was copied. Both share the data that has not changed since. */
  readonly of: Fleet
  /** How many changes were applied since the previous snapshot. */
  readonly changes: number
}

/** Another fleet replaced the fleet of a replica. */
export interface Replaced {
  readonly before: Fleet
  /**
   * True if the new fleet was rebuilt from the log at the revision of the old fleet, which can have been wrong in any way. False if the new
   * fleet is at another revision, because the store lost entries or trimmed entries that were not applied yet.
   */
  readonly isHealed: boolean
}

/** An applied entry, and the result of each of its changes. */
export interface Applied {
  readonly entry: LogEntry
  readonly verdicts: readonly Void[]
}
