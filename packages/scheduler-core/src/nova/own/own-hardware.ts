import type { HostRecord } from '../../hosts/hosts.ts'
import type { CellState } from '../../kinds/numa/numa.ts'
import { poolKey, poolsOf } from '../../kinds/pci/pool.ts'
import type { HostStats } from '../../report/stats.ts'
import { memoByObject } from '../../values/memo.ts'
import type { PciPool } from '../hardware/pci.ts'
import type { HostCell, HostTopology } from '../hardware/topology.ts'

type ReportedCell = HostStats['numaCells'][number]

/**
 * The NUMA cells of a host in the form that Nova's rules read: the reported usage plus the usage by claims that the report does not
 * include. `reported` are the cells in a report in Nova's form. It is null if such a report has no cells, and undefined if the report is in
 * this service's form.
 */
export function topologyOn({ stats, cells }: HostRecord, reported: HostTopology | null | undefined): HostTopology | null {
  if (reported === null || stats.numaCells.length === 0) return null
  const { byId, hostCells } = cellsOf(stats)
  const held = new Map(cells.map((cell) => [cell.id, cell]))
  const base = reported?.cells ?? hostCells
  return {
    cells: base.map((cell) => {
      const [report, state] = [byId.get(cell.id), held.get(cell.id)]
      return report === undefined || state === undefined ? cell : withClaims(cell, report, state)
    }),
  }
}

/** The reported cells by their ids, and in Nova's form. Cached, because every copy of a fleet has the same reports. */
const cellsOf = memoByObject((stats: HostStats) => ({
  byId: new Map(stats.numaCells.map((cell) => [cell.id, cell])),
  hostCells: stats.numaCells.map((cell) => cellOf(cell, stats)),
}))

function cellOf(cell: ReportedCell, { tunneledCells }: HostStats): HostCell {
  const pcpuset = cell.dedicatedCpuset ?? cell.cpuset
  const threads = [...new Set([...cell.cpuset, ...pcpuset])].sort((a, b) => a - b)
  return {
    id: cell.id,
    cpuset: [...cell.cpuset].sort((a, b) => a - b),
    pcpuset: [...pcpuset].sort((a, b) => a - b),
    memory: cell.memoryMb,
    cpuUsage: cell.cpuUsage ?? 0,
    memoryUsage: cell.memoryUsageMb ?? 0,
    pinnedCpus: cell.pinnedCpus ?? [],
    siblings: cell.siblings.length > 0 ? cell.siblings : threads.map((cpu) => [cpu]),
    mempages: cell.pages.map(({ sizeKib, total, used, reserved }) => ({ sizeKib, total, used: used ?? 0, reserved })),
    socket: cell.socket,
    networkMetadata: { physnets: cell.physicalNetworks, tunneled: tunneledCells.includes(cell.id) },
  }
}

/** Adds the usage by claims to a cell. It is the difference between the usage in the fleet's state and the usage in the report. */
function withClaims(cell: HostCell, report: ReportedCell, state: CellState): HostCell {
  const pages = new Map(state.pages?.map(({ sizeKib, free }) => [sizeKib, free]))
  const reportedPages = new Map(report.pages.map((page) => [page.sizeKib, page]))
  return {
    ...cell,
    cpuUsage: cell.cpuUsage + state.cpuCapacity - state.cpuFree - (report.cpuUsage ?? 0),
    memoryUsage: cell.memoryUsage + state.memoryCapacity - state.memoryFree - (report.memoryUsageMb ?? 0),
    pinnedCpus: [...new Set([...cell.pinnedCpus, ...state.pinnedByClaims.keys()])].sort((a, b) => a - b),
    mempages: cell.mempages.map((page) => {
      const [free, reportedPage] = [pages.get(page.sizeKib), reportedPages.get(page.sizeKib)]
      if (free === undefined || reportedPage === undefined) return page
      return { ...page, used: page.used + reportedPage.total - reportedPage.reserved - (reportedPage.used ?? 0) - free }
    }),
  }
}

/**
 * The device pools of a host in the form that Nova's rules read. Devices of claims are not free. A pool whose last free devices belong to
 * claims is left out.
 */
export function poolsOn(record: HostRecord, reported: readonly PciPool[] | null | undefined): readonly PciPool[] {
  const { pciPools } = record.stats
  if (pciPools.length === 0) return reported ?? []
  const claimed = new Map<string, number>()
  for (const pool of pciPools) add(claimed, poolKey(pool), pool.total - (pool.used ?? 0))
  for (const { key, free } of poolsOf(record).list) add(claimed, key, -free)
  return pciPools.flatMap((pool, i) => {
    const base = reported?.[i] ?? poolOf(pool)
    const key = poolKey(pool)
    const taken = Math.min(base.count, claimed.get(key) ?? 0)
    add(claimed, key, -taken)
    // Pools that have no free devices already in the report stay in the list.
    return taken > 0 && base.count === taken ? [] : [taken === 0 ? base : { ...base, count: base.count - taken }]
  })
}

const add = (counts: Map<string, number>, key: string, by: number): void => void counts.set(key, (counts.get(key) ?? 0) + by)

const poolOf = ({ vendorId, productId, numaNode, deviceType, tags, total, used }: HostStats['pciPools'][number]): PciPool => ({
  keys: { vendor_id: vendorId, product_id: productId, numa_node: numaNode, ...(deviceType !== null && { dev_type: deviceType }), ...tags },
  count: total - (used ?? 0),
})
