import type { Weigher } from '../contracts/weigher.ts'
import { checkResourceOptions, dimensionKey, dimensionsOf, readsOfResources } from './fill.ts'

/**
 * The score is 1 minus the mean product of the host's free shares and the requested shares (the dot-product policy as the FGD paper
 * describes it for Tetris, SIGCOMM 2014). With a negative multiplier, hosts are ranked as Tetris ranks them.
 */
export const dotProductWeigher: Weigher = {
  name: 'DotProductWeigher',
  description: 'Prefers a small product of the free shares of the host and the shares that the request needs.',
  reads: readsOfResources,
  unit: 'share',
  checkOptions: checkResourceOptions,
  prepare(request, fleet, options) {
    const { dimensions, finish } = dimensionsOf(request, fleet, options)
    return (host) => {
      let product = 0
      for (const { free, asked } of dimensions) product += (free(host) * asked(host)) / dimensions.length
      return finish(1 - product)
    }
  },
  cacheKey: dimensionKey,
}
