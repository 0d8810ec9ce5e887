import type { NovaFilter } from '../parts/nova-filter.ts'
import { differentHostFilter, sameHostFilter } from './affinity/same-host.ts'
import { groupAffinityFilter, serverGroupAffinityFilter } from './affinity/server-group-affinity.ts'
import { groupAntiAffinityFilter, serverGroupAntiAffinityFilter } from './affinity/server-group-anti-affinity.ts'
import { simpleCidrAffinityFilter } from './affinity/simple-cidr-affinity.ts'
import { aggregateImagePropertiesIsolation } from './aggregate/aggregate-image-properties-isolation.ts'
import { aggregateInstanceExtraSpecsFilter } from './aggregate/aggregate-instance-extra-specs.ts'
import { aggregateMultiTenancyIsolation } from './aggregate/aggregate-multi-tenancy-isolation.ts'
import { aggregateTypeAffinityFilter } from './aggregate/aggregate-type-affinity.ts'
import { typeAffinityFilter } from './aggregate/type-affinity.ts'
import { allHostsFilter } from './all-hosts.ts'
import { aggregateCoreFilter, coreFilter, exactCoreFilter } from './amount/core.ts'
import { aggregateDiskFilter, diskFilter, exactDiskFilter } from './amount/disk.ts'
import { aggregateIoOpsFilter, ioOpsFilter } from './amount/io-ops.ts'
import { metricsFilter } from './amount/metrics.ts'
import { aggregateNumInstancesFilter, numInstancesFilter } from './amount/num-instances.ts'
import { aggregateRamFilter, exactRamFilter, ramFilter } from './amount/ram.ts'
import { availabilityZoneFilter } from './availability-zone.ts'
import { computeFilter } from './compute.ts'
import { computeCapabilitiesFilter } from './hardware/compute-capabilities.ts'
import { imagePropertiesFilter } from './hardware/image-properties.ts'
import { numaTopologyFilter } from './hardware/numa-topology.ts'
import { pciPassthroughFilter } from './hardware/pci-passthrough.ts'
import { isolatedHostsFilter } from './isolated-hosts.ts'
import { jsonFilter } from './json.ts'
import { retryFilter } from './retry.ts'
import { trustedFilter } from './trusted.ts'

/** All filters of Nova. */
export const novaFilters: readonly NovaFilter[] = [
  aggregateImagePropertiesIsolation,
  aggregateInstanceExtraSpecsFilter,
  aggregateIoOpsFilter,
  aggregateMultiTenancyIsolation,
  aggregateNumInstancesFilter,
  aggregateTypeAffinityFilter,
  allHostsFilter,
  availabilityZoneFilter,
  computeCapabilitiesFilter,
  computeFilter,
  differentHostFilter,
  imagePropertiesFilter,
  ioOpsFilter,
  isolatedHostsFilter,
  jsonFilter,
  metricsFilter,
  numInstancesFilter,
  numaTopologyFilter,
  pciPassthroughFilter,
  sameHostFilter,
  serverGroupAffinityFilter,
  serverGroupAntiAffinityFilter,
  simpleCidrAffinityFilter,
  // Filters that only older releases of Nova have
  aggregateCoreFilter,
  aggregateDiskFilter,
  aggregateRamFilter,
  coreFilter,
  diskFilter,
  exactCoreFilter,
  exactDiskFilter,
  exactRamFilter,
  groupAffinityFilter,
  groupAntiAffinityFilter,
  ramFilter,
  retryFilter,
  trustedFilter,
  typeAffinityFilter,
]
