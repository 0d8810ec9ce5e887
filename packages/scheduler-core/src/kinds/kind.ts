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
 * Chooses units inside a host; undefined if the host lacks what is needed. It changes nothing. `others` are the grants that earlier kinds
 * chose on the same host for the same instance.
 */
export type Assign<Ask, Grant> = (hosts: HostTable, host: HostIndex, ask: Ask, others?: Grants) => Grant | undefined

/**
 * A kind of resource that hosts have and requests take. All knowledge about it is here: how a report becomes
 * inventory, what a request asks, whether a host can give it, which part of the host is taken, and why not.
 *
 * The law:
 * - `assign` returns a grant exactly when `canGive` is true, under every rule, and `fits` accepts that grant.
 * - Where a claim moves within its host, `canGive` and `assign` read what it holds there from `hosts.mover`, and `fits` gets it as `held`.
 * - `fits` and `hold` look at whole numbers and names only, never at a filter or a profile: they are the judge's
 *   arithmetic and mean the same in every release. `hold` does not check; `drop` undoes it exactly.
 * - A materialised claim is one whose instance the host lists. Where the host's report counts use itself, `hold` and
 *   `drop` of a materialised grant do nothing, so nothing is counted twice; from feature level STRICT_CLAIMS on they take
 *   what the report counts too little of it, and every other grant keeps its amount whatever units the report shows in use.
 * - Data that `hold`, `drop` and `takeInventory` write outside of the columns belongs to the record from `hosts.own(host)`, and
 *   `copy` gives a clone its own: copies of a fleet share records until one of them writes (values/owner.ts).
 * - Kinds are in the order of `kinds/index.ts`. The choice of a kind may depend on the grants that earlier kinds chose
 *   (`others`), as PCI devices are near to the NUMA cells of the guest or not. The earlier kind then looks ahead: its
 *   `canGive` and `assign` consider only choices with which the later kind has a grant too. So if every kind can give,
 *   the grants chosen in order all exist, without trying several orders or going back.
 * - Work is bounded for every request, because thousands of hosts are evaluated within a second. A search that could take
 *   too long is refused after a fixed number of steps, the same on every replica, with a reason of its own.
 */
