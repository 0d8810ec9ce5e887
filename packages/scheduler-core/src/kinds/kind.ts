import type { Fact } from '../evidence.ts'
import type { HostRecord, HostTable, OwnHostRecord } from '../fleet/hosts.ts'
import type { MetadataReads } from '../fleet/metadata-reads.ts'
import type { HostStats } from '../fleet/stats.ts'
import type { StatsField } from '../fleet/stats-fields.ts'
import type { HostIndex } from '../host-index.ts'
import type { Havers } from '../prepared-filter.ts'
import type { Reason } from '../reason.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import type { Grants } from './grants.ts'

/** Which choice inside a host the profile wants: the rule's name, and what the rule needs to know. */
export interface AssignmentSetting {
  readonly rule: string
  readonly options?: Readonly<Record<string, unknown>>
}

/**
 * Chooses inside a host; undefined = the host cannot give what is asked. Never changes anything. `beside` are the grants
 * that the kinds before this one chose on the same host for the same instance.
 */
export type Assign<Ask, Grant> = (hosts: HostTable, host: HostIndex, ask: Ask, beside?: Grants) => Grant | undefined

/**
 * A kind of resource that hosts have and requests take. All knowledge about it is here: how a report becomes
 * inventory, what a request asks, whether a host can give it, which part of the host is taken, and why not.
 *
 * The law:
 * - `assign` returns a grant exactly when `canGive` is true, under every rule, and `fits` accepts that grant.
 * - Where a claim moves within its host, `canGive` and `assign` know what it holds there of `hosts.mover`, `fits` is given it.
 * - `fits` and `hold` look at whole numbers and names only, never at a filter or a profile: they are the judge's
 *   arithmetic and mean the same in every release. `hold` does not check; `drop` undoes it exactly.
 * - A materialised claim is one whose instance the host lists. Where the host's report counts use itself, `hold` and
 *   `drop` of a materialised grant do nothing, so nothing is counted twice; from feature level STRICT_CLAIMS on they take
 *   what the report counts too little of it, and every other grant keeps its amount whatever units the report shows in use.
 * - What `hold`, `drop` and `takeInventory` write beside the columns they take of `hosts.own(host)`, and `copy` gives a clone
 *   its own of it: copies of a fleet share records until one of them writes (fleet/owner.ts).
 * - Kinds are in an order, that of `kinds/index.ts`. A kind may let its choice depend on what those before it chose
 *   (`beside`): PCI devices are near to the NUMA cells of the guest or not. Then the earlier kind looks ahead: its `canGive`
 *   and its `assign` count only choices beside which the later kind has one. So where every kind can give, the grants
 *   chosen in order are there, all of them; no order of trying, and no way back, is needed.
 * - Work is bounded, whatever a request asks: thousands of hosts are asked within a second. What would take a search
 *   without end is refused after so many steps, the same on every replica, and the reason says so.
 */
