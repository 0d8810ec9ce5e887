import type { Fleet, FleetReader, LogEntry, Void } from '@gantt/scheduler-core'
import type { Horizon } from '../sync/retention.ts'
import type { Synchronizer } from '../sync/synchronizer.ts'
import type { Timers } from '../timers.ts'
import type { MayRaise } from './feature-level.ts'
import type { Gather, UnloggedDecision } from './placement.ts'

/** What a replica is made of. */
export interface ReplicaOptions extends FleetReader {
  readonly store: Synchronizer
  readonly name: string
  /** Keeps decisions that are not in the log; a refusal is answered after it. */
  recordUnlogged(decisions: readonly UnloggedDecision[]): Promise<void>
  /** Warns operators of what went wrong; never of the callers' data. */
  warn(message: string): void
  readonly newId?: () => string
  readonly newSeed?: () => string
  /** For deadlines, retries and for estimating the store's time. */
  readonly timers?: Timers
  /** How much of the log stays. */
  readonly horizon?: Horizon
  /** Asked only before the log's level is raised. */
  readonly mayRaise?: MayRaise
  /** Whether every living replica read a level as of the last look at them, without asking the store. */
  readonly isReadByAll?: (level: number) => boolean
  /** Whether the state is known to be sound enough for others to begin with. */
  readonly mayCheckpoint?: () => boolean
  /** Asks others about a call before it is decided. Absent: there is nobody to ask. */
  readonly gather?: Gather
}

/** The living fleet as it was once, in a copy that nobody moves. */
export interface Still {
  readonly fleet: Fleet
  /** The living one, with which it shares what has not changed since. */
  readonly of: Fleet
  /** Changes since the one before it. */
  readonly changes: number
}

/** An entry that was applied here, and what became of each of its changes. */
export interface Applied {
  readonly entry: LogEntry
  readonly verdicts: readonly Void[]
}
