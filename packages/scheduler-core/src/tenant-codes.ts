import type { Code } from './codes.ts'

/**
 * What a project may ask of a host: the parts of a request that are in its own words and in its own hands. A refusal is told
 * to the project as one of these, or not at all. `lacks` ends a sentence that begins with "No host".
 */
export const tenantDemands = {
  ZONE: { lacks: 'is in the availability zone asked for', cure: 'Ask for another availability zone, or for none.' },
  MEMORY: { lacks: 'has that much memory free', cure: 'Choose a flavor with less memory, or ask again later.' },
  VCPUS: { lacks: 'has that many virtual CPUs free', cure: 'Choose a flavor with fewer virtual CPUs, or ask again later.' },
  DISK: { lacks: 'has that much disk free', cure: 'Choose a flavor with less disk, boot from a volume, or ask again later.' },
  RESOURCES: { lacks: 'has that many units free', cure: 'Choose a flavor that asks for fewer units, or ask again later.' },
  NUMA: { lacks: 'fits the cells of the guest as they are asked for', cure: 'Choose a flavor with smaller cells or a laxer policy.' },
  PCI: { lacks: 'has the PCI devices free as they are asked for', cure: 'Choose a flavor with fewer devices or a laxer policy.' },
  GPUS: { lacks: 'has the GPUs free as they are asked for', cure: 'Ask for fewer GPUs, smaller shares or more models.' },
  TRAITS: { lacks: 'has the traits asked for', cure: 'Choose a flavor that asks for other traits.' },
  EXTRA_SPECS: { lacks: 'is set up for what the flavor asks for', cure: 'Choose another flavor.' },
  IMAGE: { lacks: 'supports what the image needs', cure: 'Choose another image.' },
  SERVER_GROUP: { lacks: 'is left by the rule of the server group', cure: 'Use another server group, or one with a soft policy.' },
} as const

export type TenantDemand = keyof typeof tenantDemands

/**
 * Which demand a code is told as; null: the code is not told to projects, for what it is about is the operators'. Several
 * codes are one demand on purpose: which of them came up depends on single hosts.
 */
export const tenantDemandOf: Readonly<Record<Extract<Code, ReasonCode>, TenantDemand | null>> = {
  'host.disabled': null,
  'host.down': null,
  'host.excluded': null,
  'host.not_requested': null,
  'host.not_reported': null,
  'zone.other': 'ZONE',
  'memory.short': 'MEMORY',
  'memory.too_little': 'MEMORY',
  'memory.huge_pages': 'MEMORY',
  'cpu.short': 'VCPUS',
  'cpu.too_few': 'VCPUS',
  'disk.short': 'DISK',
  'disk.too_little': 'DISK',
  'class.not_reported': 'RESOURCES',
  'class.short': 'RESOURCES',
  'class.too_little': 'RESOURCES',
  'class.unit': 'RESOURCES',
  'numa.not_reported': 'NUMA',
  'numa.cells': 'NUMA',
  'numa.memory': 'NUMA',
  'numa.too_little_memory': 'NUMA',
  'numa.huge_pages': 'NUMA',
  'numa.pinned_memory': 'NUMA',
  'numa.too_few_cpus': 'NUMA',
  'numa.cpus': 'NUMA',
  'numa.dedicated_cpus': 'NUMA',
  'numa.no_cell': 'NUMA',
  'numa.no_match': 'NUMA',
  'numa.no_threads': 'NUMA',
  'numa.page_size': 'NUMA',
  'numa.pages': 'NUMA',
  'numa.page_multiple': 'NUMA',
  'numa.threads': 'NUMA',
  'numa.networks': 'NUMA',
  'numa.missed': 'NUMA',
  'numa.search_limit': 'NUMA',
  'pci.not_reported': 'PCI',
  'pci.short': 'PCI',
  'pci.numa': 'PCI',
  'pci.unasked': 'PCI',
  'gpu.none': 'GPUS',
  'gpu.model': 'GPUS',
  'gpu.count': 'GPUS',
  'gpu.short': 'GPUS',
  'io_ops.too_many': null,
  'trait.missing': 'TRAITS',
  'trait.forbidden': 'TRAITS',
  'aggregate.not_member': null,
  'aggregate.extra_spec': 'EXTRA_SPECS',
  'image.unsupported': 'IMAGE',
  'instance.same_host': null,
  'instance.not_on_host': null,
  'group.affinity': 'SERVER_GROUP',
  'group.anti_affinity': 'SERVER_GROUP',
  'topology.skew': 'SERVER_GROUP',
  'topology.full': 'SERVER_GROUP',
  'topology.no_domain': 'SERVER_GROUP',
  'instances.too_many': null,
  'host.tried': null,
  'host.other_network': null,
  'memory.not_exact': null,
  'cpu.not_exact': null,
  'disk.not_exact': null,
  'aggregate.image_property': null,
  'aggregate.project': null,
  'aggregate.flavor': null,
  'capability.missing': 'EXTRA_SPECS',
  'capability.mismatch': 'EXTRA_SPECS',
  'image.version': 'IMAGE',
  'isolation.image': null,
  'isolation.host': null,
  'query.no_match': null,
  'metric.missing': null,
  'flavor.other': null,
  'trust.level': null,
  'namespace.not_reported': null,
  'namespace.stale': null,
  'namespace.malformed': null,
  'pool.not_told': 'DISK',
  'pool.ambiguous': 'DISK',
  'pool.too_little': 'DISK',
  'pool.short': 'DISK',
  'volume.unknown': null,
  'volume.far': null,
  'port.unknown': null,
  'port.far': null,
  'filter.refused': null,
  'outside.no_answer': null,
  'outside.bad_answer': null,
  'outside.failed': null,
  'filter.error': null,
}