export interface ResourceKind<Ask, Grant> {
  /** Its key in grants and assignments. */
  readonly name: string
  /** The name, Nova's where Nova has it, the fields of reports that it looks at, and the sentence of the filter that lets only hosts pass that can give what is asked. */
  readonly filter: {
    readonly name: string
    readonly description: string
    readonly reads: readonly StatsField[]
    /** As a filter says it. */
    readonly readsMetadata?: MetadataReads
  }
  /** Assignment rules by name; the first is the default. */
  readonly rules: readonly string[]
  /** Grants are amounts by name, of which one size has a difference to another: an instance may grow on its own host. */
  readonly isPlain?: true
  /**
   * Of what the same instance holds on the host, a part that answers the ask, whatever the host has by now; undefined where it does not
   * suffice. `cells` are the host's cells that the guest gets, where it has some. Not for plain kinds: of amounts, less is always a part.
   */
  keep?(hosts: HostTable, host: HostIndex, ask: Ask, held: Grant, cells: readonly number[] | undefined): Grant | undefined
  /** Whether a grant is a part of another: the judge's arithmetic. Every kind that has `keep` has it, and what `keep` answers is one. */
  isPartOf?(grant: Grant, held: Grant): boolean
  /** Hosts take of it together: what one gives, others may no longer have. */
  readonly isShared?: true
  /** False: no host has any of it, and nobody is asked. Absent: each host says so itself. */
  isThere?(hosts: HostTable): boolean
  /** What one instance asks of this kind; undefined = nothing. */
  ask(spec: RequestSpec): Ask | undefined
  /** Whether the host can give what is asked, under any rule. */
  canGive(hosts: HostTable, host: HostIndex, ask: Ask): boolean
  /** `canGive` for many hosts of one decision, where looking something up beforehand pays. Answers as `canGive` does. */
  prepareCanGive?(hosts: HostTable, ask: Ask): (host: HostIndex) => boolean
  /** The chooser of a rule. Throws RangeError for an unknown rule or bad options: profiles are checked when written. */
  createAssign(setting: AssignmentSetting | undefined): Assign<Ask, Grant>
  /**
   * Whether exactly this grant can be held now. `held`: what the same instance holds of this kind on the host already, which counts as
   * free: what makes an excess no worse is allowed. `beside`: all grants of the same claim.
   */
  fits(hosts: HostTable, host: HostIndex, grant: Grant, held?: Grant, beside?: Grants): boolean
  hold(hosts: HostTable, host: HostIndex, grant: Grant, materialised: boolean): void
  drop(hosts: HostTable, host: HostIndex, grant: Grant, materialised: boolean): void
  /**
   * Looks away from what a claim of this host holds, until the answer is called: for this host alone, as the judge does where an instance
   * grows in place. `materialised`: as it is held. Absent: it is dropped, and held again.
   */
  lift?(hosts: HostTable, host: HostIndex, grant: Grant, materialised: boolean): () => void
  /** Takes a report's inventory over, with nothing held: the caller then holds every claim of the host again. */
  takeInventory(hosts: HostTable, host: HostIndex, stats: HostStats): void
  /**
   * Whether the host's report counts use of this kind itself, so that an instance comes or goes only with a report that
   * says the new use. `told` are the resource classes whose use a delta tells.
   */
  countsUse(hosts: HostTable, host: HostIndex, grant: Grant, told: ReadonlySet<string>): boolean
  /** Gives a clone of a record what this kind keeps of the host beside the columns; nothing that `hold` writes is shared. */
  copy?(from: HostRecord, to: OwnHostRecord): void
  /** Of what the report counts less than the claims of the instances that it lists hold (feature level STRICT_CLAIMS). */
  usedBelowClaims?(hosts: HostTable, host: HostIndex): readonly UsedBelowClaims[]
  /**
   * Of what the host has less than live claims hold there, by its report and by what is set for it; `grants` are theirs. A shared kind is asked
   * of hosts without such claims too: they may tell how much there is.
   */
  capacityBelowClaims?(hosts: HostTable, host: HostIndex, grants: readonly Grant[]): readonly UsedBelowClaims[]
  /** Why the host cannot give what is asked; called only where `canGive` is false. */
  reason(hosts: HostTable, host: HostIndex, ask: Ask): Reason
  /** Which hosts have any of what is asked for, whatever is free; absent or undefined: every host may have it. */
  havers?(hosts: HostTable, ask: Ask): Havers | undefined
  /**
   * The numbers of that reason, then every other that refuses the host, each with the inputs that both sides come from; called only where
   * `canGive` is false, and only for hosts that somebody looks at.
   */
  facts(hosts: HostTable, host: HostIndex, ask: Ask, request: RequestSpec): readonly Fact[]
  /** What `hold` and `drop` write, as plain data, for comparing replicas; undefined: nothing, or it is in the columns. */
  view?(hosts: HostTable, host: HostIndex): unknown
  /** What is not as report and claims say, added up anew in a second way than `hold` and `drop` do. */
  audit?(hosts: HostTable, host: HostIndex, held: readonly HeldGrant<Grant>[]): readonly Mismatch[]
}

/** A sort of units of which a report counts, or has, less than claims hold. */
export interface UsedBelowClaims {
  readonly subject: string
  /** Whole units in use as reported, or that the host may give in all. */
  readonly reported: number
  /** Whole units that the claims of the listed instances hold, or all live ones. */
  readonly held: number
  /** Hosts take of it together: the claims are those of all hosts. */
  readonly isShared?: true
}

/** A grant as an audit meets it. */
export interface HeldGrant<Grant> {
  readonly claim: string
  readonly grant: Grant
  /** The claim is materialised: a report that counts use counts it. */
  readonly counted: boolean
  /** The claim was made after the host's last report and edit: no excess may be its fault. */
  readonly isLate: boolean
}

/** What an audit finds of one number or name. */
export interface Mismatch {
  readonly code: 'state.column' | 'state.over_capacity'
  readonly field: string
  readonly expected: string | number
  readonly actual: string | number
  /** A claim that it is the fault of. */
  readonly claim?: string
}
