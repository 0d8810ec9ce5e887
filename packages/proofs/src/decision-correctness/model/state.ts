import type { HostStats } from '@gantt/scheduler-core'

/** The values that operators set for a class of a host. */
export interface ModelOverride {
  readonly ratio?: number
  readonly reserved?: number
}

/** The values that an import set for hosts whose document in Nova's form has none. */
export interface ModelFleetAllocation {
  readonly release: number | null
  readonly classes: Readonly<Record<string, ModelOverride>>
}
export interface ModelGroup {
  readonly uuid: string
  readonly policy: string
  readonly most: number | null
  /** Groups that this claim's group is kept apart from because of this claim. */
  readonly apartFrom: readonly string[]
}
export interface ModelClaim {
  readonly host: ModelHost
  readonly instance: string | null
  readonly group: ModelGroup | null
  readonly takes: Takes
  /** A report has listed its instance since the claim was made. */
  isListed: boolean
  /** The list is older than the claim, so the amounts are not in the figures of that report yet. */
  isHeldInAddition: boolean
  /** Whether the claim is in the log; false for a choice of a decision that is still being made. */
  readonly isLogged: boolean
}
export interface ModelHost {
  host: string
  node: string
  /** The last report of the host. */
  reported: HostStats
  /** The values that apply: ratios and reserved amounts of other sources are included. */
  stats: HostStats
  /** The values that operators set for this host, by class. */
  overrides: Readonly<Record<string, ModelOverride>>
  /** The instances that it last listed; a report without a list does not change them. */
  present: readonly string[]
  status: string
  liveness: string
  /** Whether the host has left, so that only its ordinal is kept. */
  isGone: boolean
}

/**
 * The fleet as plain objects, in slow and simple code: no sums are stored, and no code is shared with the core, which must give the same
 * results. Covers this service's own resources but PCI devices, threads of cells, and requests for pages:
 * cells report huge pages, which no request of the model gets.
 */
export interface ModelFleet {
  /** Hosts in the order of first sight. */
  readonly hosts: ModelHost[]
  readonly aggregates: ModelAggregate[]
  allocation: ModelFleetAllocation
  /** Claims in the order in which they were made. */
  readonly claims: ModelClaim[]
}
export interface ModelAggregate {
  readonly uuid: string
  readonly name: string
  readonly metadata: Readonly<Record<string, string>>
  readonly hosts: readonly string[]
}

/** The resources that an instance takes from its host. */
export interface Takes {
  readonly classes?: Readonly<Record<string, number>>
  readonly numa?: readonly CellTaken[]
  readonly gpu?: readonly { readonly index: number; readonly milli: number }[]
}

export interface CellTaken {
  readonly guest: number
  readonly cell: number
  readonly cpus: number
  readonly memoryMb: number
  readonly pinned?: readonly number[]
}