/** Codes of hosts; the others are of changes and inputs, and their messages are of the caller's own call. */
type ReasonCode = Exclude<
  Code,
  | `entry.${string}`
  | `claim.${string}`
  | `report.${string}`
  | `use.${string}`
  | `leave.${string}`
  | `spec.${string}`
  | `plugin.${string}`
  | `stats.${string}`
  | `profile.${string}`
  | `overlay.${string}`
  | OtherCode
>
type OtherCode =
  | 'group.unknown'
  | 'group.version'
  | 'group.conflict'
  | 'aggregate.version'
  | 'aggregate.name_taken'
  | 'aggregate.zone_conflict'

/**
 * The demands that a filter may refuse for, whatever code it gives: which code a host gets is not told. Filters that are not
 * here judge hosts by what the operators say, so that no project can leave their question out.
 */
export const demandsOfFilter: Readonly<Record<string, readonly TenantDemand[]>> = {
  AvailabilityZoneFilter: ['ZONE'],
  RamFilter: ['MEMORY'],
  AggregateRamFilter: ['MEMORY'],
  CoreFilter: ['VCPUS'],
  AggregateCoreFilter: ['VCPUS'],
  DiskFilter: ['DISK'],
  AggregateDiskFilter: ['DISK'],
  AggregateInstanceExtraSpecsFilter: ['EXTRA_SPECS'],
  ComputeCapabilitiesFilter: ['EXTRA_SPECS'],
  ImagePropertiesFilter: ['IMAGE'],
  TraitsFilter: ['TRAITS'],
  ServerGroupAffinityFilter: ['SERVER_GROUP'],
  ServerGroupAntiAffinityFilter: ['SERVER_GROUP'],
  ResourceClassFilter: ['VCPUS', 'MEMORY', 'DISK', 'RESOURCES'],
  NUMATopologyFilter: ['NUMA', 'PCI'],
  PciPassthroughFilter: ['PCI'],
  DiskPoolFilter: ['DISK'],
  GpuFilter: ['GPUS'],
  // asked by hints alone, which projects do not give
  DifferentHostFilter: [],
  SameHostFilter: [],
  VolumeAffinityFilter: [],
  PortAffinityFilter: [],
  AllHostsFilter: [],
}
