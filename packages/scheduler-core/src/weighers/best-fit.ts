import type { Weigher } from '../contracts/weigher.ts'
import { checkResourceOptions, dimensionKey, dimensionsOf, readsOfResources } from './fill.ts'

/** Prefers the host that is fullest after the placement. The score is 1 minus the mean free share of the resources in the options. */
export const bestFitWeigher: Weigher = {
  name: 'BestFitWeigher',
  description: 'The share of resources in use on the host after the placement; more is better.',
  reads: readsOfResources,
  unit: 'share',
  checkOptions: checkResourceOptions,
  prepare(request, fleet, options) {
    const { dimensions, finish } = dimensionsOf(request, fleet, options)
    return (host) => {
      let left = 0
      for (const { free, asked } of dimensions) left += (free(host) - asked(host)) / dimensions.length
      return finish(1 - left)
    }
  },
  cacheKey: dimensionKey,
}
