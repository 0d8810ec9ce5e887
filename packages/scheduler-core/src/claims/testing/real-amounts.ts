import { cpusOf } from '../../kinds/numa/pin.ts'
import type { Grants } from '../../records/change.ts'

/**
 * The total amount of each sort of resource on a simulated host. CPUs, GPUs and devices are counts. Memory and disk have small amounts
 * without a real unit.
 */
export const TOTALS = { VCPU: 14, MEMORY_MB: 24, DISK_GB: 10, CUSTOM_X: 12, GPU: 4, PCI: 5, PINNED: 8, CELL_MEMORY: 24 } as const
export type Sort = keyof typeof TOTALS
export const sorts = Object.keys(TOTALS) as Sort[]

/** The amount of each sort of resource in `grants`. */
export function measure({ classes = {}, gpu = [], pci = [], numa = [] }: Grants): Readonly<Record<Sort, number>> {
  const sum = (amounts: readonly number[]): number => amounts.reduce((total, amount) => total + amount, 0)
  return {
    ...{ VCPU: classes.VCPU ?? 0, MEMORY_MB: classes.MEMORY_MB ?? 0, DISK_GB: classes.DISK_GB ?? 0, CUSTOM_X: classes.CUSTOM_X ?? 0 },
    GPU: sum(gpu.map(({ milli }) => milli)) / 1_000,
    PCI: sum(pci.map(({ count }) => count)),
    PINNED: sum(numa.map((part) => cpusOf(part).length)),
    CELL_MEMORY: sum(numa.map(({ memoryMb }) => memoryMb)),
  }
}

/** The amounts that a request asks for, by resource class. */
export const amountsOf = (ask: unknown): Readonly<Record<string, number>> =>
  Object.fromEntries(
    (ask as readonly { resourceClass: string; amount: number }[]).map(({ resourceClass, amount }) => [resourceClass, amount]),
  )
