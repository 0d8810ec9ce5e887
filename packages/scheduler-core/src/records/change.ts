import type { StatsDelta } from '../report/stats.ts'
import type { PublishedStats } from '../report/stats-versions.ts'
import type { Intent } from '../request/intent.ts'
import type { HostName } from '../values/host-name.ts'
import type { Rollout } from './course.ts'
import type { DecisionRecord, SelectedDestination } from './decision.ts'
import type { Grants } from './grants.ts'
import type { Place } from './place.ts'
import type { Profile } from './profile.ts'

/** The ratio and the reserved amount of a class as an import wrote them. */
export interface AllocationAmounts {
  readonly ratio?: number
  readonly reserved?: number
}

/**
 * Where the resource usage of a host is read from. REPORT: its report, plus the claims that the report does not count. CLAIMS: all claims,
 * without the report, for a host that does not list its instances and runs none without a claim.
 */
export const usedFromValues = ['REPORT', 'CLAIMS'] as const

export type UsedFrom = (typeof usedFromValues)[number]

export type { Grants } from './grants.ts'

/**
 * The format of log entries. They contain effects and not intentions: hosts, amounts, cells, CPUs and devices by name. Replicas of
 * different releases therefore reach the same state. A published shape never changes its meaning. New content gets a new type, which is
 * written only after a `feature` entry has established that every replica can read it.
 */
export const ENTRY_FORMAT = 1

/**
 * The highest feature level that this release can apply. Level 2: moves, revocations, edits of groups, liveness. Level 3: requests and
 * reports of version 1.1. Level 4: rollouts of profiles, filters in shadow mode, and packed decisions in tables (decision/packed.ts).
 * Level 5: requests and reports of version 1.2, profiles with the scheduler `solver`, profiles with a list of the resource kinds that
 * their requests may ask for, documents of the namespaces of this service (namespace/) with their times, and profiles that read them.
 * Level 6: claims on the space of pools, and aggregates that name the pool of their hosts' disks. Level 7: profiles that name filters and
 * weighers of plug-ins, decisions with answers from outside of the process, and documents of namespaces of plug-ins. Level 8: the rules in
 * `levels.ts`. Level 9: hosts that are forgotten, readmitted or replaced, reports of version 1.3, and the times since which claims are
 * unlisted. Level 10: further rules in `levels.ts`.
 */
export const FEATURE_LEVEL = 10

/** A batch of changes as a replica writes it. */
export interface Entry {
  readonly format: typeof ENTRY_FORMAT
  /** A unique id. An entry that is sent twice has the same id. */
  readonly id: string
  readonly writer: string
  /** The position in the log on which every change of the entry was decided. */
  readonly basis: Place
  readonly changes: readonly Change[]
}

/** An entry with the revision and the time that the store gave it. */
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
  /** Groups with which this group must not share a host. Absent if there are none. */
  readonly apartFrom?: readonly string[]
}

export type MoveIntent = Extract<Intent, 'RESIZE' | 'LIVE_MIGRATE' | 'COLD_MIGRATE' | 'EVACUATE'>

/** A claim by its id. The fence proves that the caller knows the claim's present owner. */
export interface ClaimRef {
  readonly claim: string
  readonly fence: number
}

interface Proposed {
  readonly account: string
  readonly key: string
  /** The digest of the canonical request. The same key with another digest is a conflict, not a repetition. */
  readonly digest: string
  readonly mode: 'RESERVE' | 'CONFIRM'
  /** The duration of a reservation in milliseconds, beginning at the store's stamp of this entry. */
  readonly ttlMs: number
  /** The store time until which the caller waits. After this time the proposal is void. */
  readonly notAfter: number | null
  readonly group: GroupBinding | null
  readonly parts: readonly ClaimPart[]
  /** The answer to a repeated call, in the order of the parts. `apply` adds the fences. */
  readonly answer: readonly SelectedDestination[]
  /** Everything that a replay of the decision needs. */
  readonly decision: DecisionRecord
  /** The duration of the decision in whole microseconds, as information for operators. Absent if it was not measured. */
  readonly tookUs?: number
}

/** Proposes claims for new instances. Either all parts count, or none. */
export interface ClaimsProposed extends Proposed {
  readonly type: 'claims'
  readonly intent: 'CREATE' | 'UNSHELVE'
}

/** Proposes a claim for one instance at its destination. Its present claim is also held until the move is confirmed or reverted. */
export interface MoveProposed extends Proposed {
  readonly type: 'move'
  readonly intent: MoveIntent
  readonly source: ClaimRef
}

/** Proposes claims for new instances. Each may have one live claim in its project (claims/judge-instances.ts). */
export interface InstancesProposed extends Omit<ClaimsProposed, 'type'> {
  readonly type: 'instances'
  /** The request's project. If null, the rule applies within the account. */
  readonly project: string | null
  /**
   * True if the host lists the instance, which has no claim: the claim is materialised at once (claims/judge-listed.ts). Since feature
   * level LISTED_CLAIMS.
   */
  readonly isListed?: true
}

/**
 * A further attempt to place an instance that already has a live claim of the same account. It opens a move of this claim. If a move is
 * already open, the same entry releases the destination of that move.
 */
