import type { NovaFilter } from '../nova-filter.ts'
import { aggregateMultiTenancyIsolation } from './aggregate-multi-tenancy-isolation.ts'
import { aggregateTypeAffinityFilter } from './aggregate-type-affinity.ts'
import { allHostsFilter } from './all-hosts.ts'
import { availabilityZoneFilter } from './availability-zone.ts'
import { computeFilter } from './compute.ts'
import { aggregateCoreFilter, coreFilter, exactCoreFilter } from './core.ts'
import { aggregateDiskFilter, diskFilter, exactDiskFilter } from './disk.ts'
import { aggregateIoOpsFilter, ioOpsFilter } from './io-ops.ts'
import { isolatedHostsFilter } from './isolated-hosts.ts'
import { aggregateNumInstancesFilter, numInstancesFilter } from './num-instances.ts'
import { numaTopologyFilter } from './numa-topology.ts'
import { pciPassthroughFilter } from './pci-passthrough.ts'
import { aggregateRamFilter, exactRamFilter, ramFilter } from './ram.ts'
import { retryFilter } from './retry.ts'
import { differentHostFilter, sameHostFilter } from './same-host.ts'
import { groupAffinityFilter, serverGroupAffinityFilter } from './server-group-affinity.ts'
import { trustedFilter } from './trusted.ts'
import { typeAffinityFilter } from './type-affinity.ts'

/** Nova's filters, by the names under which Nova registers them. */
export const novaFilters: readonly NovaFilter[] = [
  aggregateIoOpsFilter,
  aggregateMultiTenancyIsolation,
  aggregateNumInstancesFilter,
  aggregateTypeAffinityFilter,
  allHostsFilter,
  availabilityZoneFilter,
  computeFilter,
  differentHostFilter,
  ioOpsFilter,
  isolatedHostsFilter,
  numInstancesFilter,
  numaTopologyFilter,
  pciPassthroughFilter,
  sameHostFilter,
  serverGroupAffinityFilter,
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
  ramFilter,
  retryFilter,
  trustedFilter,
  typeAffinityFilter,
]
