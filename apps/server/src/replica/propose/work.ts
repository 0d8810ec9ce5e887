import type { Change, Void } from '@gantt/scheduler-core'
import type { Gathered, PlacementCall, PlacementOutcome } from './placement.ts'

/** A call that waits to become part of an entry. */
export type Work = PlacementWork | ChangeWork

/** How a waiting call is answered. */
export interface Waiting<Outcome> {
  /** The sequence number of the call in the order of arrival. The call is refused only if the store was read after the call arrived. */
  readonly arrived: number
  settle(outcome: Outcome): void
  fail(error: Error): void
  /** True if the caller has stopped waiting. The call is then dropped unless it is in flight. */
  abandoned: boolean
}

export interface PlacementWork extends Waiting<PlacementOutcome> {
  readonly type: 'placement'
  readonly call: PlacementCall
  /** Created once, so that a call that is decided again keeps its id. */
  readonly decisionId: string
  readonly claimIds: readonly string[]
  /** The store time at which the caller stops waiting, as estimated when the call arrived. */
  readonly notAfter: number
  /** The answers of plug-ins and extenders about the call. If these answers no longer apply, new answers are requested. */
  gathered: Gathered
  /** How many times the answers were requested. */
  gatherings: number
  attempt: number
  /** True if an entry was written for the call. The time of the log is then not earlier than the call. */
  hasMovedTime: boolean
}

/** Changes that need no decision: reports, edits, ends of claims. Whether each takes effect depends on its position in the log. */
export interface ChangeWork extends Waiting<readonly ChangeVerdict[]> {
  readonly type: 'changes'
  readonly changes: readonly Change[]
}

/** The outcome of one change, and the revision of its entry. */
export interface ChangeVerdict {
  readonly void: Void
  readonly revision: number
}
