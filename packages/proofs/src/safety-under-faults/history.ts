/** A call of a client with its outcome. The rules that check a run read only such operations and the final state. */
export interface Operation {
  readonly client: number
  /** The replica to which the call was sent. */
  readonly replica: number
  /** Milliseconds on a clock that all clients share. */
  readonly invokedAt: number
  readonly endedAt: number
  readonly call: Call
  readonly outcome: Outcome
}

/** `fail`: the call certainly had no effect. `info`: it is unknown whether the call had an effect, or will still have one. */
export type Outcome =
  | { readonly type: 'ok'; readonly answer: Answer }
  | { readonly type: 'fail'; readonly why: string }
  | { readonly type: 'info'; readonly why: string }

export interface ClaimRef {
  readonly id: string
  readonly fence: number
}

export interface Group {
  readonly uuid: string
  readonly policy: 'ANTI_AFFINITY' | 'AFFINITY'
  /** How many members may be on one host. Null unless the policy is ANTI_AFFINITY. */
  readonly maxServerPerHost: number | null
}

/**
 * Whole units by resource class and by kind of picked unit. Hosts themselves choose the picked units of an instance (`picked-units.ts`).
 */
export type Amounts = Readonly<Record<string, number>>

export interface Place {
  readonly type: 'place'
  readonly key: string
  readonly amounts: Amounts
  /** One uuid for each instance. A call with another key has the same uuid only if it moves the instance. */
  readonly instances: readonly string[]
  readonly mode: 'RESERVE' | 'CONFIRM'
  readonly ttlMs: number
  readonly group: Group | null
  /** The claim that moves: a live migration, unless `attempt` is set. */
  readonly moveOf: ClaimRef | null
  readonly minRevision: number | null
  /** Set if the call states that an earlier placement of the instance failed. Such a call does not name the claim. The service finds it. */
  readonly attempt?: Attempt
}

/**
 * A further attempt to place an instance that has a claim: a request in Nova's form with the hosts that were tried (`retry`), or a request
 * for an alternate of the decision that made the claim (`alternate`). `ends` is the destination of an unfinished move, which the attempt
 * ends.
 */
export type Attempt = { readonly ends: ClaimRef | null } & (
  | { readonly type: 'retry'; readonly tried: readonly string[] }
  | { readonly type: 'alternate'; readonly decision: string; readonly host: string }
)

export interface EndOf<Type extends 'confirm' | 'extend' | 'release'> {
  readonly type: Type
  readonly claims: readonly ClaimRef[]
  /** For `extend`: the reservation expires this many milliseconds after the call. */
  readonly ttlMs: number
}

export type EndOfClaims = EndOf<'confirm'> | EndOf<'extend'> | EndOf<'release'>

/** A call that uses the key of an earlier call for a different request. This is a mistake of the caller. */
export interface Misuse {
  readonly type: 'misuse'
  readonly key: string
  readonly amounts: Amounts
  readonly instance: string
}

/** A request with another key for an instance that has a confirmed claim, as from a caller that lost its key. */
export interface Again {
  readonly type: 'again'
  readonly key: string
  readonly amounts: Amounts
  readonly instance: string
  readonly group: Group | null
}

export interface Abandon {
  readonly type: 'abandon'
  readonly key: string
}

export interface SetStatus {
  readonly type: 'status'
  readonly host: string
  readonly status: 'ENABLED' | 'DISABLED'
  /** The host's present name, if it differs from the first name. */
  readonly as?: string
}

/**
 * Removes or readmits a host. `forget` removes a host that has no claims. `force` removes a host together with its claims. `readmit`
 * accepts its reports again. `replace` gives the host the name `by`.
 */
export interface Leave {
  readonly type: 'leave'
  readonly host: string
  readonly how: 'forget' | 'force' | 'readmit' | 'replace'
  /** The host's present name. */
  readonly as: string
  readonly by: string | null
}

/**
 * An operator sets the ratio and the reserved amount of a class on a host. They replace the values that the host reports. Null removes a
 * value.
 */
export interface Allocate {
  readonly type: 'allocate'
  readonly host: string
  /** The host's present name. */
  readonly as: string
  readonly resourceClass: string
  readonly ratio: number | null
  readonly reserved: number | null
}

export interface EditAggregate {
  readonly type: 'aggregate'
  readonly uuid: string
  readonly ifVersion: number
}

