import type { HostRecord } from './hosts.ts'
import type { HostStats } from './stats.ts'

/**
 * Where the used amounts of a host come from. REPORT: what it reports as used, and what claims hold that it does not count.
 * CLAIMS: all claims and nothing else, for a host that does not list its instances and runs none without a claim.
 */
export const usedFromValues = ['REPORT', 'CLAIMS'] as const
export type UsedFrom = (typeof usedFromValues)[number]

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
