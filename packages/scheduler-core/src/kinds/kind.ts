import type { HostRecord, HostTable, OwnHostRecord } from '../hosts/hosts.ts'
import type { MetadataReads } from '../hosts/metadata-reads.ts'
import type { Grants } from '../records/grants.ts'
import type { HostStats } from '../report/stats.ts'
import type { Read } from '../report/stats-fields.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import type { Code } from '../text/codes.ts'
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
 * Chooses the units of a host that an instance gets. Does not hold them. Returns undefined if the host cannot meet the ask. `others` are
 * the grants that other kinds have already chosen on this host for the same instance.
 */
export type Assign<Ask, Grant> = (hosts: HostTable, host: HostIndex, ask: Ask, others?: Grants) => Grant | undefined

/**
 * A resource kind, such as resource classes, NUMA cells or GPUs. It defines how a report becomes inventory, what a request asks for,
 * whether a host can give it, which units of the host are chosen, and the reason if a host refuses.
 * The rules that every kind satisfies:
 * - Under every assignment rule, `assign` returns a grant exactly when `canGive` is true, and `fits` accepts this grant.
 * - If an instance moves within its host, `canGive` and `assign` read its present grants from `hosts.mover`, and `fits` gets them as
 * `held`.
 * - `fits`, `hold` and `drop` read only whole numbers and names, and no filter or profile. Claims in the log are accepted or made void with
 * these methods, so their results are the same in every release. `hold` does not check whether the grant fits. `drop` undoes `hold`
 * exactly.
 * - A claim is materialised if the host's report lists its instance. If the report also counts the usage, the claim's grant is not held
 * again, because the usage would be counted twice. From feature level STRICT_CLAIMS on, only the amount by which materialised claims exceed
 * the reported usage is held. All other grants hold their full amount, even if the report shows other units in use.
 * - Data that `hold`, `drop` and `takeInventory` write outside of the columns is stored in the record from `hosts.own(host)`. `copy` gives
 * a cloned record its own data. Copies of a fleet share a record until one of the fleets writes it.
 * - Kinds choose grants in the order of `kinds/index.ts`. A choice can depend on the grants of earlier kinds (`others`). For example, PCI
 * devices are chosen near the guest's NUMA cells. The earlier kind looks ahead: its `canGive` and `assign` consider only choices with which
 * the later kind also finds a grant. If `canGive` is true for every kind, each kind therefore finds a grant without backtracking.
 * - The work for a request is bounded, because thousands of hosts are evaluated within a second. A long search stops after a fixed count of
 * steps, which is the same on every replica. The host is then refused with a reason code for this limit.
 */
