import type { Fleet, FleetReader, LogEntry, Void } from '@gantt/scheduler-core'
import type { Horizon } from '../sync/retention.ts'
import type { Synchronizer } from '../sync/synchronizer.ts'
import type { Timers } from '../timers.ts'
import type { Gather, UnloggedDecision } from './propose/placement.ts'
import type { MayRaise } from './watch/feature-level.ts'

/** The parts of a replica. */
export interface ReplicaOptions extends FleetReader {
  readonly store: Synchronizer
  readonly name: string
  /** Stores decisions that are not in the log; a refusal is answered afterwards. */
  recordUnlogged(decisions: readonly UnloggedDecision[]): Promise<void>
  /** Warns operators of what went wrong; never of the callers' data. */
  warn(message: string): void
  readonly newId?: () => string
  readonly newSeed?: () => string
  /** A clock for deadlines, retries and estimates of the store's time. */
  readonly timers?: Timers
  /** How much of the log is kept. */
  readonly horizon?: Horizon
  /** Queried only before the log's level is raised. */
  readonly mayRaise?: MayRaise
  /** Whether every living replica read a level at the last check, without asking the store. */
  readonly isReadByAll?: (level: number) => boolean
  /** Whether the state was checked well enough for other replicas to start from it. */
  readonly mayCheckpoint?: () => boolean
  /** Asks outside parts about a call before it is decided. Absent: there are none. */
  readonly gather?: Gather
}

/** A copy of the fleet at one revision; it does not change. */
export interface Snapshot {
  readonly fleet: Fleet
  /** The fleet that it was copied from, with which it shares what has not changed since. */
  readonly of: Fleet
  /** Changes since the snapshot before it. */
  readonly changes: number
}

/** An applied entry, and the result of each of its changes. */
export interface Applied {
  readonly entry: LogEntry
  readonly verdicts: readonly Void[]
}