export interface AttemptProposed extends Proposed {
  readonly type: 'attempt'
  readonly intent: ClaimsProposed['intent']
  readonly project: string | null
  readonly source: ClaimRef
  /** The destination that is released. Null if no move was open. */
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
  /** The new end of the reservation is the store's stamp plus this number of milliseconds, or the present end if that is later. */
  readonly ttlMs: number
}

export interface ClaimReleased {
  readonly type: 'release'
  readonly claim: string
  readonly fence: number
  readonly reason: string | null
}

/** Ends a claim for an operator, without a check of its fence. */
export interface ClaimRevoked {
  readonly type: 'revoke'
  readonly claim: string
  readonly reason: string
}

export interface ClaimExpired {
  readonly type: 'expire'
  readonly claim: string
}

/** The caller's last call for a key. It binds an unused key to no claims, or releases the claims of a used key. */
export interface KeyAbandoned {
  readonly type: 'abandon'
  readonly account: string
  readonly key: string
}

/** Sets how many ended keys are stored, and for how long. Counts only if the limits have the expected version. */
export interface KeyLimitsChanged {
  readonly type: 'key-limits'
  readonly expectedVersion: number
  /** At most this many keys whose claims have all ended are stored. At this limit, proposals with new keys are void. */
  readonly cap: number
  /** How long a key is kept after its last claim ended, in milliseconds of store time. */
  readonly afterlifeMs: number
}

export interface HostReported extends HostName {
  readonly type: 'report'
  readonly incarnation: string
  readonly sequence: number
  /** The full report in the oldest published version that can express all of it. */
  readonly full?: PublishedStats
  readonly delta?: StatsDelta
}

/** Another service's data about a host, stored in that service's own schema and version. */
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

/** Sets whether the usage of a host is read from its report, or only from claims. */
export interface UsedFromSet extends HostName {
  readonly type: 'usedFrom'
  readonly usedFrom: UsedFrom
  readonly reason: string
}

/**
 * Sets how much of a class can be allocated on a host, instead of the reported values. Null removes a value, and absent values stay
 * unchanged.
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

/** Replaces the values for documents in Nova's form that do not contain them. Counts only if they have the expected version. */
export interface FleetAllocationSet {
  readonly type: 'fleetAllocation'
  readonly expectedVersion: number
  /** The release of Nova with the defaults that apply if nothing else does. Null if no release is set. */
  readonly release: number | null
  readonly classes: Readonly<Record<string, AllocationAmounts>>
  readonly by: string
  readonly reason: string
}

/** The liveness of a host by its reports and heartbeats, regardless of the content of reports. */
export const livenessStates = ['UP', 'SUSPECT', 'DOWN'] as const
export type Liveness = (typeof livenessStates)[number]

export interface LivenessChanged extends HostName {
  readonly type: 'liveness'
  readonly state: Liveness
  readonly reason: string
}

/** Takes hosts out of the fleet, as an operator requested: either all of them or none. */
export interface HostForgotten {
  readonly type: 'forget'
  readonly hosts: readonly HostName[]
  /** If true, live claims end as REVOKED with the reason. If false, live claims make the change void. */
  readonly isForced: boolean
  /** The number of live claims that the caller expects. If it differs, the change is void. Absent if any number is accepted. */
  readonly expectedClaims?: number
  readonly reason: string
}

/** Allows reports under the name of a forgotten or replaced host again. */
export interface HostReadmitted extends HostName {
  readonly type: 'readmit'
  readonly reason: string
}

/** Renames machines: either all of the listed machines or none. */
export interface HostReplaced {
  readonly type: 'replace'
  readonly hosts: readonly { readonly from: HostName; readonly to: HostName }[]
  readonly reason: string
}

/** Sets a new rule for a group. Counts only if the group has the expected version and its members satisfy the rule. */
export interface GroupChanged extends GroupBinding {
  readonly type: 'group'
  readonly expectedVersion: number
}

/** Adds a live claim to a group, or removes it from its group (null). Counts only if the group's rule allows the claim on its host. */
export interface MembershipChanged extends ClaimRef {
  readonly type: 'membership'
  readonly group: GroupBinding | null
}

/** Replaces an aggregate; null deletes it. Counts only if the aggregate has the expected version. */
export interface AggregateChanged {
  readonly type: 'aggregate'
  readonly uuid: string
  /** 0 for a new aggregate. */
  readonly expectedVersion: number
  readonly next: AggregateState | null
  /** The account that makes the edit. It is stored with the ratios that the edit sets. Absent below the feature level of this rule. */
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
 * Sets which version of a profile decides and which is tried. Counts only if the rollout state has the expected version. An activation ends
 * a rollout, and a rollback activates the previous version.
 */
export interface ProfileRolledOut {
  readonly type: 'rollout'
  readonly name: string
  readonly expected: {
    readonly active: number
    /** 0 if the name had no rollout yet. */
    readonly version: number
  }
  readonly active: number
  readonly past: readonly number[]
  readonly rolledBack: readonly number[]
  /** `apply` sets `since`. */
  readonly rollout: Omit<Rollout, 'since'> | null
}

/** From this entry on, the log may contain changes of this level, because every replica can apply them. */
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

/** The project of a proposal. For types from before level 8, this is the project of its request. A move keeps the project of its claim. */
export const projectOf = (change: Proposal): string | null => ('project' in change ? change.project : change.decision.request.projectId)
