import type { ReasonCode } from '../codes.ts'
import type { Reason } from '../filters/filter.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import { demandOf } from '../request/request-spec.ts'

/** Hosts that are refused for a code, in words that follow their number: `9 with too little memory left`. */
export const refusedHosts: Readonly<Record<ReasonCode, string>> = {
  'host.disabled': 'not enabled',
  'host.down': 'down',
  'host.excluded': 'that the request excludes',
  'host.not_requested': 'that the request does not name',
  'host.not_reported': 'with reports that leave out what is asked about',
  'zone.other': 'in other availability zones',
  'memory.short': 'with too little memory left',
  'memory.too_little': 'with too little memory in all',
  'memory.huge_pages': 'with the rest of their memory set aside as huge pages',
  'cpu.short': 'with too few vCPUs left',
  'cpu.too_few': 'with too few vCPUs in all',
  'disk.short': 'with too little disk left',
  'disk.too_little': 'with too little disk in all',
  'class.not_reported': 'without the resource class',
  'class.short': 'with too little of the resource class left',
  'class.too_little': 'with too little of the resource class in all',
  'class.unit': 'with unit rules that the amount breaks',
  'numa.not_reported': 'without NUMA cells in their reports',
  'numa.cells': 'with fewer NUMA cells than the guest',
  'numa.memory': 'with too little memory left in each NUMA cell',
  'numa.too_little_memory': 'with too little memory in all in each NUMA cell',
  'numa.huge_pages': 'with the rest of the memory of each NUMA cell set aside as huge pages',
  'numa.pinned_memory': 'with too little memory in each NUMA cell that is given to one guest alone',
  'numa.too_few_cpus': 'with too few shared CPUs in all in each NUMA cell',
  'numa.cpus': 'with too few shared CPUs left in each NUMA cell',
  'numa.dedicated_cpus': 'with too few CPUs left to dedicate in each NUMA cell',
  'numa.no_cell': 'without a NUMA cell that has both the CPUs and the memory',
  'numa.no_match': 'with too few NUMA cells for all guest cells at once',
  'numa.no_threads': 'without threads on their cores',
  'numa.page_size': 'without memory pages of the size',
  'numa.pages': 'with too few memory pages of the size left',
  'numa.page_multiple': 'with a page size that the memory of the guest is no multiple of',
  'numa.threads': 'with their free CPUs on other cores than the thread policy wants',
  'numa.networks': 'with NUMA cells that do not lead to the networks',
  'numa.missed': 'that the search of Nova does not find a way on',
  'numa.search_limit': 'with too many choices of NUMA cells to look at',
  'pci.not_reported': 'without PCI devices in their reports',
  'pci.short': 'with too few PCI devices of the kind left',
  'pci.numa': 'with too few PCI devices near the NUMA cells',
  'pci.unasked': 'with PCI devices that are given only where they are asked for',
  'gpu.none': 'without GPUs',
  'gpu.model': 'without GPUs of the models',
  'gpu.count': 'with too few GPUs of the models',
  'gpu.short': 'with too few GPUs that have the share free',
  'io_ops.too_many': 'with as many I/O-heavy operations as they may run',
  'trait.missing': 'without the traits',
  'trait.forbidden': 'with a forbidden trait',
  'aggregate.not_member': 'in none of the aggregates',
  'aggregate.extra_spec': 'in no aggregate with the metadata that the flavor asks for',
  'image.unsupported': 'that do not support the image',
  'instance.same_host': 'with an instance that it is to be apart from',
  'instance.not_on_host': 'without the instances that it is to be with',
  'group.affinity': 'away from the host of the server group',
  'group.anti_affinity': 'with as many members of the server group as one host may have',
  'topology.skew': 'in domains that have too many more members than the one with the fewest',
  'topology.full': 'in domains that have as many members as they may',
  'topology.no_domain': 'in no domain of the topology',
  'instances.too_many': 'with as many instances as they may have',
  'host.tried': 'that were tried before',
  'host.other_network': 'outside of the network asked for',
  'memory.not_exact': 'with another amount of memory left',
  'cpu.not_exact': 'with another number of vCPUs left',
  'disk.not_exact': 'with another amount of disk left',
  'aggregate.image_property': 'kept for images with another property',
  'aggregate.project': 'kept for other projects',
  'aggregate.flavor': 'kept for other flavors',
  'capability.missing': 'that do not report what the flavor asks for',
  'capability.mismatch': 'that report something else than the flavor asks for',
  'image.version': 'with another hypervisor version than the image needs',
  'isolation.image': 'that are not for isolated images',
  'isolation.host': 'kept for isolated images',
  'query.no_match': 'that do not meet the query of the hint',
  'metric.missing': 'without the metrics in their reports',
  'flavor.other': 'with an instance of another flavor',
  'trust.level': 'that are not attested to be trusted so far',
  'namespace.not_reported': 'without a document of the namespace',
  'namespace.stale': 'with a document of the namespace that is too old',
  'namespace.malformed': 'with a document of the namespace that cannot be read',
  'pool.not_told': 'in a storage pool of unknown size',
  'pool.ambiguous': 'with more than one storage pool for their disks',
  'pool.too_little': 'in a storage pool with too little space in all',
  'pool.short': 'in a storage pool with too little space left',
  'volume.unknown': 'with nothing known about where the volume is',
  'volume.far': 'too far from the volume',
  'port.unknown': 'with nothing known about where the port is',
  'port.far': 'too far from the physical network of the port',
  'filter.refused': 'refused by a plug-in',
  'outside.no_answer': 'without an answer of the part outside that is asked',
  'outside.bad_answer': 'with an answer of the part outside that makes no sense',
  'outside.failed': 'without an answer, since the part outside failed',
  'filter.error': 'that a filter failed on',
}

/** The hosts that a filter admits, in words that follow `hosts`: from why one host is kept out, and from what the request asks. */
export function admittedHosts({ code, subject, need }: Reason, request: RequestSpec): string {
  switch (code) {
    case 'host.not_requested':
      return `named ${need}`
    case 'host.excluded':
      return subject === 'forbiddenAggregates' ? 'outside of the forbidden aggregates' : 'that it does not exclude'
    case 'host.tried':
      return 'that were not tried before'
    case 'aggregate.not_member':
      return `in the aggregates ${need}`
    case 'zone.other':
      return `in availability zone ${need}`
    case 'trait.missing':
      return `with the traits ${demandOf(request).requiredTraits.join(', ')}`
    case 'trait.forbidden':
      return `without the traits ${demandOf(request).forbiddenTraits.join(', ')}`
    case 'image.unsupported':
      return `that support ${subject} = ${need}`
    case 'image.version':
      return `with hypervisor version ${need}`
    case 'aggregate.extra_spec':
    case 'capability.missing':
    case 'capability.mismatch':
      return `with ${subject} = ${need}`
    case 'aggregate.project':
    case 'aggregate.flavor':
    case 'aggregate.image_property':
    case 'isolation.host':
      return 'that are not kept for others'
    case 'isolation.image':
      return 'for isolated images'
    case 'host.other_network':
      return `in the network ${need}`
    case 'query.no_match':
      return 'that meet the query of the hint'
    case 'volume.far':
    case 'port.far':
      return `near ${need}`
    case 'host.not_reported':
      return `that report ${subject}`
    default:
      return `that are not ${refusedHosts[code as ReasonCode] ?? code}`
  }
}