export interface Report {
  readonly type: 'report'
  readonly host: string
  /** The host's present name, if it differs from the first name. */
  readonly as?: string
  /** The instances that the report lists. Null if the report has no list. */
  readonly instances: readonly string[] | null
  /** The used amounts in the report, by resource class and by kind of picked unit. */
  readonly used: Amounts
}

export interface Read {
  readonly type: 'read'
}

export type Call = Place | Misuse | Again | EndOfClaims | Abandon | SetStatus | Leave | Allocate | EditAggregate | Report | Read

export type ClaimState = 'RESERVED' | 'CONFIRMED' | 'MATERIALISED' | 'RELEASED' | 'EXPIRED' | 'REVOKED'

export interface PlacedClaim extends ClaimRef {
  readonly host: string
  readonly instance: string | null
  /** The state of the claim on the replica that answered. */
  readonly state: ClaimState
  /** The names of the alternates in the answer, as they were at that time. */
  readonly alternates?: readonly string[]
}

export type Answer =
  | {
      readonly type: 'placed'
      readonly claims: readonly PlacedClaim[]
      readonly replayed: boolean
      readonly revision: number
      readonly decision?: string
    }
  | { readonly type: 'refused' | 'conflict' | 'behind' | 'lost' | 'taken' }
  /** The service refused the input. `why` is the message in the answer, if the call reads it. */
  | { readonly type: 'invalid'; readonly why?: string }
  /** The results are in the order of the claims in the call. */
  | { readonly type: 'ends'; readonly results: readonly EndResult[] }
  | { readonly type: 'abandoned'; readonly claims: readonly string[]; readonly revision: number }
  | { readonly type: 'edited'; readonly version: number }
  | { readonly type: 'done' }
  /** The host does not exist under this name, or cannot leave because of its claims. */
  | { readonly type: 'gone' | 'stays' }

export interface EndResult {
  readonly end: 'done' | 'lost' | 'unknown'
  readonly revision: number
}

/** The state at the end of a run, as one replica returns it. */
export interface FinalState {
  readonly replica: number
  readonly hosts: readonly {
    readonly name: string
    /** The host's present name, if it differs from the first name. */
    readonly called?: string
    readonly classes: Readonly<Record<string, ClassUsage>>
    /** The free amounts by kind of picked unit. Negative if more units are used or claimed than exist. */
    readonly freeUnits: Amounts
  }[]
  readonly claims: readonly FinalClaim[]
  readonly groups: readonly { readonly uuid: string; readonly members: Readonly<Record<string, number>> }[]
  /** The findings that the auditor lists, and the count of findings with each code. */
  readonly findings: readonly FinalFinding[]
  readonly findingCounts: Readonly<Record<string, number>>
}

export interface FinalFinding {
  readonly code: string
  /** The name of the subject: a host, an instance or another object. */
  readonly name: string
  /** For an instance that several hosts list, these hosts in order of name. */
  readonly hosts: readonly string[]
}

export interface ClassUsage {
  readonly capacity: number
  readonly used: number
  readonly claimed: number
}

export interface FinalClaim extends PlacedClaim {
  /** For a claim at the destination of a move that is not finished: the id of the claim at the source. Otherwise null or absent. */
  readonly moveOf?: string | null
  readonly amounts: Amounts
  readonly group: string | null
}

/** The amounts of a class that one instance may have on a host: from `min` to `max`, in multiples of `step`. */
export interface UnitRule {
  readonly min: number
  readonly max: number
  readonly step: number
}

/** The properties of the fleet that clients know before the run. */
export interface Setting {
  /** The allowed amounts by resource class. A class without a rule allows any whole number. */
  readonly units: Readonly<Record<string, UnitRule>>
  /** `capacity`: the real size of the host. `base`: the amounts that the host uses itself, without instances. */
  readonly hosts: readonly { readonly name: string; readonly capacity: Amounts; readonly base: Amounts }[]
  readonly groups: readonly Group[]
}

/** The first name of a host. The checks identify hosts by their first names. A later name is the first name with `~` and a number. */
export const firstNameOf = (name: string): string => name.replace(/~\d+$/, '')

export const isLiveState = (state: ClaimState): boolean => state === 'RESERVED' || state === 'CONFIRMED' || state === 'MATERIALISED'
