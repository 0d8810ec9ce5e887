import { noPreference, type Weigher, type WeigherOptions } from '../../contracts/weigher.ts'
import { checkOptions } from '../../request/parse.ts'
import { memoByObject } from '../../values/memo.ts'
import { aggregateOption, multiplierFor, multipliersOf, readsMultiplier } from '../../weighers/aggregate-multiplier.ts'
import { cachedBy } from './cached-by.ts'
import { type NovaView, presentView } from './nova-view.ts'
import { type NovaWeigher, noScore } from './nova-weigher.ts'

/**
 * Converts one of Nova's weighers to a weigher of this service, which reads requests and hosts of this service. The multiplier in a profile
 * has the meaning of Nova's multiplier option. If Nova subtracts the weigher's score from the total, the multiplier is negated. If Nova's
 * weigher would raise an exception on a host, the host gets the lowest score of the other hosts. `viewOf` gives the request and the hosts
 * that the weigher reads.
 */
export function asWeigher(weigher: NovaWeigher, viewOf: NovaView = presentView): Weigher {
  const { name, description, unit, minval, reads } = weigher
  const { key, isNegated } = weigher.multiplier
  const schema = weigher.options.extend(aggregateOption)
  const read = memoByObject((options: WeigherOptions) => {
    const { aggregateMultiplier, ...own } = checkOptions(schema, options)
    return { isByAggregates: aggregateMultiplier === true, own }
  })
  return {
    name,
    description,
    unit,
    reads,
    readsMetadata: readsMultiplier(key),
    ...(weigher.readsRequest !== undefined && { readsRequest: weigher.readsRequest }),
    ...(minval !== undefined && { minval }),
    ...(viewOf === presentView && cachedBy(weigher)),
    checkOptions: (options) => void checkOptions(schema, options),
    multipliers: (fleet, options, multiplier) => multipliersOf(fleet, key, multiplier, read(options).isByAggregates, isNegated),
    prepare(request, fleet, options, multiplier) {
      const { isByAggregates, own } = read(options)
      const multiplierOf = (host: Parameters<typeof multiplierFor>[0]) =>
        isByAggregates ? multiplierFor(host, key, multiplier).value : multiplier
      const { wanted, hostOf } = viewOf(fleet, request)
      const rawOf = weigher.prepare(wanted, own, multiplierOf, multiplier)
      if (rawOf === noScore && (minval ?? 0) <= 0) return noPreference
      return (host) => (minval === undefined ? rawOf(hostOf(host)) : Math.max(rawOf(hostOf(host)), minval))
    },
  }
}
