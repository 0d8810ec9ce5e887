import type { HostRecord } from './hosts.ts'
import type { HostStats } from './stats.ts'

/** The report of a host as it is counted: without the figures of use where these come from claims. */
export function statsToCount({ stats, usedFrom }: Pick<HostRecord, 'stats' | 'usedFrom'>): HostStats {
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
