/** Amounts in whole units, by resource class. */
export type Amounts = Readonly<Record<string, number>>

export interface PageGrant {
  readonly sizeKib: number
  readonly count: number
}

/**
 * The resources of one guest cell of a claim on one NUMA cell of the host. Grants are stored in the log, so the meaning of these fields
 * must never change.
 */
export interface CellGrant {
  /** The id of the guest cell. */
  readonly guest: number
  /** The id of the host cell. */
  readonly cell: number
  /** The count of shared CPUs. 0 if all CPUs are pinned. */
  readonly cpus: number
  readonly memoryMb: number
  /** The host CPUs to which the guest's dedicated CPUs are pinned, in the order of the guest's CPUs. */
  readonly pinned?: readonly number[]
  /** Further host CPUs of the same cores. No other instance may use them, because the guest requested whole cores. */
  readonly siblings?: readonly number[]
  /** The host CPU for the emulator threads. */
  readonly emulator?: number
  /** The pages for the cell's memory, if the guest requested a page size. */
  readonly pages?: PageGrant
}

/** The share of one GPU that is granted to a claim, in thousandths. */
export interface GpuGrant {
  readonly index: number
  readonly milli: number
}

/** The count of PCI devices of one pool that are granted to a claim. */
export interface PciGrant {
  /** The index of the PCI request that the devices are for, counted from 0. */
  readonly request: number
  readonly pool: string
  readonly count: number
}

/** Amounts of disk space in whole GiB, by the uuid of the pool. */
export type PoolAmounts = Readonly<Record<string, number>>

/** The names of the resource kinds, in the order in which their units are chosen. */
export const kindNames = ['classes', 'numa', 'gpu', 'pci', 'pools'] as const
export type KindName = (typeof kindNames)[number]

/**
 * The resources of a host that are granted to a claim, by kind: the exact amounts, cells, CPUs and devices. Grants are stored in the log,
 * so their published form never changes.
 */
export interface Grants {
  readonly classes?: Amounts
  readonly numa?: readonly CellGrant[]
  readonly gpu?: readonly GpuGrant[]
  readonly pci?: readonly PciGrant[]
  readonly pools?: PoolAmounts
}
