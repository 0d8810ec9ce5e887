import { builtIn } from '../contracts/built-in.ts'
import type { Filter } from '../contracts/filter.ts'
import { allKinds } from '../kinds/index.ts'
import { aggregateInstanceExtraSpecsFilter } from './aggregate-instance-extra-specs.ts'
import { availabilityZoneFilter } from './availability-zone.ts'
import { computeFilter } from './compute.ts'
import { coreFilter } from './core.ts'
import { differentHostFilter } from './different-host.ts'
import { diskFilter } from './disk.ts'
import { fitFilter } from './fit.ts'
import { imagePropertiesFilter } from './image-properties.ts'
import { portAffinityFilter } from './port-affinity.ts'
import { ramFilter } from './ram.ts'
import { sameHostFilter } from './same-host.ts'
import { serverGroupAffinityFilter } from './server-group-affinity.ts'
import { serverGroupAntiAffinityFilter } from './server-group-anti-affinity.ts'
import { traitsFilter } from './traits.ts'
import { volumeAffinityFilter } from './volume-affinity.ts'

/** One filter for each resource kind. It passes hosts with enough resources of the kind. */
const kindFilters = allKinds.map(fitFilter)

const ownFilters: readonly Filter[] = [
  computeFilter,
  availabilityZoneFilter,
  ramFilter,
  coreFilter,
  diskFilter,
  aggregateInstanceExtraSpecsFilter,
  imagePropertiesFilter,
  differentHostFilter,
  sameHostFilter,
  traitsFilter,
  serverGroupAffinityFilter,
  serverGroupAntiAffinityFilter,
  volumeAffinityFilter,
  portAffinityFilter,
  ...kindFilters,
]

/** Every filter that a profile may name: first the filters of this folder, then those of the built-in package. */
export const nameableFilters = (): readonly Filter[] => [...ownFilters, ...builtIn().filters]

/**
 * Filters that run in every profile. They check the rules that a claim must also satisfy when it is applied from the log. Therefore a
 * decision never proposes a host that these rules forbid in the fleet on which it decides.
 */
export const fitFilters: readonly Filter[] = [serverGroupAffinityFilter, serverGroupAntiAffinityFilter, ...kindFilters]
