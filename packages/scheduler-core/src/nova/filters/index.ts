import type { NovaFilter } from '../nova-filter.ts'
import { aggregateImagePropertiesIsolation } from './aggregate-image-properties-isolation.ts'
import { aggregateInstanceExtraSpecsFilter } from './aggregate-instance-extra-specs.ts'
import { aggregateMultiTenancyIsolation } from './aggregate-multi-tenancy-isolation.ts'
import { aggregateTypeAffinityFilter } from './aggregate-type-affinity.ts'
import { allHostsFilter } from './all-hosts.ts'
import { availabilityZoneFilter } from './availability-zone.ts'
import { computeFilter } from './compute.ts'
import { computeCapabilitiesFilter } from './compute-capabilities.ts'
import { aggregateCoreFilter, coreFilter, exactCoreFilter } from './core.ts'
import { aggregateDiskFilter, diskFilter, exactDiskFilter } from './disk.ts'
import { imagePropertiesFilter } from './image-properties.ts'
import { aggregateIoOpsFilter, ioOpsFilter } from './io-ops.ts'
import { isolatedHostsFilter } from './isolated-hosts.ts'
import { jsonFilter } from './json.ts'
import { metricsFilter } from './metrics.ts'
import { aggregateNumInstancesFilter, numInstancesFilter } from './num-instances.ts'
import { numaTopologyFilter } from './numa-topology.ts'
import { pciPassthroughFilter } from './pci-passthrough.ts'
import { aggregateRamFilter, exactRamFilter, ramFilter } from './ram.ts'
import { retryFilter } from './retry.ts'
import { differentHostFilter, sameHostFilter } from './same-host.ts'
import { groupAffinityFilter, serverGroupAffinityFilter } from './server-group-affinity.ts'
import { groupAntiAffinityFilter, serverGroupAntiAffinityFilter } from './server-group-anti-affinity.ts'
import { simpleCidrAffinityFilter } from './simple-cidr-affinity.ts'
import { trustedFilter } from './trusted.ts'
import { typeAffinityFilter } from './type-affinity.ts'

/** Nova's filters, by the names under which Nova registers them. */
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
  // of Juno to Liberty
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
