import { noPreference, type Weigher } from '../../contracts/weigher.ts'
import { freeRate, numaKind } from '../../kinds/numa/numa.ts'

/**
 * Prefers hosts with the fullest NUMA cells on which the guest fits. The score is minus the sum of the free shares of these cells. Profiles
 * combine this weigher with the assignment rule `tightest`. If the request has no NUMA topology, all hosts get the same score.
 */
export const numaFitWeigher: Weigher = {
  name: 'NUMAFitWeigher',
  description: 'The free share of the NUMA cells on which the guest would be placed; less is better.',
  reads: ['numaCells', 'pciPools'],
  unit: 'share',
  prepare(request, { hosts }) {
    const ask = numaKind.ask(request)
    if (ask === undefined) return noPreference
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
