import { allKinds } from '../kinds/index.ts'
import { asFilter } from '../nova/as-filter.ts'
import { novaFilters } from '../nova/filters/index.ts'
import { aggregateInstanceExtraSpecsFilter } from './aggregate-instance-extra-specs.ts'
import { availabilityZoneFilter } from './availability-zone.ts'
import { computeFilter } from './compute.ts'
import { coreFilter } from './core.ts'
import { differentHostFilter } from './different-host.ts'
import { diskFilter } from './disk.ts'
import type { Filter } from './filter.ts'
import { fitFilter } from './fit.ts'
import { imagePropertiesFilter } from './image-properties.ts'
import { portAffinityFilter } from './port-affinity.ts'
import { ramFilter } from './ram.ts'
import { sameHostFilter } from './same-host.ts'
import { serverGroupAffinityFilter } from './server-group-affinity.ts'
import { serverGroupAntiAffinityFilter } from './server-group-anti-affinity.ts'
import { traitsFilter } from './traits.ts'
import { volumeAffinityFilter } from './volume-affinity.ts'

/** Nova's filters that read nothing but what requests and reports of this service say. */
export const novaFilterNames: ReadonlySet<string> = new Set([
  'AggregateCoreFilter',
  'AggregateDiskFilter',
  'AggregateImagePropertiesIsolation',
  'AggregateIoOpsFilter',
  'AggregateMultiTenancyIsolation',
  'AggregateNumInstancesFilter',
  'AggregateRamFilter',
  'AggregateTypeAffinityFilter',
  'AllHostsFilter',
  'ComputeCapabilitiesFilter',
  'ExactCoreFilter',
  'ExactDiskFilter',
  'ExactRamFilter',
  'IoOpsFilter',
  'IsolatedHostsFilter',
  'JsonFilter',
  'MetricsFilter',
  'NumInstancesFilter',
  'SimpleCIDRAffinityFilter',
  'TrustedFilter',
  'TypeAffinityFilter',
])

/** Whether the host can give what is asked of each kind, in the order of the kinds. */
const kindFilters = allKinds.map(fitFilter)

/** Every filter that a profile may name: this service's own, then those of Nova's that it has no own form of. */
export const filters: readonly Filter[] = [
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
  ...novaFilters.filter(({ name }) => novaFilterNames.has(name)).map(asFilter),
]

/**
 * What the judge will demand at the claim's place in the log: these run in every profile, so that no search ever
 * proposes what a claim cannot hold.
 */
export const fitFilters: readonly Filter[] = [serverGroupAffinityFilter, serverGroupAntiAffinityFilter, ...kindFilters]
