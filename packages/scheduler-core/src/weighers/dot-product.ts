import type { Weigher } from '../contracts/weigher.ts'
import { checkResourceOptions, dimensionKey, dimensionsOf, readsOfResources } from './fill.ts'

/**
 * Prefers hosts with free resources in other proportions than the request: 1 minus the mean product of free and requested shares (the
 * dot-product policy as the FGD paper describes it for Tetris, SIGCOMM 2014). A negative multiplier gives the order of Tetris.
 */
export const dotProductWeigher: Weigher = {
  name: 'DotProductWeigher',
  description: 'The less free and asked shares line up, the better.',
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
