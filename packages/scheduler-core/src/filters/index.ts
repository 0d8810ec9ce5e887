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

/** The filters of the kinds of resources: whether the host has enough of each, in the order of the kinds. */
const kindFilters = allKinds.map(fitFilter)

/** This service's own filters. */
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

/** Every filter that a profile may name: this service's own, then those of the built-in package. */
export const nameableFilters = (): readonly Filter[] => [...ownFilters, ...builtIn().filters]

/**
 * The conditions that the judge checks at the claim's position in the log. These filters run in every profile, so that no decision proposes
 * a host on which the claim would be void.
 */
export const fitFilters: readonly Filter[] = [serverGroupAffinityFilter, serverGroupAntiAffinityFilter, ...kindFilters]
