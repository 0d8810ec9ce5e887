import { at } from '../../hosts/columns.ts'
import type { HostRecord, HostTable } from '../../hosts/hosts.ts'
import { numaAskOf } from '../../kinds/numa/ask.ts'
import { allot } from '../../kinds/pci/allot.ts'
import { pciAskOf } from '../../kinds/pci/ask.ts'
import { type HostPools, poolsOf, toPools } from '../../kinds/pci/pool.ts'
import { demandOf, type RequestSpec } from '../../request/request-spec.ts'
import type { ReasonCode } from '../../text/codes.ts'
import type { HostIndex } from '../../values/host-index.ts'

/** Reason codes that do not depend on what is in use. The host would refuse the instance even if the host were empty. */
const codesOfEmptyHosts: ReadonlySet<string> = new Set([
  'memory.too_little',
  'cpu.too_few',
  'disk.too_little',
  'class.not_reported',
  'class.too_little',
  'class.unit',
  'numa.not_reported',
  'numa.cells',
  'numa.too_little_memory',
  'numa.no_threads',
  'numa.page_size',
  'numa.page_multiple',
  'pci.not_reported',
  'gpu.none',
  'gpu.model',
  'gpu.count',
  'pool.too_little',
] satisfies ReasonCode[])

export const refusesEmptyHost = (code: string): boolean => codesOfEmptyHosts.has(code)

/**
 * Returns true if a host could hold one instance if the host were empty. Always true for the host of a claim that is moved or rebuilt.
 * Checks the amounts with their allocation ratios, the shared CPUs and memory of each cell, and the PCI devices. The reasons of filters do
 * not suffice, because they do not show that a total is too small if the free amount is too small as well.
 */
export function holdsOneAlone(hosts: HostTable, request: RequestSpec): (host: HostIndex) => boolean {
  const amounts = Object.entries(demandOf(request).amounts).map(([resourceClass, amount]) => ({
    resourceClass,
    amount,
    columns: hosts.classes.get(resourceClass),
  }))
  const cells = numaAskOf(request)?.cells ?? []
  const devices = pciAskOf(request)
  return (host) => {
    const record = hosts.get(host)
    const hasAmounts = amounts.every(
      ({ resourceClass, amount, columns }) =>
        // disk space in a shared pool is checked for the pool as a whole
        (resourceClass === 'DISK_GB' && record.diskPools.length > 0) || (columns !== undefined && at(columns.capacity, host) >= amount),
    )
    return (
      hosts.mover?.host === host ||
      (hasAmounts &&
        cells.every(({ shared, memoryMb }) =>
          record.cells.some(({ cpuCapacity, memoryCapacity }) => cpuCapacity >= shared && memoryCapacity >= memoryMb),
        ) &&
        (devices === undefined || allot(poolsWhenEmpty(record), devices, undefined).ok))
    )
  }
}

function poolsWhenEmpty(record: HostRecord): HostPools {
  return { shape: poolsOf(record).shape, list: toPools(record.stats.pciPools.map((pool) => ({ ...pool, used: 0 }))) }
}
