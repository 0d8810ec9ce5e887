import type { StatsDelta } from '../report/stats.ts'
import type { PublishedStats } from '../report/stats-versions.ts'
import type { Intent } from '../request/intent.ts'
import type { HostName } from '../values/host-name.ts'
import type { Rollout } from './course.ts'
import type { DecisionRecord, SelectedDestination } from './decision.ts'
import type { Grants } from './grants.ts'
import type { Place } from './place.ts'
import type { Profile } from './profile.ts'

/** Amounts and ratios of a class as an import wrote them. */
export interface AllocationAmounts {
  readonly ratio?: number
  readonly reserved?: number
}

/**
 * Where the used amounts of a host come from. REPORT: what it reports as used, and what claims hold that it does not count. CLAIMS: all
 * claims and nothing else, for a host that does not list its instances and runs none without a claim.
 */
export const usedFromValues = ['REPORT', 'CLAIMS'] as const

export type UsedFrom = (typeof usedFromValues)[number]

export type { Grants } from './grants.ts'

/**
 * The log's entries. They hold effects, not intentions: hosts, amounts, cells, CPUs and devices by name, so that replicas of different
 * releases reach the same state. A published shape never changes its meaning; new content gets a new type, which is written only after a
 * `feature` entry has established that every replica can read it.
 */
export const ENTRY_FORMAT = 1

/**
 * The highest feature level that this release can apply. Level 2: moves, revocations, edits of groups, liveness. Level 3:
 * requests and reports of version 1.1. Level 4: rollouts of profiles, filters in shadow mode; and decisions in the tables are
 * packed once every replica reads it (decision/packed.ts). Level 5: requests of version 1.2, profiles with the scheduler `solver`;
 * reports of version 1.2, profiles that say which kinds of resource their requests may ask; documents of the namespaces that this
 * service reads (namespace/), with the time of each, and profiles that ask for them. Level 6: claims on the space of pools, and
 * aggregates that say in which pool the disks of their hosts lie. Level 7: profiles that name filters and weighers of plug-ins, decisions
 * that rest on answers from outside of the process, and documents of namespaces of plug-ins. Level 8: the rules in `levels.ts`.
 * Level 9: hosts that are forgotten, admitted again or replaced; reports of version 1.3; since when claims are not listed. Level 10: more
 * of the rules in `levels.ts`.
 */
export const FEATURE_LEVEL = 10

/** A batch of changes as a replica writes it. */
export interface Entry {
  readonly format: typeof ENTRY_FORMAT
  /** Unique for ever: an entry that is sent twice has the same id. */
  readonly id: string
  readonly writer: string
  /** The position in the log on which every change in it was decided. */
  readonly basis: Place
  readonly changes: readonly Change[]
}

/** An entry as the store hands it out: with its revision and the store's time. */
export interface LogEntry extends Entry {
  readonly revision: number
  readonly at: number
}

/** Host status set by operators. Only ENABLED hosts take new instances. */
export const hostStatuses = ['ENABLED', 'DISABLED', 'DRAINING', 'MAINTENANCE'] as const
export type HostStatus = (typeof hostStatuses)[number]

export type GroupPolicy = 'AFFINITY' | 'ANTI_AFFINITY' | 'SOFT_AFFINITY' | 'SOFT_ANTI_AFFINITY'

export interface ClaimPart extends HostName {
  /** The claim's id. */
  readonly claim: string
  /** The uuid of the instance; null if the caller gave none. */
  readonly instance: string | null
  readonly grants: Grants
}

export interface GroupBinding {
  readonly uuid: string
  readonly policy: GroupPolicy
  readonly maxServerPerHost: number | null
  /** Groups with which its group must not share a host; absent if none. */
  readonly apartFrom?: readonly string[]
}

export type MoveIntent = Extract<Intent, 'RESIZE' | 'LIVE_MIGRATE' | 'COLD_MIGRATE' | 'EVACUATE'>

/** A claim by its id, with the fence that proves that the caller knows its latest owner. */
export interface ClaimRef {
  readonly claim: string
  readonly fence: number
}

interface Proposed {
  readonly account: string
  readonly key: string
  /** Digest of the canonical request: the same key with another digest is a conflict, not a repetition. */
  readonly digest: string
  readonly mode: 'RESERVE' | 'CONFIRM'
  /** How long a reservation lasts from the store's stamp of this entry, milliseconds. */
  readonly ttlMs: number
  /** The store time until which the caller waits; after it, the proposal is void. */
  readonly notAfter: number | null
  readonly group: GroupBinding | null
  readonly parts: readonly ClaimPart[]
  /** The answer to a repeated call, in the order of the parts; fences come from `apply`. */
  readonly answer: readonly SelectedDestination[]
  /** Everything that a replay of the decision needs. */
  readonly decision: DecisionRecord
  /** How long its writer took to decide it, whole microseconds: only for people. Absent: not measured. */
  readonly tookUs?: number
}

/** Room for new instances: all parts count, or none. */
export interface ClaimsProposed extends Proposed {
  readonly type: 'claims'
  readonly intent: 'CREATE' | 'UNSHELVE'
}

/** Room for one instance at its destination; its present claim is held too until the move is confirmed or reverted. */
export interface MoveProposed extends Proposed {
  readonly type: 'move'
  readonly intent: MoveIntent
  readonly source: ClaimRef
}

/** Room for new instances by the rule that each has one live claim in its project (claims/judge-instances.ts). */
export interface InstancesProposed extends Omit<ClaimsProposed, 'type'> {
  readonly type: 'instances'
  /** The request's project; null: the account counts instead. */
  readonly project: string | null
  /** The host lists the instance, which has no claim: it is materialised at once (claims/judge-listed.ts). Since feature level LISTED_CLAIMS. */
  readonly isListed?: true
}

