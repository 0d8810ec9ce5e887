import type { HostStats } from '../report/stats.ts'
import type { UsedFrom } from './change.ts'

/** A host's report, and the setting that says where the host's used amounts are read from. */
interface Counted {
  readonly stats: HostStats
  readonly usedFrom: UsedFrom
}

/**
 * The report from which a host's resources are computed. If the used amounts come from claims, this is the host's report without used
 * amounts.
 */
export function statsToCount({ stats, usedFrom }: Counted): HostStats {
  if (usedFrom === 'REPORT') return stats
  return {
    ...stats,
    vcpusUsed: 0,
    memoryMbUsed: 0,
    localGbUsed: 0,
    runningVms: 0,
    numIoOps: 0,
    inventories: stats.inventories.map((inventory) => ({ ...inventory, used: null })),
    gpus: stats.gpus.map((gpu) => ({ ...gpu, usedMilli: null })),
    pciPools: stats.pciPools.map((pool) => ({ ...pool, used: null })),
    numaCells: stats.numaCells.map((cell) => ({
      ...cell,
      cpuUsage: null,
      memoryUsageMb: null,
      pinnedCpus: null,
      pages: cell.pages.map((pages) => ({ ...pages, used: null })),
    })),
  }
}
