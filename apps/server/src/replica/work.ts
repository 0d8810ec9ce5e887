import type { Change, Void } from '@gantt/scheduler-core'
import type { Gathered, PlacementCall, PlacementOutcome } from './placement.ts'

/** Something that waits to become part of an entry. */
export type Work = PlacementWork | ChangeWork

/** How the call behind a piece of work is answered. */
export interface Waiting<Outcome> {
  /** Order of arrival among everything that this replica was asked; a refusal needs a look at the store after it. */
  readonly arrived: number
  settle(outcome: Outcome): void
  fail(error: Error): void
  /** The caller stopped waiting: drop it unless it is on its way already. */
  abandoned: boolean
}

export interface PlacementWork extends Waiting<PlacementOutcome> {
  readonly type: 'placement'
  readonly call: PlacementCall
  /** Drawn once, so that a decision made again after a void keeps its name. */
  readonly decisionId: string
  readonly claimIds: readonly string[]
  /** Store time at which the caller stops waiting, as estimated when the call arrived. */
  readonly notAfter: number
  /** What others answered about the call; asked again where it holds no more. */
  gathered: Gathered
  /** How often they were asked. */
  gatherings: number
  attempt: number
  /** An entry was written for it, so that the time of the log is no earlier than the call. */
  hasMovedTime: boolean
}

/** Changes that need no decision: reports, edits, the ends of claims. Each is judged at its place. */
export interface ChangeWork extends Waiting<readonly ChangeVerdict[]> {
  readonly type: 'changes'
  readonly changes: readonly Change[]
}

/** What became of one change, and the revision of its entry. */
export interface ChangeVerdict {
  readonly void: Void
  readonly revision: number
}