/**
 * A further attempt to place an instance of the same account that has a live claim: an open move of that claim. The destination of the
 * move that was open is released by the same entry.
 */
export interface AttemptProposed extends Proposed {
  readonly type: 'attempt'
  readonly intent: ClaimsProposed['intent']
  readonly project: string | null
  readonly source: ClaimRef
  /** The destination that is released; null where no move was open. */
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
  /** The new end is the later of the present one and the store's stamp plus this, milliseconds. */
  readonly ttlMs: number
}

export interface ClaimReleased {
  readonly type: 'release'
  readonly claim: string
  readonly fence: number
  readonly reason: string | null
}

/** Operators end a claim whatever its fence is. */
export interface ClaimRevoked {
  readonly type: 'revoke'
  readonly claim: string
  readonly reason: string
}

export interface ClaimExpired {
  readonly type: 'expire'
  readonly claim: string
}

/** The caller's last call for a key: binds an unused key, or releases what it holds. */
export interface KeyAbandoned {
  readonly type: 'abandon'
  readonly account: string
  readonly key: string
}

/** How many ended idempotency keys are kept, and for how long: counts only on the version that it was made from. */
export interface KeyLimitsChanged {
  readonly type: 'key-limits'
  readonly expectedVersion: number
  /** Keys whose claims have all ended, at most; beyond, new ones are void. Those of live claims do not count. */
  readonly cap: number
  /** How long a key is kept after its last claim, milliseconds of store time. */
  readonly afterlifeMs: number
}

export interface HostReported extends HostName {
  readonly type: 'report'
  readonly incarnation: string
  readonly sequence: number
  /** In the oldest version that can express all of it. */
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

/** Whether the used amounts of a host come from its report or from claims alone. */
export interface UsedFromSet extends HostName {
  readonly type: 'usedFrom'
  readonly usedFrom: UsedFrom
  readonly reason: string
}

/**
 * An operator sets how much of a class can be allocated on a host, whatever it reports; null removes a value, and values that are left out
 * stay.
 */
export interface HostAllocationSet extends HostName {
  readonly type: 'hostAllocation'
  readonly resourceClass: string
  readonly ratio?: number | null
  readonly reserved?: number | null
  /** The account that set it. */
  readonly by: string
  readonly reason: string
}

/** The values for hosts whose document in Nova's form states none, as a whole: counts only on the version that it was made from. */
export interface FleetAllocationSet {
  readonly type: 'fleetAllocation'
  readonly expectedVersion: number
  /** Nova's release, whose defaults count last; null: none is named. */
  readonly release: number | null
  readonly classes: Readonly<Record<string, AllocationAmounts>>
  readonly by: string
  readonly reason: string
}

/** The liveness of a host as concluded from its signs of life; independent of what the host reports. */
export const livenessStates = ['UP', 'SUSPECT', 'DOWN'] as const
export type Liveness = (typeof livenessStates)[number]

export interface LivenessChanged extends HostName {
  readonly type: 'liveness'
  readonly state: Liveness
  readonly reason: string
}

/** Operators take hosts out of the fleet: all of them, or none. */
export interface HostForgotten {
  readonly type: 'forget'
  readonly hosts: readonly HostName[]
  /** Live claims end REVOKED with the reason; without it they make the change void. */
  readonly isForced: boolean
  /** The number of live claims that the caller expects; with another number the change is void. Absent: any number is accepted. */
  readonly expectedClaims?: number
  readonly reason: string
}

/** Reports under the name of a forgotten or replaced host are accepted again. */
export interface HostReadmitted extends HostName {
  readonly type: 'readmit'
  readonly reason: string
}

/** Machines that have another name from now on: all of them, or none. */
export interface HostReplaced {
  readonly type: 'replace'
  readonly hosts: readonly { readonly from: HostName; readonly to: HostName }[]
  readonly reason: string
}

/** A group's new rule: counts only on the version that it was made from, and only if its members satisfy it already. */
export interface GroupChanged extends GroupBinding {
  readonly type: 'group'
  readonly expectedVersion: number
}

/** A live claim joins a group, or leaves its group (null), if the group's rule allows it where the claim is. */
export interface MembershipChanged extends ClaimRef {
  readonly type: 'membership'
  readonly group: GroupBinding | null
}

/** An aggregate's whole new state: counts only on the version that it was made from; null deletes it. */
export interface AggregateChanged {
  readonly type: 'aggregate'
  readonly uuid: string
  /** 0 for a new aggregate. */
  readonly expectedVersion: number
  readonly next: AggregateState | null
  /** The account that edits it, kept with the ratios that it sets; absent below the level of that rule. */
  readonly by?: string
}

export interface AggregateState {
  readonly name: string
  readonly metadata: Readonly<Record<string, string>>
  /** Host names; a member host brings all its nodes. */
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
 * Which version of a profile decides and which one is tried, as a whole: counts only on the state that it was made from. An activation ends
 * a rollout; a rollback leads to the version before.
 */
export interface ProfileRolledOut {
  readonly type: 'rollout'
  readonly name: string
  readonly expected: {
    readonly active: number
    /** 0 when the name had no rollout yet. */
    readonly version: number
  }
  readonly active: number
  readonly past: readonly number[]
  readonly rolledBack: readonly number[]
  /** `since` comes from `apply`. */
  readonly rollout: Omit<Rollout, 'since'> | null
}

/** From this entry on every replica can apply changes of this level. */
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

/** The project of a proposal: that of its request where its type is from before level 8. A move keeps the project of its claim. */
export const projectOf = (change: Proposal): string | null => ('project' in change ? change.project : change.decision.request.projectId)
