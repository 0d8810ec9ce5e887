import type { HostRecord, HostTable, OwnHostRecord } from '../hosts/hosts.ts'
import type { MetadataReads } from '../hosts/metadata-reads.ts'
import type { Grants } from '../records/grants.ts'
import type { HostStats } from '../report/stats.ts'
import type { StatsField } from '../report/stats-fields.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import type { Fact } from '../text/evidence.ts'
import type { Havers } from '../text/prepared-filter.ts'
import type { Reason } from '../text/reason.ts'
import type { HostIndex } from '../values/host-index.ts'

/** The assignment rule of a profile for one kind: the name of the rule and its options. */
export interface AssignmentSetting {
  readonly rule: string
  readonly options?: Readonly<Record<string, unknown>>
}

/**
 * Chooses units inside a host without changing anything. Returns undefined if the host cannot meet the ask. `others` are the grants that
 * earlier kinds chose on the same host for the same instance.
 */
export type Assign<Ask, Grant> = (hosts: HostTable, host: HostIndex, ask: Ask, others?: Grants) => Grant | undefined

/**
 * A kind of resource that hosts have and requests take. It defines how a report becomes inventory, what a request asks for, whether a host
 * can give it, which units of the host are taken, and why a host refuses.
 * The laws:
 * - `assign` returns a grant exactly when `canGive` is true, under every rule, and `fits` accepts that grant.
 * - If a claim moves within its host, `canGive` and `assign` read what it holds there from `hosts.mover`, and `fits` gets it as `held`.
 * - `fits` and `hold` read only whole numbers and names, never a filter or a profile. They are the judge's arithmetic and mean the same in
 * every release. `hold` does not check, and `drop` undoes it exactly.
 * - A materialised claim is one with an instance that the host lists. If the host's report counts use itself, `hold` and `drop` of a
 * materialised grant do nothing, so that nothing is counted twice. From feature level STRICT_CLAIMS on they take the part of it that the
 * report does not count. Every other grant keeps its amount, whichever units the report shows in use.
 * - Data that `hold`, `drop` and `takeInventory` write outside of the columns belongs to the record from `hosts.own(host)`, and `copy`
 * gives a clone its own data. Copies of a fleet share records until one of them writes (values/owner.ts).
 * - Kinds run in the order of `kinds/index.ts`. The choice of a kind may depend on the grants that earlier kinds chose (`others`). For
 * example, PCI devices are chosen near to the NUMA cells of the guest. The earlier kind looks ahead: its `canGive` and `assign` consider
 * only choices with which the later kind also has a grant. If every kind can give, all grants therefore exist when they are chosen in
 * order, without backtracking.
 * - The work for every request is bounded, because thousands of hosts are evaluated within a second. A search that could take too long
 * stops after a fixed number of steps, the same on every replica, and refuses with a specific reason.
 */
