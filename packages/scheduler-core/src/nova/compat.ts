import type { Filter } from '../filters/filter.ts'
import type { Profile } from '../profiles/profile.ts'
import type { Weigher } from '../weighers/weigher.ts'
import { asFilter } from './as-filter.ts'
import { asWeigher } from './as-weigher.ts'
import { skipsFilters } from './candidates.ts'
import { novaFilters } from './filters/index.ts'
import { numaTopologyFilter, PACKING } from './filters/numa-topology.ts'
import { findNovaFilter, findNovaWeigher } from './options.ts'
import { novaRequestOf } from './own-request.ts'
import type { NovaRules } from './rounds.ts'
import { novaWeighers } from './weighers/index.ts'

/** What a profile with `compat: nova` may name, over this service's requests and reports. On forced hosts no filter of Nova's is asked. */
export const compatFilters: readonly Filter[] = novaFilters.map((filter) => {
  const own = asFilter(filter)
  return {
    ...own,
    prepare: (request, fleet, options) => (skipsFilters(novaRequestOf(request)) ? undefined : own.prepare(request, fleet, options)),
  }
})

/** As `compatFilters`; aggregates may set the multipliers for their hosts, as in Nova. */
export const compatWeighers: readonly Weigher[] = novaWeighers.map(asWeigher)

/** The options of a filter, with what Nova's configuration says elsewhere. */
export const filterOptions = ({ nova }: Profile, name: string, options: Profile['filters'][number]['options']) =>
  name === numaTopologyFilter.name && nova?.packing === true ? { [PACKING]: true, ...options } : options

/** What Nova's way of placing needs of a profile. Throws RangeError for a filter or weigher that Nova does not have. */
export function novaRulesOf(profile: Profile): NovaRules {
  const { maxAttempts = 3, packing = false, shuffleBest = false } = profile.nova ?? {}
  return {
    filters: profile.filters
      .filter(({ shadow }) => shadow !== true)
      .map(({ name, options }) => ({
        filter: findNovaFilter(name),
        options: filterOptions(profile, name, options),
      })),
    weighers: profile.weighers.map(({ name, multiplier, options }) => ({ weigher: findNovaWeigher(name), options, multiplier })),
    maxAttempts,
    hostSubsetSize: profile.hostSubsetSize,
    packing,
    shuffleBest,
  }
}
