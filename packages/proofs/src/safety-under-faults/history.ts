/** The calls of clients and their answers, which are all that the checker knows in addition to the final state. */
export interface Operation {
  readonly client: number
  /** The replica that was asked. */
  readonly replica: number
  /** Milliseconds of a clock that all clients share. */
  readonly invokedAt: number
  readonly endedAt: number
  readonly call: Call
  readonly outcome: Outcome
}

/** `fail`: the call certainly had no effect. `info`: it may have had one, or may have one later. */
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
  /** Set with ANTI_AFFINITY. */
  readonly maxServerPerHost: number | null
}

/** Whole units by resource class, and by sort of unit that hosts choose themselves (`picked-units.ts`). */
export type Amounts = Readonly<Record<string, number>>

export interface Place {
  readonly type: 'place'
  readonly key: string
  readonly amounts: Amounts
  /** One uuid per instance; another key uses it only to move the instance. */
  readonly instances: readonly string[]
  readonly mode: 'RESERVE' | 'CONFIRM'
  readonly ttlMs: number
  readonly group: Group | null
  /** The claim that moves: a live migration, unless this is a further attempt. */
  readonly moveOf: ClaimRef | null
  readonly minRevision: number | null
  /** How the call states that an earlier placement of the instance failed; the service finds the claim itself. */
  readonly attempt?: Attempt
}

/**
 * A further attempt for an instance that has a claim: in Nova's form with the hosts that were tried, or on an
 * alternate of the decision that made its claim. It ends the destination of an open move.
 */
export type Attempt = { readonly ends: ClaimRef | null } & (
  | { readonly type: 'retry'; readonly tried: readonly string[] }
  | { readonly type: 'alternate'; readonly decision: string; readonly host: string }
)

export interface EndOf<Type extends 'confirm' | 'extend' | 'release'> {
  readonly type: Type
  readonly claims: readonly ClaimRef[]
  /** The TTL of an extension. */
  readonly ttlMs: number
}

export type EndOfClaims = EndOf<'confirm'> | EndOf<'extend'> | EndOf<'release'>

/** Another request with a used key: a mistake of a caller. */
export interface Misuse {
  readonly type: 'misuse'
  readonly key: string
  readonly amounts: Amounts
  readonly instance: string
}

/** An instance with a confirmed claim that is requested again with another key, by a caller that lost its key. */
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
  /** The host's present name, if it is not the first one. */
  readonly as?: string
}

/**
 * A host leaves and returns: `forget` without claims, `force` with its claims, `readmit` so that its reports count
 * again; or it gets the name `by`.
 */
export interface Leave {
  readonly type: 'leave'
  readonly host: string
  readonly how: 'forget' | 'force' | 'readmit' | 'replace'
  /** The host's present name. */
  readonly as: string
  readonly by: string | null
}

/** An operator sets the values of a class on a host, regardless of its reports; null for no value. */
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
  /** The host's present name, if it is not the first one. */
  readonly as?: string
  /** The listed instances; null if the host lists none. */
  readonly instances: readonly string[] | null
  /** The used amounts in its report, by resource class and kind of unit. */
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
  /** The value on the replica that answered. */
  readonly state: ClaimState
  /** The alternates in the answer, by the names that they had then. */
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
  /** `why` is the error in the answer, if it was selected. */
  | { readonly type: 'invalid'; readonly why?: string }
  /** Answer i is for claim i of the call. */
  | { readonly type: 'ends'; readonly results: readonly EndResult[] }
  | { readonly type: 'abandoned'; readonly claims: readonly string[]; readonly revision: number }
  | { readonly type: 'edited'; readonly version: number }
  | { readonly type: 'done' }
  /** A host that does not exist by this name, or cannot leave because of its claims. */
  | { readonly type: 'gone' | 'stays' }

export interface EndResult {
  readonly end: 'done' | 'lost' | 'unknown'
  readonly revision: number
}

/** The state at the end, as one replica shows it. */
export interface FinalState {
  readonly replica: number
  readonly hosts: readonly {
    readonly name: string
    /** The host's present name, if it is not the first one. */
    readonly called?: string
    readonly classes: Readonly<Record<string, ClassUsage>>
    /** By sort of unit: the number of free ones; negative if more are used or claimed than exist. */
    readonly freeUnits: Amounts
  }[]
  readonly claims: readonly FinalClaim[]
  readonly groups: readonly { readonly uuid: string; readonly members: Readonly<Record<string, number>> }[]
  /** The listed findings of its auditor, and the number of findings of each code. */
  readonly findings: readonly FinalFinding[]
  readonly findingCounts: Readonly<Record<string, number>>
}

export interface FinalFinding {
  readonly code: string
  /** The subject: a host, an instance or another object. */
  readonly name: string
  /** For an instance that several hosts list: these hosts, in the order of their names. */
  readonly hosts: readonly string[]
}

export interface ClassUsage {
  readonly capacity: number
  readonly used: number
  readonly claimed: number
}

export interface FinalClaim extends PlacedClaim {
  /** At the destination of an open move: the id of the claim that moves. Null or absent otherwise. */
  readonly moveOf?: string | null
  readonly amounts: Amounts
  readonly group: string | null
}

/** Which amounts of a class one instance may take on a host: from `min` to `max`, in multiples of `step`. */
export interface UnitRule {
  readonly min: number
  readonly max: number
  readonly step: number
}

/** The properties of the fleet that clients know in advance. */
export interface Setting {
  /** By resource class; if the class is absent, any whole number is allowed. */
  readonly units: Readonly<Record<string, UnitRule>>
  readonly hosts: readonly { readonly name: string; readonly capacity: Amounts; readonly base: Amounts }[]
  readonly groups: readonly Group[]
}

/** The first name of a host, by which the checks identify it; later names have a number at the end. */
export const firstNameOf = (name: string): string => name.replace(/~\d+$/, '')

export const isLiveState = (state: ClaimState): boolean => state === 'RESERVED' || state === 'CONFIRMED' || state === 'MATERIALISED'
