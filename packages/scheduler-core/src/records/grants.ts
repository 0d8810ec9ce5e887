/** Amounts in whole units, by resource class. */
export type Amounts = Readonly<Record<string, number>>

export interface PageGrant {
  readonly sizeKib: number
  readonly count: number
}

/** The part of a claim on one host cell. It is stored in the log, and holds exactly the units that it names in every release. */
export interface CellGrant {
  /** The id of the guest cell. */
  readonly guest: number
  /** The id of the host cell. */
  readonly cell: number
  /** The count of shared CPUs. 0 if all CPUs are pinned. */
  readonly cpus: number
  readonly memoryMb: number
  /** The host CPUs for the guest's dedicated CPUs, in the order of the guest's CPUs. */
  readonly pinned?: readonly number[]
  /** Further threads of the same cores, which no other instance may use because the guest requested whole cores. */
  readonly siblings?: readonly number[]
  /** The CPU for the emulator threads. */
  readonly emulator?: number
  /** The pages for the cell's memory, if the guest requested a page size. */
  readonly pages?: PageGrant
}

/** The share that a claim takes of one GPU. */
export interface GpuGrant {
  readonly index: number
  readonly milli: number
}

/** The number of devices that a claim takes from one pool. */
export interface PciGrant {
  /** The index of the PCI request that the devices are for, from 0. */
  readonly request: number
  readonly pool: string
  readonly count: number
}

/** Amounts in whole GiB, by the uuid of the pool. */
export type PoolAmounts = Readonly<Record<string, number>>

/** The resource kinds by name, in the order in which they choose. */
export const kindNames = ['classes', 'numa', 'gpu', 'pci', 'pools'] as const
export type KindName = (typeof kindNames)[number]

/**
 * The resources that a claim takes from a host, by kind: the exact amounts, cells, CPUs and devices. Grants are stored in the log, so a
 * published shape never changes.
 */
export interface Grants {
  readonly classes?: Amounts
  readonly numa?: readonly CellGrant[]
  readonly gpu?: readonly GpuGrant[]
  readonly pci?: readonly PciGrant[]
  readonly pools?: PoolAmounts
}
