import type { Filter } from '../../contracts/filter.ts'
import type { Weigher } from '../../contracts/weigher.ts'
import { type Profile, USUAL_NOVA_ATTEMPTS } from '../../records/profile.ts'
import { numaTopologyFilter, PACKING } from '../filters/hardware/numa-topology.ts'
import { novaFilters } from '../filters/index.ts'
import { asFilter } from '../parts/as-filter.ts'
import { asWeigher } from '../parts/as-weigher.ts'
import type { NovaFilter } from '../parts/nova-filter.ts'
import type { NovaView } from '../parts/nova-view.ts'
import { findNovaFilter, findNovaWeigher } from '../parts/options.ts'
import { novaRequestOf } from '../requests/own-request.ts'
import { novaWeighers } from '../weighers/index.ts'
import { skipsFilters } from './candidates.ts'
import type { NovaRules } from './rounds.ts'

/**
 * The filters that a profile with `compat: nova` may name: Nova's rules, applied to this service's requests and reports. As in Nova, they
 * do not run if the request forces hosts.
 */
export const compatFilters: readonly Filter[] = novaFilters.map((filter) => compatFilter(filter))

/** One of Nova's filters for profiles with `compat: nova`. `viewOf` gives the request and the hosts that it reads. */
export function compatFilter(filter: NovaFilter, viewOf?: NovaView): Filter {
  const own = asFilter(filter, viewOf)
  return {
    ...own,
    prepare: (request, fleet, options) => (skipsFilters(novaRequestOf(request)) ? undefined : own.prepare(request, fleet, options)),
  }
}

/**
 * The weighers that a profile with `compat: nova` may name: Nova's rules, applied to this service's requests and reports. As in Nova, the
 * metadata of an aggregate can set a weigher's multiplier for the hosts of the aggregate.
 */
export const compatWeighers: readonly Weigher[] = novaWeighers.map((weigher) => asWeigher(weigher))

/** The options of a filter in the profile. NUMATopologyFilter also gets the profile's setting `nova.packing`. */
export const filterOptions = ({ nova }: Profile, name: string, options: Profile['filters'][number]['options']) =>
  name === numaTopologyFilter.name && nova?.packing === true ? { [PACKING]: true, ...options } : options

/** The rules of Nova's scheduling algorithm for a profile. Throws RangeError for a filter or weigher that Nova does not have. */
export function novaRulesOf(profile: Profile): NovaRules {
  const { maxAttempts = USUAL_NOVA_ATTEMPTS, packing = false, shuffleBest = false } = profile.nova ?? {}
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
