import { checkResourceOptions, dimensionKey, dimensionsOf, readsOfResources } from './fill.ts'
import type { Weigher } from './weigher.ts'

/**
 * Prefers hosts whose free room points another way than the request: 1 less the mean product of free and asked shares
 * (the dot-product policy as the FGD paper reads Tetris, SIGCOMM 2014). A negative multiplier gives Tetris' own reading.
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
