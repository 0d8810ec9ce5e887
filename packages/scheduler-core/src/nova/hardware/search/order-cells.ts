import { devicesPerCell, type PciPool } from '../pci.ts'
import { freeCpus, type GuestTopology, type HostCell, type HostTopology, isPinned } from '../topology.ts'

/** What decides the order in which the cells of a host are tried, in addition to host and guest. */
export interface CellOrder {
  /** Nova's `packing_host_numa_cells_allocation_strategy`: if true, the fullest cells are tried first. */
  readonly packing: boolean
  /** The device pools of the host. Undefined if the host reports none. */
  readonly pools: readonly PciPool[] | undefined
  readonly wantsDevices: boolean
}

/**
 * Sorts the cells of a host in the order in which they are tried. The number of devices decides first, so that cells with devices are left
 * for guests that need devices. The usage of CPUs decides between cells with equally many devices, and free memory between the remaining
 * ties. If the guest has as many cells as the host, the order is unchanged.
 */
export function orderCells(host: HostTopology, guest: GuestTopology, { packing, pools, wantsDevices }: CellOrder): readonly HostCell[] {
  const [first] = guest.cells
  if (first === undefined || host.cells.length <= guest.cells.length) return host.cells
  const emptiest = packing ? ascending : descending
  const idlest = packing ? descending : ascending
  const byMemory = emptiest(host.cells, (cell) => cell.memory - cell.memoryUsage)
  const byCpus = isPinned(first) ? emptiest(byMemory, (cell) => freeCpus(cell).count) : idlest(byMemory, (cell) => cell.cpuUsage)
  if (pools === undefined) return byCpus
  const devices = devicesPerCell(pools)
  return (wantsDevices ? descending : ascending)(byCpus, (cell) => devices.get(cell.id) ?? 0)
}

function ascending(cells: readonly HostCell[], key: (cell: HostCell) => number): readonly HostCell[] {
  return [...cells].sort((a, b) => key(a) - key(b))
}

function descending(cells: readonly HostCell[], key: (cell: HostCell) => number): readonly HostCell[] {
  return [...cells].sort((a, b) => key(b) - key(a))
}
