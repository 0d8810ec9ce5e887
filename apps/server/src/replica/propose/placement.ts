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

/** A call to place a request, already parsed and authorised. */
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
  /** NONE: advice only, nothing is claimed. */
  readonly mode: 'NONE' | 'RESERVE' | 'CONFIRM'
  readonly ttlMs: number
  /** How long the caller waits, milliseconds from now. */
  readonly deadlineMs: number
  readonly alternatesPerInstance: number
  readonly allOrNothing: boolean
  /** Whether it takes an alternate that an earlier decision named: the claim of its instance then moves there. */
  readonly takesAlternate?: boolean | undefined
  /** Whether its instance runs on its requested destination without a claim: it gets one that is materialised at once. */
  readonly isListed?: boolean | undefined
  /** The source of answers, if the call is one of several that are solved together; by default that of the replica. */
  readonly gather?: Gather | undefined
}

/**
 * The answers of outside parts before a call is decided. They are inputs of the decision from then on: kept in its
 * record, so that a replay asks nothing.
 */
export interface Gathered extends Pick<DecideInput, 'solution'> {
  /** The deciding version with the answers of outside parts; absent for the active version without questions. */
  readonly profile?: Profile
}

/**
 * Asks outside parts about a call before it waits to be decided; undefined: there is nothing to ask, and the call takes
 * no further step. `fleet` is read each time, because it may be replaced meanwhile. `answered`: the profile for which
 * earlier answers were given. Errors are answers too: it never rejects.
 */
export type Gather = (fleet: () => Fleet, call: PlacementCall, answered?: Profile) => Promise<Gathered> | undefined

export type PlacementOutcome =
  | {
      readonly type: 'placed'
      readonly decision: string
      readonly answer: readonly SelectedDestination[]
      /** The claims in the order of the answer; undefined for advice, and for forgotten claims. */
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
      /** The number of instances that found a host before the first one without. */
      readonly found: number
      readonly revision: number
    }
  | { readonly type: 'conflict'; readonly firstSeenAt: number; readonly abandoned: boolean }
  /** A refusal by a rule that no other host would change, or because the named claim does not exist. */
  | { readonly type: 'void'; readonly code: Exclude<Code, 'claim.instance_taken'> }
  /** A refusal because an instance of the request has a live claim. */
  | { readonly type: 'taken'; readonly claim: Claim }

/** A decision that is not in the log: a refusal, or advice. */
export interface UnloggedDecision {
  readonly record: DecisionRecord
  readonly place: DecisionPlace
  readonly account: string
  readonly at: number
  readonly outcome: 'NO_VALID_HOST' | 'PLACED' | 'PARTIAL'
  readonly answer: readonly SelectedDestination[]
  readonly reasons: readonly RefusalReason[]
  readonly cause?: KeptCause
  /** The duration of the decision, whole microseconds. */
  readonly tookUs?: number
}
