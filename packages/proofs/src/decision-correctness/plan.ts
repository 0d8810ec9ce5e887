import type { HostStatsInput, ProfileInput, RequestSpecInput } from '@gantt/scheduler-core'

/** A random case as data: what the fleet became, and what was asked of it. A failing one is told as it stands here. */
export interface Plan {
  readonly hosts: readonly HostPlan[]
  readonly aggregates: readonly AggregatePlan[]
  /** What an import of a nova.conf wrote, if one was made. */
  readonly allocation: FleetAllocationPlan | null
  /** What operators set of hosts, one after the other. */
  readonly overrides: readonly OverridePlan[]
  readonly profile: ProfileInput
  /** Requests that were decided and claimed before, by the same profile. */
  readonly earlier: readonly Question[]
  /** Reports after the first of those that are in the log, by place in `hosts`. */
  readonly reports: readonly { readonly host: number; readonly stats: HostStatsInput }[]
  /** Hosts that leave before those reports, one after the other. */
  readonly leaves: readonly LeavingPlan[]
  /** The last of the earlier ones is not in the log yet: it is proposed before this one in the same entry. */
  readonly isBatched: boolean
  readonly question: Question
  /** How many more of the request fit is counted too. */
  readonly countsCapacity: boolean
  /** The multipliers of its profile are tried too. */
  readonly triesWeights: boolean
  /** What would make it fit is asked too, and tried. */
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
  /** By place in `hosts`. */
  readonly host: number
  /** `back`: by force, then readmitted, and it reports as at first. */
  readonly how: 'forget' | 'force' | 'back' | 'replace'
  /** The host that it is the same machine as, by place in `hosts`; one that is not there: it gets a new name. */
  readonly to: number
}

export interface FleetAllocationPlan {
  readonly release: number | null
  readonly classes: Readonly<Record<string, { readonly ratio?: number; readonly reserved?: number }>>
}

export interface OverridePlan {
  /** By place in `hosts`. */
  readonly host: number
  readonly resourceClass: string
  /** Null: none is set, or it is taken away. */
  readonly ratio: number | null
  readonly reserved: number | null
  /** With the later reports, after hosts have left; else before any question. */
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
