import type { StatsDelta } from '../report/stats.ts'
import type { PublishedStats } from '../report/stats-versions.ts'
import type { Intent } from '../request/intent.ts'
import type { HostName } from '../values/host-name.ts'
import type { FleetAmounts } from './allocation-settings.ts'
import type { Rollout } from './course.ts'
import type { DecisionRecord, SelectedDestination } from './decision.ts'
import type { Grants } from './grants.ts'
import type { Place } from './place.ts'
import type { Profile } from './profile.ts'

/**
 * Where the resource usage of a host is read from. REPORT: from its report, plus the claims that the report does not include. CLAIMS: only
 * from its claims. CLAIMS is for a host that does not list its instances and has no instances without claims.
 */
export const usedFromValues = ['REPORT', 'CLAIMS'] as const

export type UsedFrom = (typeof usedFromValues)[number]

export type { Grants } from './grants.ts'

/**
 * The format of log entries. Entries contain results and not requests: the chosen hosts, amounts, cells, CPUs and devices. Replicas of
 * different releases therefore reach the same state. The meaning of a published form never changes. New content needs a new type of change,
 * which is written only after a `feature` entry. From that entry on, every replica can read it.
 */
export const ENTRY_FORMAT = 1

/**
 * The highest feature level that this release can apply. Additions to the log by level: Level 2: moves, revocations, edits of groups,
 * liveness. Level 3: requests and reports of version 1.1. Level 4: rollouts of profiles, filters in shadow mode, and packed decisions in
 * tables (decision/packed.ts).
 * Level 5: requests and reports of version 1.2, profiles with the scheduler `solver`, profiles with a list of the resource kinds that
 * their requests may ask for, documents of the namespaces of this service (namespace/) with their times, and profiles that read them.
 * Level 6: claims on the space of pools, and aggregates that name the pool of their hosts' disks. Level 7: profiles that name filters and
 * weighers of plug-ins, decisions with answers from outside of the process, and documents of namespaces of plug-ins. Level 8: the rules in
 * `levels.ts`. Level 9: hosts that are forgotten, readmitted or replaced, reports of version 1.3, and the times since which claims are
 * unlisted. Level 10: further rules in `levels.ts`. Level 11: documents of the namespace `collectors`, and reservations that end when their
 * host counts the instance. Level 12: amounts of such reservations that stay held after a call ended them.
 */
export const FEATURE_LEVEL = 12

/** A log entry without its position: a batch of changes, as a replica sends it to the store. */
export interface Entry {
  readonly format: typeof ENTRY_FORMAT
  /** A unique id. An entry that is sent twice has the same id. */
  readonly id: string
  readonly writer: string
  /** The position in the log up to which the writer had read the log when it decided the changes. */
  readonly basis: Place
  readonly changes: readonly Change[]
}

/** An entry with its revision and the time stamp that the store set. */
export interface LogEntry extends Entry {
  readonly revision: number
  readonly at: number
}

/** The status of a host, which operators set. Only ENABLED hosts get new instances. */
export const hostStatuses = ['ENABLED', 'DISABLED', 'DRAINING', 'MAINTENANCE'] as const
export type HostStatus = (typeof hostStatuses)[number]

export type GroupPolicy = 'AFFINITY' | 'ANTI_AFFINITY' | 'SOFT_AFFINITY' | 'SOFT_ANTI_AFFINITY'

export interface ClaimPart extends HostName {
  /** The id of the claim. */
  readonly claim: string
  /** The uuid of the instance. Null if the caller gave none. */
  readonly instance: string | null
  readonly grants: Grants
}

export interface GroupBinding {
  readonly uuid: string
  readonly policy: GroupPolicy
  readonly maxServerPerHost: number | null
  /** Groups that must not share a host with this group. Absent if there are no such groups. */
  readonly apartFrom?: readonly string[]
}

export type MoveIntent = Extract<Intent, 'RESIZE' | 'LIVE_MIGRATE' | 'COLD_MIGRATE' | 'EVACUATE'>

/** A reference to a claim. A change whose fence is not that of the claim is void (refused). */
export interface ClaimRef {
  readonly claim: string
  readonly fence: number
}

interface Proposed {
  readonly account: string
  readonly key: string
  /** The digest of the canonical request. A call with the same key and another digest is a conflict, not a repetition. */
  readonly digest: string
  readonly mode: 'RESERVE' | 'CONFIRM'
  /** The duration of a reservation in milliseconds, from the time stamp of this entry. */
  readonly ttlMs: number
  /** True if a reservation also ends when its host counts the instance (claims/counted.ts). Since feature level COUNTED_RESERVATIONS. */
  readonly untilCounted?: true
  /** The caller's deadline in store time (the database's clock). If the time stamp of the entry is later, the proposal is void. */
  readonly notAfter: number | null
  readonly group: GroupBinding | null
  readonly parts: readonly ClaimPart[]
  /** The answer that a repeated call gets, in the order of the parts. The fences are added when the entry is applied. */
  readonly answer: readonly SelectedDestination[]
  /** All data that a replay of the decision needs. */
  readonly decision: DecisionRecord
  /** How long the decision took, in whole microseconds. Absent if not measured. */
  readonly tookUs?: number
}

