import type { Weigher } from '../contracts/weigher.ts'
import { freeRate, numaKind } from '../kinds/numa/numa.ts'

/**
 * Prefers hosts whose tightest NUMA cells that can take the guest are tightest of all: minus the sum of those cells' free
 * shares. Use it with the assignment rule `tightest`. Requests without a NUMA topology weigh all hosts alike.
 */
export const numaFitWeigher: Weigher = {
  name: 'NUMAFitWeigher',
  description: 'The less is free in the NUMA cells that would take the guest, the better.',
  reads: ['numaCells', 'pciPools'],
  unit: 'share',
  prepare(request, { hosts }) {
    const ask = numaKind.ask(request)
    if (ask === undefined) return () => 0
    const assign = numaKind.createAssign({ rule: 'tightest' })
    return (host) => {
      const { cells } = hosts.get(host)
      let free = 0
      for (const grant of assign(hosts, host, ask) ?? []) {
        const cell = cells.find(({ id }) => id === grant.cell)
        if (cell !== undefined) free += freeRate(cell)
      }
      return -free
    }
  },
  cacheKey: ({ numaTopology, pciRequests }) => JSON.stringify(numaTopology && [numaTopology, pciRequests]),
}