export interface ResourceKind<Ask, Grant> {
  /** The key of the kind in grants and assignments. */
  readonly name: string
  /**
   * The name (Nova's if Nova has the filter), the report fields that it reads, and the description of the filter that
   * passes only hosts with enough of the kind.
   */
  readonly filter: {
    readonly name: string
    readonly description: string
    readonly reads: readonly StatsField[]
    /** The metadata keys of aggregates that the kind reads, in the form that filters declare. */
    readonly readsMetadata?: MetadataReads
  }
  /** Assignment rules by name; the first is the default. */
  readonly rules: readonly string[]
  /** Whether grants are amounts by name, which can be subtracted from each other, so that an instance may grow on its own host. */
  readonly isPlain?: true
  /**
   * A part of what the same instance holds on the host that satisfies the ask, whatever the host has now; undefined if the held units do
   * not suffice. `cells` are the host's cells that the guest gets, if any. Plain kinds have no such method, because a smaller amount is
   * always a part.
   */
  keep?(hosts: HostTable, host: HostIndex, ask: Ask, held: Grant, cells: readonly number[] | undefined): Grant | undefined
  /**
   * Whether a grant is a part of another, by the judge's arithmetic. Every kind with `keep` has this method, and the result of `keep` is
   * such a part.
   */
  isPartOf?(grant: Grant, held: Grant): boolean
  /** Whether hosts share the resource: what is taken on one host is gone for the others. */
  readonly isShared?: true
  /** Whether any host has the resource; false means that no host needs to be checked. Without this method each host is checked. */
  isThere?(hosts: HostTable): boolean
  /** What one instance needs of this kind; undefined if it needs nothing. */
  ask(spec: RequestSpec): Ask | undefined
  /** Whether the host has what is needed, under any assignment rule. */
  canGive(hosts: HostTable, host: HostIndex, ask: Ask): boolean
  /**
   * `canGive` for many hosts of one decision, for kinds that gain from looking something up in advance. The results equal those of
   * `canGive`.
   */
  prepareCanGive?(hosts: HostTable, ask: Ask): (host: HostIndex) => boolean
  /** The chooser of a rule. Throws RangeError for an unknown rule or bad options: profiles are checked when written. */
  createAssign(setting: AssignmentSetting | undefined): Assign<Ask, Grant>
  /**
   * Whether exactly this grant can be held now. `held`: what the same instance already holds of this kind on the host,
   * which counts as free: an excess that does not grow is allowed. `others`: all grants of the same claim.
   */
  fits(hosts: HostTable, host: HostIndex, grant: Grant, held?: Grant, others?: Grants): boolean
  hold(hosts: HostTable, host: HostIndex, grant: Grant, materialised: boolean): void
  drop(hosts: HostTable, host: HostIndex, grant: Grant, materialised: boolean): void
  /**
   * Disregards what a claim of this host holds until the returned function is called, for this host alone, as the judge does where an
   * instance grows in place. `materialised` says how it is held. Kinds without this method drop the grant and hold it again.
   */
  lift?(hosts: HostTable, host: HostIndex, grant: Grant, materialised: boolean): () => void
  /** Takes a report's inventory over, with nothing held: the caller then holds every claim of the host again. */
  takeInventory(hosts: HostTable, host: HostIndex, stats: HostStats): void
  /**
   * Whether the host's report counts use of this kind itself, so that an instance comes or goes only with a report that
   * contains the new use. `deltaClasses` are the resource classes whose use a delta contains.
   */
  countsUse(hosts: HostTable, host: HostIndex, grant: Grant, deltaClasses: ReadonlySet<string>): boolean
  /** Copies the kind's own data of the host, outside of the columns, to a clone of a record; nothing that `hold` writes is shared. */
  copy?(from: HostRecord, to: OwnHostRecord): void
  /** The units of which the report counts less than the claims of its listed instances hold (feature level STRICT_CLAIMS). */
  usedBelowClaims?(hosts: HostTable, host: HostIndex): readonly UsedBelowClaims[]
  /**
   * The resources of which the host, by its report and settings, has less than its live claims hold; `grants` are the grants of these
   * claims. A shared kind is also asked about hosts without such claims, because they may report its size.
   */
  capacityBelowClaims?(hosts: HostTable, host: HostIndex, grants: readonly Grant[]): readonly UsedBelowClaims[]
  /** Why the host lacks what is needed; called only if `canGive` is false. */
  reason(hosts: HostTable, host: HostIndex, ask: Ask): Reason
  /** The hosts that have any of what is needed, free or not; absent or undefined: every host may have it. */
  havers?(hosts: HostTable, ask: Ask): Havers | undefined
  /** The numbers of the reason, then every other reason that refuses the host, each with the sources of both sides;
   * called only if `canGive` is false, and only for hosts whose details are read.
   */
  facts(hosts: HostTable, host: HostIndex, ask: Ask, request: RequestSpec): readonly Fact[]
  /** The data that `hold` and `drop` write outside of the columns, as plain data for comparing replicas; undefined if there is none. */
  view?(hosts: HostTable, host: HostIndex): unknown
  /** Values that differ from report and claims, computed independently of `hold` and `drop`. */
  audit?(hosts: HostTable, host: HostIndex, held: readonly HeldGrant<Grant>[]): readonly Mismatch[]
}

/** A sort of units of which a report counts less use, or has a smaller total, than claims hold. */
export interface UsedBelowClaims {
  readonly subject: string
  /** The reported number of whole units that are in use, or that the host can give in total. */
  readonly reported: number
  /** The number of whole units that the claims of the listed instances, or all live claims, hold. */
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

/** A difference that an audit finds in one number or name. */
export interface Mismatch {
  readonly code: 'state.column' | 'state.over_capacity'
  readonly field: string
  readonly expected: string | number
  readonly actual: string | number
  /** The claim that causes the difference. */
  readonly claim?: string
}