export interface ResourceKind<Ask, Grant> {
  /** The key of the kind in grants and assignments. */
  readonly name: string
  /**
   * The filter that passes only hosts with enough of the kind: its name (Nova's name if Nova has the filter), its description, and the
   * report fields that it reads.
   */
  readonly filter: {
    readonly name: string
    readonly description: string
    readonly reads: readonly StatsField[]
    /** The metadata keys of aggregates that the kind reads, in the form that filters declare. */
    readonly readsMetadata?: MetadataReads
  }
  /** Assignment rules by name. The first rule is the default. */
  readonly rules: readonly string[]
  /** Whether grants are amounts by name, which can be subtracted from each other. An instance may then grow on its own host. */
  readonly isPlain?: true
  /**
   * A part of the grant that the same instance already holds on the host, if this part satisfies the ask. The host's present resources are
   * ignored. Undefined if the held units are not enough. `cells` are the host's cells that the guest gets, if any. Plain kinds do not have
   * this method, because a smaller amount is always a part of a larger one.
   */
  keep?(hosts: HostTable, host: HostIndex, ask: Ask, held: Grant, cells: readonly number[] | undefined): Grant | undefined
  /**
   * Whether a grant is a part of another grant, by the judge's arithmetic. Every kind with `keep` has this method, and the result of
   * `keep` is such a part.
   */
  isPartOf?(grant: Grant, held: Grant): boolean
  /** True if hosts share the resource, so that an amount taken on one host is not available on the others. */
  readonly isShared?: true
  /** Whether any host has the resource. If false, no host needs to be checked. If the method is absent, each host is checked. */
  isThere?(hosts: HostTable): boolean
  /** What one instance needs of this kind. Undefined if it needs nothing. */
  ask(spec: RequestSpec): Ask | undefined
  /** Whether the host can meet the ask, regardless of the assignment rule. */
  canGive(hosts: HostTable, host: HostIndex, ask: Ask): boolean
  /** `canGive` for many hosts of one decision, for kinds that can prepare data in advance. The results equal those of `canGive`. */
  prepareCanGive?(hosts: HostTable, ask: Ask): (host: HostIndex) => boolean
  /** The chooser of a rule. Throws RangeError for an unknown rule or invalid options, so that a profile is checked when it is written. */
  createAssign(setting: AssignmentSetting | undefined): Assign<Ask, Grant>
  /**
   * Whether exactly this grant can be held now. `held` is the grant of this kind that the same instance already holds on the host. It
   * counts as free, so an excess that does not grow is allowed. `others` are all grants of the same claim.
   */
  fits(hosts: HostTable, host: HostIndex, grant: Grant, held?: Grant, others?: Grants): boolean
  hold(hosts: HostTable, host: HostIndex, grant: Grant, materialised: boolean): void
  drop(hosts: HostTable, host: HostIndex, grant: Grant, materialised: boolean): void
  /**
   * Leaves out a claim's grant on this host until the returned function is called. The judge uses this if an instance grows in place.
   * `materialised` is how the grant is held. For kinds without this method, the grant is dropped and held again.
   */
  lift?(hosts: HostTable, host: HostIndex, grant: Grant, materialised: boolean): () => void
  /** Replaces the inventory of a host by the one in a report, with nothing held. The caller then holds every claim of the host again. */
  takeInventory(hosts: HostTable, host: HostIndex, stats: HostStats): void
  /**
   * Whether the host's own report counts usage of this kind. If so, an instance can be added or removed only by a report that contains the
   * new usage. `deltaClasses` are the resource classes with usage in a delta.
   */
  countsUse(hosts: HostTable, host: HostIndex, grant: Grant, deltaClasses: ReadonlySet<string>): boolean
  /** Copies the kind's data of a host outside of the columns to a clone of the record. Nothing that `hold` writes is shared. */
  copy?(from: HostRecord, to: OwnHostRecord): void
  /**
   * The resources whose reported usage is less than what the claims hold whose instances the report lists (feature level STRICT_CLAIMS).
   */
  usedBelowClaims?(hosts: HostTable, host: HostIndex): readonly UsedBelowClaims[]
  /**
   * The resources of which the host has less than its live claims hold, according to its report and settings. `grants` are the grants of
   * these claims. For a shared kind, this is also called for hosts without such claims, because they may report the size of the shared
   * resource.
   */
  capacityBelowClaims?(hosts: HostTable, host: HostIndex, grants: readonly Grant[]): readonly UsedBelowClaims[]
  /** The reason for which the host cannot meet the ask. Called only if `canGive` is false. */
  reason(hosts: HostTable, host: HostIndex, ask: Ask): Reason
  /** The hosts that have the requested resource at all, free or not. If absent or undefined, every host may have the resource. */
  havers?(hosts: HostTable, ask: Ask): Havers | undefined
  /**
   * The facts of the reason, then of every other reason that refuses the host, each with the sources of both sides. Called only if
   * `canGive` is false, and only for hosts whose details are read.
   */
  facts(hosts: HostTable, host: HostIndex, ask: Ask, request: RequestSpec): readonly Fact[]
  /** The data that `hold` and `drop` write outside of the columns, as plain data for comparing replicas. Undefined if there is none. */
  view?(hosts: HostTable, host: HostIndex): unknown
  /** Values that differ from report and claims, computed independently of `hold` and `drop`. */
  audit?(hosts: HostTable, host: HostIndex, held: readonly HeldGrant<Grant>[]): readonly Mismatch[]
}

/** A resource for which a report counts less usage, or has a smaller total, than claims hold. */
export interface UsedBelowClaims {
  readonly subject: string
  /** The reported number of whole units that are in use, or that the host has in total. */
  readonly reported: number
  /** The number of whole units that the claims of the listed instances hold, or that all live claims hold. */
  readonly held: number
  /** Whether hosts share the resource, so that the claims of all hosts count. */
  readonly isShared?: true
}

/** A grant with the facts about its claim that an audit needs. */
export interface HeldGrant<Grant> {
  readonly claim: string
  readonly grant: Grant
  /** Whether the claim is materialised, so that a report that counts use counts it. */
  readonly counted: boolean
  /** Whether the claim was made after the host's last report and edit, so that it must not cause an excess. */
  readonly isLate: boolean
}

/** A difference between the state and the expected value that an audit found in one number or name. */
export interface Mismatch {
  readonly code: 'state.column' | 'state.over_capacity'
  readonly field: string
  readonly expected: string | number
  readonly actual: string | number
  /** The claim that causes the difference. */
  readonly claim?: string
}
