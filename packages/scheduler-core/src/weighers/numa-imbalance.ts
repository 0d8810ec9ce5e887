import type { Weigher } from '../contracts/weigher.ts'
import { freeRate } from '../kinds/numa/numa.ts'

/**
 * Prefers hosts with unevenly filled NUMA cells, for guests with one cell. With the assignment rule `emptiest` it evens the cells out
 * (balance-fit of the SPANE paper, arXiv 2504.14946). For guests with several cells all hosts get the same number.
 */
export const numaImbalanceWeigher: Weigher = {
  name: 'NUMAImbalanceWeigher',
  description: 'The difference between the free shares of the emptiest and the fullest NUMA cell.',
  reads: ['numaCells'],
  unit: 'share',
  prepare(request, { hosts }) {
    if (request.numaTopology?.cells.length !== 1) return () => 0
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
