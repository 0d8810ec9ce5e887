import type { HostStatsInput, ProfileInput, RequestSpecInput } from '@gantt/scheduler-core'

/** A random case as data: the history of a fleet, the request to decide, and the checks to make. A failing case is printed in this form. */
export interface Plan {
  readonly hosts: readonly HostPlan[]
  readonly aggregates: readonly AggregatePlan[]
  /** The values that an import of a nova.conf wrote. Null without an import. */
  readonly allocation: FleetAllocationPlan | null
  /** The values that operators set for hosts, in order. */
  readonly overrides: readonly OverridePlan[]
  readonly profile: ProfileInput
  /** Earlier requests. They are decided with the same profile, and their claims are in the log. */
  readonly earlier: readonly Question[]
  /**
   * The earlier requests, by their index, that reserve until their hosts count the instances, and whose reservations are released at once.
   * Only those whose hosts list no instances, and after which no host leaves or reports again.
   */
  readonly released: readonly number[]
  /** Later reports of hosts. `host` is the index in `hosts`. */
  readonly reports: readonly { readonly host: number; readonly stats: HostStatsInput }[]
  /** Hosts that leave before the later reports, in order. */
  readonly leaves: readonly LeavingPlan[]
  /** If true, the last of the earlier requests is not in the log yet. Its claims are proposals in the same entry. */
  readonly isBatched: boolean
  readonly question: Question
  /** Whether core and model also count how many further instances fit. */
  readonly countsCapacity: boolean
  /** Whether core and model also compute the effect of other multipliers of the profile. */
  readonly triesWeights: boolean
  /** Whether the changes that would make the request fit are searched for and tried. */
  readonly triesChanges: boolean
}

export interface HostPlan {
  readonly host: string
  readonly node: string
  readonly stats: HostStatsInput
  readonly status: 'ENABLED' | 'DISABLED' | 'DRAINING' | 'MAINTENANCE'
  readonly liveness: 'UP' | 'SUSPECT' | 'DOWN'
}

export interface LeavingPlan {
  /** The index in `hosts`. */
  readonly host: number
  /** `back`: the host is forgotten by force, readmitted, and sends its first report again. */
  readonly how: 'forget' | 'force' | 'back' | 'replace'
  /**
   * For `replace`, the index in `hosts` of the host that is the same machine. If the index is outside of `hosts`, the host only gets a new
   * name.
   */
  readonly to: number
}

export interface FleetAllocationPlan {
  readonly release: number | null
  readonly classes: Readonly<Record<string, { readonly ratio?: number; readonly reserved?: number; readonly reservedInUse?: number }>>
}

export interface OverridePlan {
  /** The index in `hosts`. */
  readonly host: number
  readonly resourceClass: string
  /** The ratio to set. Null removes the ratio that was set before, if any. Likewise for `reserved`. */
  readonly ratio: number | null
  readonly reserved: number | null
  /** If true, the value is set together with the later reports, after hosts have left. If false, it is set at the beginning. */
  readonly isLate: boolean
}

export interface AggregatePlan {
  readonly uuid: string
  readonly name: string
  readonly metadata: Readonly<Record<string, string>>
  readonly hosts: readonly string[]
}

export interface Question {
  readonly request: RequestSpecInput
  readonly seed: string
  readonly alternates: number
  readonly allOrNothing: boolean
}
