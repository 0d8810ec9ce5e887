/** Whole units per resource class. */
export type Amounts = Readonly<Record<string, number>>

export interface PageGrant {
  readonly sizeKib: number
  readonly count: number
}

/** What a claim takes from one host cell. It is the log's: what it holds is what it names, in every release. */
export interface CellGrant {
  /** The guest's cell. */
  readonly guest: number
  /** The host's cell. */
  readonly cell: number
  /** Shared CPUs taken; 0 when all are pinned. */
  readonly cpus: number
  readonly memoryMb: number
  /** CPUs on which the guest's dedicated ones run, in their order. */
  readonly pinned?: readonly number[]
  /** Further threads of their cores that no other instance may use: the guest requested dedicated cores. */
  readonly siblings?: readonly number[]
  /** CPU for the threads of the emulator. */
  readonly emulator?: number
  /** Pages that back the cell's memory, if the guest asked for their size. */
  readonly pages?: PageGrant
}

/** The share that a claim takes of one GPU. */
export interface GpuGrant {
  readonly index: number
  readonly milli: number
}

/** The devices that a claim takes of one pool. */
export interface PciGrant {
  /** The index of the request's PCI request that it is for, from 0. */
  readonly request: number
  readonly pool: string
  readonly count: number
}

/** Whole GiB by uuid of the pool. */
export type PoolAmounts = Readonly<Record<string, number>>

/** The resource kinds by name, in the order in which they choose. */
export const kindNames = ['classes', 'numa', 'gpu', 'pci', 'pools'] as const
export type KindName = (typeof kindNames)[number]

/**
 * What a claim takes from a host, kind by kind: the very units, cells, CPUs and devices. It is the log's: a shape that is in a log never
 * changes.
 */
export interface Grants {
  readonly classes?: Amounts
  readonly numa?: readonly CellGrant[]
  readonly gpu?: readonly GpuGrant[]
  readonly pci?: readonly PciGrant[]
  readonly pools?: PoolAmounts
}
