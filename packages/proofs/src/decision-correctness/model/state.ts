import type { HostStats } from '@gantt/scheduler-core'

/** The values that operators set for a class of a host. */
export interface ModelOverride {
  readonly ratio?: number
  readonly reserved?: number
}

/** The values that an import of a nova.conf set. They apply to hosts whose reports in Nova's form do not have these values. */
export interface ModelFleetAllocation {
  readonly release: number | null
  readonly classes: Readonly<Record<string, ModelOverride & { readonly reservedInUse?: number }>>
}
export interface ModelGroup {
  readonly uuid: string
  readonly policy: string
  readonly most: number | null
  /** The groups from which this claim keeps its group apart. */
  readonly apartFrom: readonly string[]
}
export interface ModelClaim {
  readonly host: ModelHost
  readonly instance: string | null
  /** Also has the rules of released claims of the group (`keepApart`). */
  group: ModelGroup | null
  readonly takes: Takes
  /** Whether the last report of the host lists the instance. A report that was applied before the claim was made does not count. */
  isListed: boolean
  /** Whether the report that listed the instance is older than the claim. If it is, the amounts in the report do not include the claim. */
  isHeldInAddition: boolean
  /** Whether the claim is in the log. False for claims of the decision that is being made, and for proposals that are not appended yet. */
  readonly isLogged: boolean
  /** True if the claim has ended, and holds only what stays held for a while. */
  readonly isOver?: true
}
export interface ModelHost {
  host: string
  node: string
  /** The last report of the host, unchanged. */
  reported: HostStats
  /** The last report with the ratios and reserved amounts that apply. These can come from operators, aggregates or Nova's configuration. */
  stats: HostStats
  /** The values that operators set for this host, by class. */
  overrides: Readonly<Record<string, ModelOverride>>
  /** The instances in the last report that had a list. A report without a list does not change this field. */
  present: readonly string[]
  status: string
  liveness: string
  /** Whether the host has left the fleet. Its ordinal is not reused. */
  isGone: boolean
}

/**
 * The model of a fleet, as plain objects. The model's code is slow and simple: no sums are stored, and no code is shared with the core,
 * which must give the same results. The model covers the resources that this service manages, except PCI devices, disk pools and CPU
 * threads. Hosts of the model report huge pages, but no request demands them.
 */
export interface ModelFleet {
  /** Hosts in the order in which they first reported. */
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