/** Proposes claims for new instances. If one claim cannot be made, the whole proposal is void. */
export interface ClaimsProposed extends Proposed {
  readonly type: 'claims'
  readonly intent: 'CREATE' | 'UNSHELVE'
}

/** Proposes a move: a claim for an instance on its destination. The instance's present claim stays live until the move is confirmed. */
export interface MoveProposed extends Proposed {
  readonly type: 'move'
  readonly intent: MoveIntent
  readonly source: ClaimRef
}

/** Proposes claims for new instances. Each instance can have only one live claim in its project. */
export interface InstancesProposed extends Omit<ClaimsProposed, 'type'> {
  readonly type: 'instances'
  /** The request's project. If null, an instance can have only one live claim within the account. */
  readonly project: string | null
  /**
   * True if the proposal is for an instance that has no claim and that the host's report lists. The claim is then materialised at once.
   * Since feature level LISTED_CLAIMS.
   */
  readonly isListed?: true
}

/**
 * Proposes a further attempt to place an instance that already has a live claim. The attempt opens a move of this claim. If a move is
 * already open, its destination claim is released in the same step.
 */
export interface AttemptProposed extends Proposed {
  readonly type: 'attempt'
  readonly intent: ClaimsProposed['intent']
  readonly project: string | null
  readonly source: ClaimRef
  /** The destination claim of the open move, which is released. Null if no move is open. */
  readonly ends: ClaimRef | null
}

export type Proposal = ClaimsProposed | MoveProposed | InstancesProposed | AttemptProposed

export interface ClaimConfirmed {
  readonly type: 'confirm'
  readonly claim: string
  readonly fence: number
}

export interface ClaimExtended {
  readonly type: 'extend'
  readonly claim: string
  readonly fence: number
  /** The reservation ends this many milliseconds after the time stamp of the entry, or at its present end if that is later. */
  readonly ttlMs: number
}

export interface ClaimReleased {
  readonly type: 'release'
  readonly claim: string
  readonly fence: number
  readonly reason: string | null
}

/** Ends a claim on behalf of an operator, without a check of its fence. */
export interface ClaimRevoked {
  readonly type: 'revoke'
  readonly claim: string
  readonly reason: string
}

export interface ClaimExpired {
  readonly type: 'expire'
  readonly claim: string
}

/** Abandons a key. An unused key is bound without claims, so that it cannot be used later. The claims of a used key are released. */
export interface KeyAbandoned {
  readonly type: 'abandon'
  readonly account: string
  readonly key: string
}

/** Sets how many ended keys are stored, and for how long. Void if the version of the present limits is not `expectedVersion`. */
export interface KeyLimitsChanged {
  readonly type: 'key-limits'
  readonly expectedVersion: number
  /** At most this many keys whose claims have all ended are stored. At this limit, proposals with new keys are refused. */
  readonly cap: number
  /** How long a key is kept after its last claim ended, in milliseconds of store time (the database's clock). */
  readonly afterlifeMs: number
}

export interface HostReported extends HostName {
  readonly type: 'report'
  readonly incarnation: string
  readonly sequence: number
  /** The full report, in the oldest published version that has all fields of the report. */
  readonly full?: PublishedStats
  readonly delta?: StatsDelta
}

/** A document that another service reports about a host, in that service's own schema and version. */
export interface NamespaceReported extends HostName {
  readonly type: 'namespace'
  readonly namespace: string
  readonly version: string
  readonly incarnation: string
  readonly sequence: number
  readonly document: unknown
}

export interface StatusSet extends HostName {
  readonly type: 'status'
  readonly status: HostStatus
  readonly reason: string
}

/** Sets where the usage of a host is read from: from its report, or only from its claims. */
export interface UsedFromSet extends HostName {
  readonly type: 'usedFrom'
  readonly usedFrom: UsedFrom
  readonly reason: string
}

/**
 * Sets the allocation ratio and the reserved amount of a resource class on a host, which override the reported values. Null removes an
 * override. Absent values stay unchanged.
 */
export interface HostAllocationSet extends HostName {
  readonly type: 'hostAllocation'
  readonly resourceClass: string
  readonly ratio?: number | null
  readonly reserved?: number | null
  /** The account that set the values. */
  readonly by: string
  readonly reason: string
}

