import type {
  Claim,
  ClaimRef,
  Code,
  DecideInput,
  DecisionRecord,
  Fleet,
  Intent,
  Profile,
  RequestSpec,
  SelectedDestination,
} from '@gantt/scheduler-core'
import type { DecisionPlace, KeptCause, RefusalReason } from '../../db/tables/rows.ts'

export type { DecisionPlace, RefusalReason } from '../../db/tables/rows.ts'

/** A parsed and authorised call to place a request. */
export interface PlacementCall {
  readonly account: string
  readonly key: string
  readonly digest: string
  readonly request: RequestSpec
  readonly intent: Intent
  /** The claim that moves or is rebuilt; its instance, group and host complete the request. */
  readonly source: ClaimRef | null
  /** A profile's name, or name@number. */
  readonly profile: string
  /** NONE: hosts are selected, but nothing is claimed. */
  readonly mode: 'NONE' | 'RESERVE' | 'CONFIRM'
  readonly ttlMs: number
  /** True if the reservation also ends when its host counts the instance. */
  readonly untilCounted?: boolean | undefined
  /** How long the caller waits after the arrival of the call, in milliseconds. */
  readonly deadlineMs: number
  readonly alternatesPerInstance: number
  readonly allOrNothing: boolean
  /** True if the call claims an alternate of an earlier decision. The claim of its instance then moves to the host of that alternate. */
  readonly takesAlternate?: boolean | undefined
  /**
   * True if the instance already runs on its requested destination without a claim. The call creates a claim that is MATERIALISED at once.
   */
  readonly isListed?: boolean | undefined
  /**
   * Requests answers of external plug-ins. Set if the call is one of several that are solved together. If absent, the function of the
   * replica is used.
   */
  readonly gather?: Gather | undefined
}

/**
 * The answers of external plug-ins and the solver that were requested before a call is decided. They are inputs of the decision and are
 * stored in its record, so that a replay makes no requests.
 */
export interface Gathered extends Pick<DecideInput, 'solution'> {
  /**
   * The profile version that decides, with the answers of external plug-ins attached. Absent: the active version, without external
   * plug-ins.
   */
  readonly profile?: Profile
}

/**
 * Requests the answers of external plug-ins and the solver for a call before it is decided. Undefined if none are needed; the call then
 * continues at once. `fleet` is called each time, because the fleet can be replaced. `answered`: the profile with earlier answers. The
 * promise never rejects, because an error is recorded as an answer.
 */
export type Gather = (fleet: () => Fleet, call: PlacementCall, answered?: Profile) => Promise<Gathered> | undefined

export type PlacementOutcome =
  | {
      readonly type: 'placed'
      readonly decision: string
      readonly answer: readonly SelectedDestination[]
      /**
       * The claims in the order of the answer. An element is undefined if the placement claimed nothing, or if the claim is no longer
       * stored.
       */
      readonly claims: readonly (Claim | undefined)[]
      readonly replayed: boolean
      readonly revision: number
    }
  | {
      readonly type: 'refused'
      readonly record: DecisionRecord
      readonly place: DecisionPlace
      readonly reasons: readonly RefusalReason[]
      readonly cause: KeptCause
      /** How many instances found a host before the first one that did not. */
      readonly found: number
      readonly revision: number
    }
  | { readonly type: 'conflict'; readonly firstSeenAt: number; readonly abandoned: boolean }
  /** A refusal by a rule that applies to every host, or because the named claim does not exist. */
  | { readonly type: 'void'; readonly code: Exclude<Code, 'claim.instance_taken'> }
  /** A refusal because an instance of the request has a live claim. */
  | { readonly type: 'taken'; readonly claim: Claim }

/** A decision that is not in the log: a refusal, or a placement that claims nothing. */
export interface UnloggedDecision {
  readonly record: DecisionRecord
  readonly place: DecisionPlace
  readonly account: string
  readonly at: number
  readonly outcome: 'NO_VALID_HOST' | 'PLACED' | 'PARTIAL'
  readonly answer: readonly SelectedDestination[]
  readonly reasons: readonly RefusalReason[]
  readonly cause?: KeptCause
  /** The duration of the decision in whole microseconds. */
  readonly tookUs?: number
}
