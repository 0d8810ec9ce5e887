import type { Amounts } from './history.ts'

/** Resources in whole units. The host itself chooses which units an instance gets, even if the claim names other units. */
export const PICKED_UNITS = ['GPU', 'DEDICATED_CPU', 'PCI_DEVICE', 'HUGE_PAGE'] as const

export type PickedUnit = (typeof PICKED_UNITS)[number]

/** The size of a huge page in MiB. Reports and requests have this size in KiB. */
export const HUGE_PAGE_MIB = 1_024
const HUGE_PAGE_KIB = 1_024 * HUGE_PAGE_MIB
const CELLS = 2
const SHARED_CPUS_PER_CELL = 8
const CELL_MIB = 8_192
const DEVICE = { vendorId: '8086', productId: '10ed' }

/** How many units of each kind a host has. Dedicated CPUs and huge pages are divided equally among the host's NUMA cells. */
export const UNITS_OF_A_HOST: Readonly<Record<PickedUnit, number>> = { GPU: 2, DEDICATED_CPU: 4, PCI_DEVICE: 2, HUGE_PAGE: 4 }

export const isPickedUnit = (name: string): name is PickedUnit => PICKED_UNITS.some((unit) => unit === name)

/** The part of a request that demands these amounts of picked units. It can demand dedicated CPUs or huge pages, but not both. */
export function requestFor({ VCPU = 0, MEMORY_MB = 0, ...amounts }: Amounts): Readonly<Record<string, unknown>> {
  const { GPU = 0, DEDICATED_CPU = 0, PCI_DEVICE = 0, HUGE_PAGE = 0 } = amounts
  const cell = { id: 0, cpus: Array.from({ length: VCPU }, (_, cpu) => cpu), memoryMb: MEMORY_MB }
  const properties = [
    { key: 'vendor_id', value: DEVICE.vendorId },
    { key: 'product_id', value: DEVICE.productId },
  ]
  return {
    ...(GPU > 0 && { gpus: { count: GPU } }),
    ...(PCI_DEVICE > 0 && { pciRequests: [{ count: PCI_DEVICE, specs: [{ properties }] }] }),
    ...(DEDICATED_CPU > 0 && { numaTopology: { cells: [{ ...cell, cpuPolicy: 'dedicated' }] } }),
    ...(HUGE_PAGE > 0 && { numaTopology: { cells: [{ ...cell, pageSize: HUGE_PAGE_KIB }] } }),
  }
}

/**
 * The part of a report with the picked units of a host. The used units of each kind are consecutive from unit `first` on, and continue with
 * unit 0 after the last unit. If `isOnNetwork` is true, the devices have a physical network. A change of this value replaces the pools.
 * Claims then name pools that do not exist any more.
 */
export function reportOf(used: Amounts, first: number, isOnNetwork = false): Readonly<Record<string, unknown>> {
  const numbersInUse = (unit: PickedUnit): ReadonlySet<number> => {
    const all = UNITS_OF_A_HOST[unit]
    return new Set(Array.from({ length: Math.min(all, used[unit] ?? 0) }, (_, i) => (first + i) % all))
  }
  const countIn = (numbers: ReadonlySet<number>, part: number, parts: number): number =>
    [...numbers].filter((number) => number % parts === part).length
  const [gpus, cpus, devices, pages] = PICKED_UNITS.map(numbersInUse) as [
    ReadonlySet<number>,
    ReadonlySet<number>,
    ReadonlySet<number>,
    ReadonlySet<number>,
  ]
  const cpusOfCell = (cell: number): number[] => Array.from({ length: SHARED_CPUS_PER_CELL }, (_, i) => cell * SHARED_CPUS_PER_CELL + i)
  const pagesPerCell = UNITS_OF_A_HOST.HUGE_PAGE / CELLS
  return {
    gpus: Array.from({ length: UNITS_OF_A_HOST.GPU }, (_, index) => ({ index, usedMilli: gpus.has(index) ? 1_000 : 0 })),
    pciPools: Array.from({ length: UNITS_OF_A_HOST.PCI_DEVICE }, (_, numaNode) => ({
      ...DEVICE,
      tags: isOnNetwork ? [{ key: 'physical_network', value: 'net1' }] : [],
      numaNode,
      total: 1,
      used: devices.has(numaNode) ? 1 : 0,
    })),
    numaCells: Array.from({ length: CELLS }, (_, cell) => {
      const dedicatedCpuset = cpusOfCell(cell).slice(0, UNITS_OF_A_HOST.DEDICATED_CPU / CELLS)
      return {
        id: cell,
        cpuset: cpusOfCell(cell),
        dedicatedCpuset,
        memoryMb: CELL_MIB,
        pinnedCpus: dedicatedCpuset.filter((_, i) => cpus.has(CELLS * i + cell)),
        pages: [{ sizeKib: HUGE_PAGE_KIB, total: pagesPerCell, used: countIn(pages, cell, CELLS) }],
      }
    }),
  }
}

/** The GraphQL fields from which a claim's units are read. */
export const CLAIM_UNITS = 'gpus { milli } cells { pinned siblings emulatorCpu memoryMb pageSizeKib } pciDevices { count }'

export interface ClaimUnits {
  readonly gpus: readonly { readonly milli: number }[]
  readonly cells: readonly {
    readonly pinned: readonly number[]
    readonly siblings: readonly number[]
    readonly emulatorCpu: number | null
    readonly memoryMb: number
    readonly pageSizeKib: number | null
  }[]
  readonly pciDevices: readonly { readonly count: number }[]
}

export const unitsOfClaim = ({ gpus, cells, pciDevices }: ClaimUnits): Record<PickedUnit, number> => ({
  GPU: sum(gpus.map(({ milli }) => milli / 1_000)),
  DEDICATED_CPU: sum(cells.map(({ pinned, siblings, emulatorCpu }) => pinned.length + siblings.length + (emulatorCpu === null ? 0 : 1))),
  PCI_DEVICE: sum(pciDevices.map(({ count }) => count)),
  HUGE_PAGE: sum(cells.map(({ memoryMb, pageSizeKib }) => (pageSizeKib === HUGE_PAGE_KIB ? memoryMb / HUGE_PAGE_MIB : 0))),
})

/** The GraphQL fields from which a host's free units are read. */
export const HOST_UNITS = 'gpus { freeMilli } pciPools { free } numa { cells { dedicated pinned pages { sizeKib free } } }'

export interface HostUnits {
  readonly gpus: readonly { readonly freeMilli: number }[]
  readonly pciPools: readonly { readonly free: number }[]
  readonly numa: {
    readonly cells: readonly {
      readonly dedicated: readonly number[] | null
      readonly pinned: readonly number[]
      readonly pages: readonly { readonly sizeKib: number; readonly free: number }[]
    }[]
  } | null
}

export function freeUnitsOfHost({ gpus, pciPools, numa }: HostUnits): Record<PickedUnit, number> {
  const cells = numa?.cells ?? []
  return {
    GPU: sum(gpus.map(({ freeMilli }) => freeMilli / 1_000)),
    DEDICATED_CPU: sum(cells.map(({ dedicated, pinned }) => (dedicated ?? []).filter((cpu) => !pinned.includes(cpu)).length)),
    PCI_DEVICE: sum(pciPools.map(({ free }) => free)),
    HUGE_PAGE: sum(cells.flatMap(({ pages }) => pages.filter(({ sizeKib }) => sizeKib === HUGE_PAGE_KIB).map(({ free }) => free))),
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)