export interface ResourceKind<Ask, Grant> {
  /** The key of the kind in grants and assignments. */
  readonly name: string
  /**
   * The filter that passes hosts for which `canGive` is true: its name (as in Nova, if Nova has the filter), its description, and the
   * fields of reports and documents that it reads.
   */
  readonly filter: {
    readonly name: string
    readonly description: string
    readonly reads: readonly Read[]
    /** The metadata keys of aggregates that the kind reads. */
    readonly readsMetadata?: MetadataReads
  }
  /**
   * For a kind that reads a namespace: the code with which a host is refused if no document states what the kind reads. `keyOf` is equal for
   * hosts about which the same documents count.
   */
  readonly unstated?: { readonly code: Code; readonly namespace: string; keyOf(host: HostRecord): string }
  /** Assignment rules by name. The first rule is the default. */
  readonly rules: readonly string[]
  /**
   * True if grants are amounts by name, which can be subtracted from each other. An instance that gets larger amounts on its own host then
   * takes only the difference.
   */
  readonly isPlain?: true
  /**
   * Returns the part of a held grant that meets a new ask of the same instance on the same host. Undefined if the held units do not meet
   * the ask. What the host has free at present does not matter. `cells` are the NUMA cells that the guest gets, if any. Kinds with
   * `isPlain` do not have this method, because a smaller amount is always a part of a larger amount.
   */
  keep?(hosts: HostTable, host: HostIndex, ask: Ask, held: Grant, cells: readonly number[] | undefined): Grant | undefined
  /**
   * True if all units of `grant` are in `held`. Every kind with `keep` has this method, and the result of `keep` satisfies it. Claims in
   * the log are checked with this method, so it must return the same in every release.
   */
  isPartOf?(grant: Grant, held: Grant): boolean
  /** True if several hosts share the resource. An amount that a claim on one host holds is then not free on the other hosts. */
  readonly isShared?: true
  /** False if no host has the resource. Hosts then need not be checked for it. If the method is absent, each host is checked. */
  isThere?(hosts: HostTable): boolean
  /** What one instance of the request needs of this kind. Undefined if it needs nothing. */
  ask(spec: RequestSpec): Ask | undefined
  /** True if the host can meet the ask. Does not depend on the assignment rule. */
  canGive(hosts: HostTable, host: HostIndex, ask: Ask): boolean
  /** Returns a faster form of `canGive` for one ask and many hosts. Its results equal those of `canGive`. */
  prepareCanGive?(hosts: HostTable, ask: Ask): (host: HostIndex) => boolean
  /**
   * Creates `assign` for a rule. Throws RangeError for an unknown rule or invalid options. A profile with such a rule is therefore refused
   * when it is written.
   */
  createAssign(setting: AssignmentSetting | undefined): Assign<Ask, Grant>
  /**
   * True if exactly this grant can be held now. `held` is the grant of this kind that the instance already holds on the host. A grant that
   * is a part of `held` fits even on an over-committed host. `others` are all grants of the same claim.
   */
  fits(hosts: HostTable, host: HostIndex, grant: Grant, held?: Grant, others?: Grants): boolean
  hold(hosts: HostTable, host: HostIndex, grant: Grant, materialised: boolean): void
  drop(hosts: HostTable, host: HostIndex, grant: Grant, materialised: boolean): void
  /**
   * Treats a held grant as free until the returned function is called. Used to check a claim with which an instance gets more resources on
   * its own host. `materialised` must be the value with which the grant is held. For kinds without this method, the grant is dropped and
   * later held again.
   */
  lift?(hosts: HostTable, host: HostIndex, grant: Grant, materialised: boolean): () => void
  /** Sets the inventory of a host from a report, without its claims. The caller then holds every claim of the host again. */
  takeInventory(hosts: HostTable, host: HostIndex, stats: HostStats): void
  /**
   * True if the host's report counts usage of this kind. A report that contains only changes (a delta) may then add or remove an instance
   * only if it also contains the new usage. `deltaClasses` are the resource classes whose usage the delta contains.
   */
  countsUse(hosts: HostTable, host: HostIndex, grant: Grant, deltaClasses: ReadonlySet<string>): boolean
  /** Copies the kind's data in a host's record to a clone of the record, so that `hold` on the clone does not change the original. */
  copy?(from: HostRecord, to: OwnHostRecord): void
  /** The resources of which materialised claims hold more than the report counts as used. Empty below feature level STRICT_CLAIMS. */
  usedBelowClaims?(hosts: HostTable, host: HostIndex): readonly UsedBelowClaims[]
  /**
   * The resources of which the live claims of the host hold more than the host has according to its report and settings. `grants` are the
   * grants of these claims. For a kind with `isShared`, this is also called for hosts without claims, because such a host can be the one
   * that reports the size of the shared resource.
   */
  capacityBelowClaims?(hosts: HostTable, host: HostIndex, grants: readonly Grant[]): readonly UsedBelowClaims[]
  /** The reason why the host cannot meet the ask. Called only if `canGive` is false. */
  reason(hosts: HostTable, host: HostIndex, ask: Ask): Reason
  /**
   * Describes the hosts that have the resource, whether or not it is free. If the method is absent or returns undefined, it is unknown
   * which hosts have the resource.
   */
  havers?(hosts: HostTable, ask: Ask): Havers | undefined
  /**
   * The facts behind a refusal: first the fact for `reason`, then a fact for each other shortfall. Each fact has the sources of the
   * required and of the actual value. Called only if `canGive` is false, and only when a user reads the details of the host.
   */
  facts(hosts: HostTable, host: HostIndex, ask: Ask, request: RequestSpec): readonly Fact[]
  /** The data that `hold` and `drop` write outside of the columns, as plain data. Used to compare replicas. Undefined if there is none. */
  view?(hosts: HostTable, host: HostIndex): unknown
  /**
   * Computes the free amounts from the report and the claims, without `hold` and `drop`. Returns the values in the state that differ from
   * the computed values.
   */
  audit?(hosts: HostTable, host: HostIndex, held: readonly HeldGrant<Grant>[]): readonly Mismatch[]
}

/** A resource of which claims hold more than the reported usage, or more than the reported total. */
export interface UsedBelowClaims {
  readonly subject: string
  /** The reported usage or the reported total, in whole units. */
  readonly reported: number
  /** What claims hold, in whole units: materialised claims if `reported` is the usage, all live claims if `reported` is the total. */
  readonly held: number
  /** True if hosts share the resource. `held` is then the sum over the claims of all hosts. */
  readonly isShared?: true
}

/** A grant, with the data about its claim that the auditor reads. */
export interface HeldGrant<Grant> {
  readonly claim: string
  readonly grant: Grant
  /** True if the claim is materialised. If the report counts usage of the kind, the reported usage then includes the grant. */
  readonly counted: boolean
  /**
   * True if the claim was made after the host's last report and edit. Such a claim was checked against the present amounts. If the claim
   * does not fit, the check was therefore wrong.
   */
  readonly isLate: boolean
}

/** A value in the state that differs from the value that the auditor computes. */
export interface Mismatch {
  readonly code: 'state.column' | 'state.over_capacity'
  readonly field: string
  readonly expected: string | number
  readonly actual: string | number
  /** The id of the claim that causes the difference. */
  readonly claim?: string
}
