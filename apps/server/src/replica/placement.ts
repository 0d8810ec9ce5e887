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
import type { DecisionPlace, KeptCause, RefusalReason } from '../db/rows.ts'

export type { DecisionPlace, RefusalReason } from '../db/rows.ts'

/** A call to place a request, already parsed and authorised. */
export interface PlacementCall {
  readonly account: string
  readonly key: string
  readonly digest: string
  readonly request: RequestSpec
  readonly intent: Intent
  /** The claim that moves, or that is rebuilt where it is; its instance, group and host complete the request. */
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
  /** Whom to ask about it, where it is one of several calls that are solved together; absent: whom the replica asks. */
  readonly gather?: Gather | undefined
}

/**
 * What others answered before a call is decided. They are inputs of the decision from then on: kept in its record, so that making it again
 * asks nobody.
 */
export interface Gathered extends Pick<DecideInput, 'solution'> {
  /** The version that decides, with what parts outside of the process answered; absent: the one that is active then, and nobody was asked. */
  readonly profile?: Profile
}

/**
 * Asks others about a call before it waits to be decided; undefined: nobody is to be asked, and the call takes no step more. `fleet` is
 * asked anew each time: it may be replaced meanwhile. `answered`: the profile as others before answered about it. What goes wrong is an answer too: it never rejects.
 */
export type Gather = (fleet: () => Fleet, call: PlacementCall, answered?: Profile) => Promise<Gathered> | undefined

export type PlacementOutcome =
  | {
      readonly type: 'placed'
      readonly decision: string
      readonly answer: readonly SelectedDestination[]
      /** Parallel to the answer; undefined for advice, and for claims that are forgotten. */
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
      /** Instances that found a host before one did not. */
      readonly found: number
      readonly revision: number
    }
  | { readonly type: 'conflict'; readonly firstSeenAt: number; readonly abandoned: boolean }
  /** Refused by a rule that no other host would change, or because the claim that is to move is not there as it was named. */
  | { readonly type: 'void'; readonly code: Exclude<Code, 'claim.instance_taken'> }
  /** An instance of the request has a live claim. */
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
  /** How long deciding took, whole microseconds. */
  readonly tookUs?: number
}

/** The call was not answered in time, or the store is away: it may or may not have been placed. Asking again with the same key tells. */
export class UnavailableError extends Error {
  override readonly name = 'UnavailableError'
  /** `went_back`: the store does not hold what this replica knows to be durable, so that it takes no more writes. */
  readonly reason: 'deadline' | 'store' | 'went_back' | 'closing'

  constructor(reason: UnavailableError['reason'], message: string) {
    super(message)
    this.reason = reason
  }
}
