import type { Reason } from '../filters/filter.ts'
import type { HostIndex } from '../fleet/columns.ts'
import type { HostTable } from '../fleet/hosts.ts'
import type { HostStats } from '../fleet/stats.ts'
import type { RequestSpec } from '../request/request-spec.ts'

/** Which choice inside a host the profile wants: the rule's name, and what the rule needs to know. */
export interface AssignmentSetting {
  readonly rule: string
  readonly options?: Readonly<Record<string, unknown>>
}

/** Chooses inside a host; undefined = the host cannot give what is asked. Never changes anything. */
export type Assign<Ask, Grant> = (hosts: HostTable, host: HostIndex, ask: Ask) => Grant | undefined

/**
 * A kind of resource that hosts have and requests take. All knowledge about it is here: how a report becomes
 * inventory, what a request asks, whether a host can give it, which part of the host is taken, and why not.
 *
 * The law:
 * - `assign` returns a grant exactly when `canGive` is true, under every rule, and `fits` accepts that grant.
 * - `fits` and `hold` look at whole numbers and names only, never at a filter or a profile: they are the judge's
 *   arithmetic and mean the same in every release. `hold` does not check; `drop` undoes it exactly.
 * - A materialised claim is one whose instance the host lists. Where the host's report counts use itself, `hold` and
 *   `drop` of a materialised grant do nothing, so nothing is counted twice.
 */
export interface ResourceKind<Ask, Grant> {
  readonly name: 'classes' | 'numa' | 'gpu'
  /** Assignment rules by name; the first is the default. */
  readonly rules: readonly string[]
  /** What one instance asks of this kind; undefined = nothing. */
  ask(spec: RequestSpec): Ask | undefined
  /** Whether the host can give what is asked, under any rule. Allocates nothing: it runs for every host. */
  canGive(hosts: HostTable, host: HostIndex, ask: Ask): boolean
  /** `canGive` for many hosts of one decision, where looking something up beforehand pays. Answers as `canGive` does. */
  prepareCanGive?(hosts: HostTable, ask: Ask): (host: HostIndex) => boolean
  /** The chooser of a rule. Throws RangeError for an unknown rule or bad options: profiles are checked when written. */
  createAssign(setting: AssignmentSetting | undefined): Assign<Ask, Grant>
  /** Whether exactly this grant can be held now. */
  fits(hosts: HostTable, host: HostIndex, grant: Grant): boolean
  hold(hosts: HostTable, host: HostIndex, grant: Grant, materialised: boolean): void
  drop(hosts: HostTable, host: HostIndex, grant: Grant, materialised: boolean): void
  /** Takes a report's inventory over, with nothing held: the caller then holds every claim of the host again. */
  takeInventory(hosts: HostTable, host: HostIndex, stats: HostStats): void
  /** Why the host cannot give what is asked; called only where `canGive` is false. */
  reason(hosts: HostTable, host: HostIndex, ask: Ask): Reason
}