/** Replaces the default values for reports in Nova's form that leave the values out. Void if the version differs from `expectedVersion`. */
export interface FleetAllocationSet {
  readonly type: 'fleetAllocation'
  readonly expectedVersion: number
  /** The release of Nova whose defaults apply if no other value is set. Null if no release is set. */
  readonly release: number | null
  readonly classes: Readonly<Record<string, FleetAmounts>>
  readonly by: string
  readonly reason: string
}

/** The liveness of a host shows whether its reports and heartbeats arrive, regardless of their content. */
export const livenessStates = ['UP', 'SUSPECT', 'DOWN'] as const
export type Liveness = (typeof livenessStates)[number]

export interface LivenessChanged extends HostName {
  readonly type: 'liveness'
  readonly state: Liveness
  readonly reason: string
}

/** Removes hosts from the fleet for an operator. If one host cannot be removed, the whole change is void. */
export interface HostForgotten {
  readonly type: 'forget'
  readonly hosts: readonly HostName[]
  /** If true, live claims end as REVOKED with the reason `reason`. If false, live claims make the change void. */
  readonly isForced: boolean
  /** The count of live claims that the operator expects. The change is void if the count differs. Absent: any count is accepted. */
  readonly expectedClaims?: number
  readonly reason: string
}

/** Allows reports under the name of a forgotten host, or under the former name of a replaced host. */
export interface HostReadmitted extends HostName {
  readonly type: 'readmit'
  readonly reason: string
}

/** Renames hosts. If one host cannot be renamed, the whole change is void. */
export interface HostReplaced {
  readonly type: 'replace'
  readonly hosts: readonly { readonly from: HostName; readonly to: HostName }[]
  readonly reason: string
}

/** Sets a new policy for a group. Void if the version of the group is not `expectedVersion`, or if its members violate the new policy. */
export interface GroupChanged extends GroupBinding {
  readonly type: 'group'
  readonly expectedVersion: number
}

/** Adds a live claim to a group, or removes it from its group (null). Void if the group's policy does not allow the claim on its host. */
export interface MembershipChanged extends ClaimRef {
  readonly type: 'membership'
  readonly group: GroupBinding | null
}

/**
 * Creates, replaces or deletes an aggregate. `next` is null for a deletion. Void if the version of the aggregate is not `expectedVersion`.
 */
export interface AggregateChanged {
  readonly type: 'aggregate'
  readonly uuid: string
  /** 0 for a new aggregate. */
  readonly expectedVersion: number
  readonly next: AggregateState | null
  /** The account that makes the edit. Stored with the ratios that the edit sets. Absent below feature level ALLOCATION_RULES. */
  readonly by?: string
}

export interface AggregateState {
  readonly name: string
  readonly metadata: Readonly<Record<string, string>>
  /** The host names of members. All nodes of a member host belong to the aggregate. */
  readonly hosts: readonly string[]
}

export interface ProfileChanged {
  readonly type: 'profile'
  readonly profile: Profile
}

export interface ProfileActivated {
  readonly type: 'activate'
  readonly name: string
  readonly number: number
}

/**
 * Sets the active version of a profile and the version in a rollout. Void if the version history of the profile (its course) has changed
 * since the operator read it.
 */
export interface ProfileRolledOut {
  readonly type: 'rollout'
  readonly name: string
  readonly expected: {
    readonly active: number
    /** The version of the profile's course, the history of its versions. 0 if the profile had no rollout yet. */
    readonly version: number
  }
  readonly active: number
  readonly past: readonly number[]
  readonly rolledBack: readonly number[]
  /** The new rollout. Null if there is none. The time `since` is set when the entry is applied. */
  readonly rollout: Omit<Rollout, 'since'> | null
}

/**
 * Raises the feature level of the log. Every replica can apply this level. Changes that need this level can be written from this entry on.
 */
export interface FeatureLevelRaised {
  readonly type: 'feature'
  readonly level: number
}

export type Change =
  | ClaimsProposed
  | MoveProposed
  | InstancesProposed
  | AttemptProposed
  | ClaimConfirmed
  | ClaimExtended
  | ClaimReleased
  | ClaimRevoked
  | ClaimExpired
  | KeyAbandoned
  | KeyLimitsChanged
  | HostReported
  | NamespaceReported
  | StatusSet
  | LivenessChanged
  | UsedFromSet
  | HostAllocationSet
  | FleetAllocationSet
  | HostForgotten
  | HostReadmitted
  | HostReplaced
  | GroupChanged
  | MembershipChanged
  | AggregateChanged
  | ProfileChanged
  | ProfileActivated
  | ProfileRolledOut
  | FeatureLevelRaised

const proposals: ReadonlySet<string> = new Set<Proposal['type']>(['claims', 'move', 'instances', 'attempt'])

export const isProposal = (change: Change): change is Proposal => proposals.has(change.type)

/** The project of a proposal. Types from before feature level 8 have none, so the project of the request is returned. */
export const projectOf = (change: Proposal): string | null => ('project' in change ? change.project : change.decision.request.projectId)
