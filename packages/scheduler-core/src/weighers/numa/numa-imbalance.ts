import { noPreference, type Weigher } from '../../contracts/weigher.ts'
import { freeRate } from '../../kinds/numa/numa.ts'

/**
 * Prefers hosts with unevenly filled NUMA cells, if the guest has one cell. With the assignment rule `emptiest`, the guest then makes the
 * cells more even (balance-fit of the SPANE paper, arXiv 2504.14946). For other guests, all hosts get the same score.
 */
export const numaImbalanceWeigher: Weigher = {
  name: 'NUMAImbalanceWeigher',
  description: 'The difference between the free shares of the emptiest and the fullest NUMA cell; more is better.',
  reads: ['numaCells'],
  unit: 'share',
  prepare(request, { hosts }) {
    if (request.numaTopology?.cells.length !== 1) return noPreference
    return (host) => {
      const { cells } = hosts.get(host)
      if (cells.length === 0) return 0
      let least = Number.POSITIVE_INFINITY
      let most = Number.NEGATIVE_INFINITY
      for (const cell of cells) {
        const rate = freeRate(cell)
        least = Math.min(least, rate)
        most = Math.max(most, rate)
      }
      return most - least
    }
  },
  cacheKey: (request) => String(request.numaTopology?.cells.length === 1),
}
