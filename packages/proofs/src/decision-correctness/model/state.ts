import type { HostStats } from '@gantt/scheduler-core'

/** What operators set of a class of a host. */
export interface ModelOverride {
  readonly ratio?: number
  readonly reserved?: number
}

/** What an import set for the hosts whose document in Nova's form leaves it open. */
export interface ModelFleetAllocation {
  readonly release: number | null
  readonly classes: Readonly<Record<string, ModelOverride>>
}
export interface ModelGroup {
  readonly uuid: string
  readonly policy: string
  readonly most: number | null
  /** Groups that it is not to share a host with, as this claim says. */
  readonly apartFrom: readonly string[]
}
export interface ModelClaim {
  readonly host: ModelHost
  readonly instance: string | null
  readonly group: ModelGroup | null
  readonly takes: Takes
  /** A report has listed its instance since the claim was made. */
  isListed: boolean
  /** It is in the log; false: a pick that is not there yet. */
  readonly isLogged: boolean
}
export interface ModelHost {
  host: string
  node: string
  /** What it said last. */
  reported: HostStats
  /** Of that what counts: with the ratios and reserved amounts that others say. */
  stats: HostStats
  /** By class. */
  overrides: Readonly<Record<string, ModelOverride>>
  /** The instances that it last listed: a report that lists none at all leaves them. */
  present: readonly string[]
  status: string
  liveness: string
  /** It has left, and only its place in the order is kept. */
  isGone: boolean
}

/**
 * The fleet as plain objects, in slow and obvious lines: nothing is kept that can be added up, and not one line is shared
 * with the core, which must say the same. Covers this service's own resources but PCI devices, threads of cells, and requests for pages:
 * cells report huge pages, which no request of the model gets.
 */
export interface ModelFleet {
  /** In the order of first sight. */
  readonly hosts: ModelHost[]
  readonly aggregates: ModelAggregate[]
  allocation: ModelFleetAllocation
  /** In the order in which they were made. */
  readonly claims: ModelClaim[]
}
export interface ModelAggregate {
  readonly uuid: string
  readonly name: string
  readonly metadata: Readonly<Record<string, string>>
  readonly hosts: readonly string[]
}

/** What an instance takes from its host. */
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
