import { builtInProfiles } from '../../../../profiles/built-in.ts'
import type { Change } from '../../../../records/change.ts'
import { type Profile, profileSchema } from '../../../../records/profile.ts'
import { aClaim, aDocument, type aLog, type aRequest, aUuid, type HostShape } from '../../../../testing/index.ts'
import type { Code } from '../../../../text/codes.ts'
import { COLLECTOR_STATES, NAMED_BY_ALL, PLACEMENT_RULES, STRICT_CLAIMS } from '../../../../values/levels.ts'

export const profileNamed = (name: string) => builtInProfiles.find((profile) => profile.name === name) as Profile
/** The default profile with one more filter at the start of its list of filters. */
const withFilter = (name: string, options: Record<string, unknown> = {}): Profile =>
  profileSchema.parse({
    ...profileNamed('default'),
    number: 1,
    filters: [{ name, options: options as never }, ...profileNamed('default').filters],
  })
const novaWith = (name: string, options: Record<string, unknown> = {}): Profile =>
  profileSchema.parse({ ...profileNamed('nova-compat'), number: 1, filters: [{ name, options: options as never }] })

const novaPlacement = (placement: object): Profile =>
  profileSchema.parse({ ...profileNamed('nova-compat'), number: 1, filters: [], nova: { placement } })
const anAggregate = (metadata: Record<string, string>, hosts: readonly string[] = ['h1']) =>
  ({ type: 'aggregate', uuid: aUuid(6), expectedVersion: 0, next: { name: 'kept', hosts, metadata } }) as const
const level10 = { type: 'feature', level: PLACEMENT_RULES } as const

const reserving = (reserved: number) =>
  ({ type: 'hostAllocation', host: 'h1', node: 'h1', resourceClass: 'MEMORY_MB', reserved, by: 'op', reason: 'kept' }) as const

export interface Example {
  readonly host?: HostShape
  readonly request: Parameters<typeof aRequest>[0]
  readonly profile?: Profile
  /** Changes of the fleet after the reports of the hosts h1 and h2. */
  readonly changes?: Parameters<ReturnType<typeof aLog>['append']>[0]
  /** Further changes, in the next log entry. */
  readonly later?: Parameters<ReturnType<typeof aLog>['append']>[0]
}

const CELL = { id: 0, cpuset: [0, 1, 2, 3], memoryMb: 4_096 }
const cell = (more: object = {}) => ({ numaTopology: { cells: [{ id: 0, cpus: [0, 1], memoryMb: 1_024, ...more }] } })
const twoCells = { numaTopology: { cells: [0, 1].map((id) => ({ id, cpus: [id], memoryMb: 512 })) } }
const extra = (extraSpecs: Record<string, string>) => ({ flavor: { vcpus: 1, memoryMb: 512, extraSpecs } })
const inGroup = (policy: 'AFFINITY' | 'ANTI_AFFINITY') => ({ instanceGroup: { uuid: aUuid(7), policy } })
const aMember = (policy: 'AFFINITY' | 'ANTI_AFFINITY', host: string) =>
  aClaim({
    hosts: [host],
    grants: {},
    instances: [aUuid(5)],
    group: { uuid: aUuid(7), policy, maxServerPerHost: policy === 'ANTI_AFFINITY' ? 1 : null },
  })
const aMemberOf = (uuid: string, ...apartFrom: readonly string[]) =>
  aClaim({ grants: {}, group: { uuid, policy: 'SOFT_AFFINITY', maxServerPerHost: null, ...(apartFrom.length > 0 && { apartFrom }) } })
const level5 = { type: 'feature', level: 5 } as const
const strict = { type: 'feature', level: STRICT_CLAIMS } as const
/** A NUMA cell with 4 GiB of memory, of which 3 GiB are huge pages. */
const HUGE = { ...CELL, pages: [{ sizeKib: 2_048, total: 1_536 }] }
/** The collector of a host for a namespace is paused. */
const pausedOf = (host: string, namespace: string): readonly Change[] => [
  { type: 'feature', level: COLLECTOR_STATES },
  aDocument(host, 'collectors', { collectors: [{ name: 'mine', namespace, state: 'PAUSED', since: '2026-11-20T12:00:00.000Z' }] }),
]
const withDisk = { flavor: { vcpus: 1, memoryMb: 512, rootGb: 9 } }
const inPool = (number: number, pool: string) =>
  ({
    type: 'aggregate',
    uuid: aUuid(number),
    expectedVersion: 0,
    next: { name: `pool ${number}`, hosts: ['h1'], metadata: { 'gantt:disk_pool': pool } },
  }) as const
const aPool = (totalGib: number) => aDocument('h2', 'storage', { pools: [{ uuid: aUuid(71), name: 'fast', totalGib }] })
const near = (hint: string) => ({ schedulerHints: { [hint]: [aUuid(2)] } })
const storageOf = (host: string, number: number, isThere: boolean) =>
  aDocument(host, 'storage', {
    pools: [{ uuid: aUuid(number), name: 'fast' }],
    volumes: isThere ? [{ uuid: aUuid(2), pool: aUuid(number) }] : [],
  })
const networkOf = (host: string, name: string, isThere: boolean) =>
  aDocument(host, 'network', { physicalNetworks: [{ name }], ports: isThere ? [{ uuid: aUuid(2), physicalNetwork: name }] : [] })
const image = { image: { properties: { hw_architecture: 'sparc', img_hv_type: 'kvm' } } }

/** For each code, examples of a host h1 and a request for which h1 is refused with this code. */
export const examples: Partial<Record<Code, Example | readonly Example[]>> = {
  'memory.short': [
    { host: { memoryMb: 2_048 }, request: { memoryMb: 4_096 } },
    { host: { memoryMb: 4_096 }, request: { memoryMb: 4_096 }, changes: [aClaim()] },
    { host: { memoryMb: 4_096 }, request: { memoryMb: 4_096 }, changes: [aClaim({ mode: 'CONFIRM' })] },
    { host: { memoryMb: 2_048 }, request: { memoryMb: 4_096 }, profile: novaWith('RamFilter') },
    { host: { memoryMb: 8_192, memoryMbUsed: 2_048 }, request: { memoryMb: 4_096 }, changes: [level10], later: [reserving(3_000)] },
  ],
  'memory.too_little': [
    { host: { memoryMb: 2_048, ramAllocationRatio: 4 }, request: { memoryMb: 4_096 }, changes: [strict] },
    { host: { memoryMb: 65_536 }, request: { memoryMb: 4_096 }, changes: [level10], later: [reserving(65_000)] },
  ],
  'memory.huge_pages': { host: { memoryMb: 4_096, numaCells: [HUGE] }, request: { memoryMb: 2_048 }, changes: [strict] },
  'disk.too_little': {
    host: { localGb: 10, diskAllocationRatio: 4 },
    request: { flavor: { vcpus: 1, memoryMb: 1, rootGb: 20 } },
    changes: [strict],
  },
  'class.too_little': {
    host: { inventories: [{ resourceClass: 'CUSTOM_FPGA', total: 2, allocationRatio: 4 }] },
    request: extra({ 'resources:CUSTOM_FPGA': '3' }),
    changes: [strict],
  },
  'numa.too_little_memory': {
    host: { ramAllocationRatio: 4, numaCells: [CELL] },
    request: { memoryMb: 5_000, ...cell({ memoryMb: 5_000 }) },
    changes: [strict],
  },
  'numa.huge_pages': { host: { numaCells: [HUGE] }, request: { memoryMb: 2_048, ...cell({ memoryMb: 2_048 }) }, changes: [strict] },
  'numa.pinned_memory': {
    host: { ramAllocationRatio: 4, numaCells: [{ ...CELL, memoryUsageMb: 3_584 }] },
    request: { vcpus: 2, ...cell({ cpuPolicy: 'dedicated' }) },
    changes: [strict],
  },
  'numa.too_few_cpus': {
    host: { cpuAllocationRatio: 4, numaCells: [CELL] },
    request: { vcpus: 6, ...cell({ cpus: [0, 1, 2, 3, 4, 5] }) },
    changes: [strict],
  },
  'numa.too_few_dedicated': {
    host: { cpuAllocationRatio: 4, numaCells: [CELL] },
    request: { vcpus: 6, ...cell({ cpus: [0, 1, 2, 3, 4, 5], cpuPolicy: 'dedicated' }) },
    changes: [level10],
  },
  'numa.too_few_cores': {
    host: {
      numaCells: [
        {
          ...CELL,
          siblings: [
            [0, 1],
            [2, 3],
          ],
        },
      ],
    },
    request: { vcpus: 3, ...cell({ cpus: [0, 1, 2], cpuPolicy: 'dedicated', cpuThreadPolicy: 'isolate' }) },
    changes: [level10],
  },
  'numa.too_few_pages': {
    host: {
      numaCells: [
        {
          ...CELL,
          pages: [
            { sizeKib: 4, total: 524_288 },
            { sizeKib: 2_048, total: 100 },
          ],
        },
      ],
    },
    request: { vcpus: 2, ...cell({ pageSize: 2_048 }) },
    changes: [level10],
  },
  'pool.too_little': {
    request: withDisk,
    changes: [
      strict,
      inPool(3, aUuid(71)),
      aDocument('h2', 'storage', { pools: [{ uuid: aUuid(71), name: 'fast', totalGib: 4, thinRatio: 8 }] }),
    ],
  },
  'cpu.short': { host: { vcpus: 4, vcpusUsed: 3 }, request: { vcpus: 2 } },
  'cpu.too_few': { host: { vcpus: 4, cpuAllocationRatio: 4 }, request: { vcpus: 8 } },
  'disk.short': { host: { localGb: 10 }, request: { flavor: { vcpus: 1, memoryMb: 1, rootGb: 20 } } },
  'memory.not_exact': { host: { memoryMb: 2_048 }, request: { memoryMb: 1_024 }, profile: novaWith('ExactRamFilter') },
  'class.short': [
    { host: { inventories: [{ resourceClass: 'CUSTOM_FPGA', total: 2 }] }, request: extra({ 'resources:CUSTOM_FPGA': '3' }) },
    {
      host: { inventories: [{ resourceClass: 'CUSTOM_FPGA', total: 2 }] },
      request: { requestedResources: [{ amounts: [{ resourceClass: 'CUSTOM_FPGA', amount: 4 }] }] },
    },
  ],
  'topology.no_domain': {
    request: { instanceGroup: { uuid: aUuid(7), policy: 'SOFT_ANTI_AFFINITY' }, topologySpread: [{ topologyKey: 'rack', maxSkew: 1 }] },
  },
  'topology.full': {
    request: {
      instanceGroup: { uuid: aUuid(7), policy: 'SOFT_ANTI_AFFINITY' },
      topologySpread: [{ topologyKey: 'host', maxPerDomain: 1 }],
    },
    changes: [aClaim({ group: { uuid: aUuid(7), policy: 'SOFT_ANTI_AFFINITY', maxServerPerHost: null } })],
  },
  'class.not_reported': { request: extra({ 'resources:CUSTOM_FPGA': '1' }) },
  'class.unit': {
    host: { inventories: [{ resourceClass: 'CUSTOM_FPGA', total: 9, stepSize: 3 }] },
    request: extra({ 'resources:CUSTOM_FPGA': '4' }),
  },
  'zone.other': [
    { request: { availabilityZone: 'az9' } },
    { request: { availabilityZone: 'az9', ...extra({ 'trait:FAST': 'required' }) } },
    { request: { availabilityZone: 'az9' }, profile: novaWith('AvailabilityZoneFilter') },
  ],
  'aggregate.not_member': { request: { requestedDestination: { aggregates: [aUuid(2)] } } },
  'aggregate.tenant': {
    request: { projectId: 'p1' },
    profile: novaPlacement({ limitTenants: true }),
    changes: [level10, anAggregate({ filter_tenant_id: 'p1' }, [])],
  },
  'aggregate.trait': {
    host: { traits: ['CUSTOM_WIN'] },
    request: {},
    profile: novaPlacement({ isolateAggregates: true }),
    changes: [level10, anAggregate({ 'trait:CUSTOM_WIN': 'required' })],
  },
  'host.excluded': [{ request: { ignoreHosts: ['h1'] } }, { request: { requestedDestination: { forbiddenAggregates: [aUuid(1)] } } }],
  'host.not_requested': [{ request: { forceHosts: ['h9'] } }, { request: { requestedDestination: { host: 'h9' } } }],
  'host.none_common': [
    { request: { forceHosts: ['h1'], requestedDestination: { host: 'h9' } }, changes: [{ type: 'feature', level: NAMED_BY_ALL }] },
    {
      request: { forceHosts: ['h1'], requestedDestination: { aggregates: [aUuid(2)] } },
      changes: [{ type: 'feature', level: NAMED_BY_ALL }],
    },
  ],
  'host.disabled': { request: {}, changes: [{ type: 'status', host: 'h1', node: 'h1', status: 'MAINTENANCE', reason: 'fan' }] },
  'host.down': { request: {}, changes: [{ type: 'liveness', host: 'h1', node: 'h1', state: 'DOWN', reason: 'silent' }] },
  'trait.missing': [
    { request: extra({ 'trait:FAST': 'required' }) },
    { request: extra({ 'trait:FAST': 'required', 'trait:CUSTOM_QUIET': 'required' }) },
  ],
  'trait.forbidden': [
    { host: { traits: ['SLOW'] }, request: { requestedResources: [{ amounts: [], forbiddenTraits: ['SLOW'] }] } },
    { host: { traits: ['SLOW', 'OLD'] }, request: { requestedResources: [{ amounts: [], forbiddenTraits: ['SLOW', 'OLD'] }] } },
  ],
  'aggregate.extra_spec': [
    { request: extra({ ssd: 'true' }) },
    { request: extra({ ssd: 'true', rack: 'r1' }) },
    { request: extra({ 'aggregate_instance_extra_specs:ssd': 'true' }), profile: novaWith('AggregateInstanceExtraSpecsFilter') },
  ],
  'capability.missing': { request: extra({ 'capabilities:cpu_arch': 'sparc' }), profile: novaWith('ComputeCapabilitiesFilter') },
  'capability.mismatch': {
    host: { hypervisorType: 'QEMU' },
    request: extra({ 'capabilities:hypervisor_type': 'xen' }),
    profile: novaWith('ComputeCapabilitiesFilter'),
  },
  'image.unsupported': { host: { supportedInstances: [{ arch: 'x86_64', hvType: 'kvm', vmMode: 'hvm' }] }, request: image },
  'group.affinity': { request: inGroup('AFFINITY'), changes: [aMember('AFFINITY', 'h2')] },
  'group.anti_affinity': { request: inGroup('ANTI_AFFINITY'), changes: [aMember('ANTI_AFFINITY', 'h1')] },
  'instance.same_host': [
    { request: { schedulerHints: { different_host: [aUuid(5)] } }, changes: [aMember('AFFINITY', 'h1')] },
    { request: { schedulerHints: { different_host: [aUuid(6), aUuid(5)] } }, changes: [aMember('AFFINITY', 'h1')] },
  ],
  'instance.not_on_host': [
    { request: { schedulerHints: { same_host: [aUuid(5)] } } },
    { request: { schedulerHints: { same_host: [aUuid(5), aUuid(6)] } } },
  ],
  'host.other_network': {
    host: { hostIp: '10.0.0.1' },
    request: { schedulerHints: { build_near_host_ip: ['192.168.1.1'], cidr: ['/24'] } },
    profile: novaWith('SimpleCIDRAffinityFilter'),
  },
  'query.no_match': { request: { schedulerHints: { query: ['[">=","$free_ram_mb",999999]'] } }, profile: novaWith('JsonFilter') },
  'numa.not_reported': { request: cell() },
  'numa.cells': { host: { numaCells: [CELL] }, request: twoCells },
  'numa.memory': [
    { host: { numaCells: [CELL] }, request: cell({ memoryMb: 8_192 }) },
    { host: { numaCells: [CELL, { ...CELL, id: 1, cpuset: [4, 5, 6, 7] }] }, request: cell({ memoryMb: 8_192 }) },
  ],
  'numa.cpus': { host: { numaCells: [CELL] }, request: cell({ cpus: [0, 1, 2, 3, 4] }) },
  'numa.dedicated_cpus': { host: { numaCells: [CELL] }, request: cell({ cpus: [0, 1, 2, 3, 4], cpuPolicy: 'dedicated' }) },
  'numa.page_size': { host: { numaCells: [CELL] }, request: cell({ pageSize: 2_048 }) },
  'pci.not_reported': { request: { pciRequests: [{ count: 1, specs: [{ vendor_id: 'v' }] }] } },
  'pci.short': [
    {
      host: { pciPools: [{ vendorId: 'v', productId: 'p', total: 2 }] },
      request: { pciRequests: [{ count: 3, specs: [{ vendor_id: 'v' }] }] },
    },
    {
      host: { pciPools: [{ vendorId: 'v', productId: 'p', total: 2 }] },
      request: { pciRequests: [{ alias: 'card', count: 3, specs: [{ vendor_id: 'v' }, { vendor_id: 'w', product_id: 'p' }] }] },
    },
  ],
  'pci.numa': {
    host: { numaCells: [CELL], pciPools: [{ vendorId: 'v', productId: 'p', total: 1 }] },
    request: { ...cell(), pciRequests: [{ count: 1, specs: [{ vendor_id: 'v' }], numaPolicy: 'required' }] },
  },
  'gpu.none': { request: { gpus: {} } },
  'gpu.model': { host: { gpus: [{ index: 0, model: 'B' }] }, request: { gpus: { models: ['A'] } } },
  'gpu.count': { host: { gpus: [{ index: 0 }] }, request: { gpus: { count: 2 } } },
  'gpu.short': [
    { host: { gpus: [{ index: 0, usedMilli: 500 }, { index: 1 }] }, request: { gpus: { count: 2 } } },
    { host: { gpus: [{ index: 0 }] }, request: { gpus: {} }, changes: [aClaim({ grants: { gpu: [{ index: 0, milli: 300 }] } })] },
    { host: { gpus: [{ index: 0, usedMilli: 601 }] }, request: { gpus: { shareMilli: 400 } }, changes: [level10] },
  ],
  'gpu.numa': {
    host: { numaCells: [CELL], gpus: [{ index: 0 }] },
    request: { ...cell(), gpus: { numaPolicy: 'required' } },
  },
  'group.apart': [
    { request: { instanceGroup: { ...inGroup('AFFINITY').instanceGroup, apartFrom: [aUuid(8)] } }, changes: [aMemberOf(aUuid(8))] },
    { request: { instanceGroup: { uuid: aUuid(8), policy: 'AFFINITY' } }, changes: [aMemberOf(aUuid(7), aUuid(8))] },
  ],
  'io_ops.too_many': { host: { numIoOps: 9 }, request: {}, profile: withFilter('IoOpsFilter') },
  'instances.too_many': {
    host: { runningVms: 1, instances: [aUuid(9)] },
    request: {},
    profile: withFilter('NumInstancesFilter', { max_instances_per_host: 1 }),
  },
  'namespace.not_reported': {
    request: near('near_volume'),
    profile: withFilter('VolumeAffinityFilter'),
    changes: [level5, storageOf('h2', 1, true)],
  },
  'namespace.stale': {
    request: near('near_volume'),
    profile: withFilter('VolumeAffinityFilter'),
    changes: [storageOf('h1', 1, false)],
    later: [level5, storageOf('h2', 1, true)],
  },
  'namespace.not_sent': [
    {
      request: near('near_volume'),
      profile: withFilter('VolumeAffinityFilter'),
      changes: [...pausedOf('h1', 'storage'), storageOf('h2', 1, true)],
    },
    { request: withDisk, changes: [inPool(3, aUuid(71)), ...pausedOf('h1', 'storage')] },
    {
      request: extra({ 'trust:trusted_host': 'trusted' }),
      profile: withFilter('TrustedFilter'),
      changes: pausedOf('h1', 'attestation'),
    },
  ],
  'namespace.malformed': {
    request: near('near_port'),
    profile: withFilter('PortAffinityFilter'),
    changes: [level5, aDocument('h1', 'network', 'nonsense'), networkOf('h2', 'physnet1', true)],
  },
  'pool.not_told': { request: withDisk, changes: [inPool(3, aUuid(71))] },
  'pool.ambiguous': { request: withDisk, changes: [inPool(3, aUuid(71)), inPool(4, aUuid(72))] },
  'pool.short': [
    { request: withDisk, changes: [level5, inPool(3, aUuid(71)), aPool(4)] },
    { request: withDisk, changes: [level5, inPool(3, aUuid(71)), aPool(0)] },
  ],
  'volume.unknown': { request: near('near_volume'), profile: withFilter('VolumeAffinityFilter') },
  'volume.far': {
    request: near('near_volume'),
    profile: withFilter('VolumeAffinityFilter'),
    changes: [level5, storageOf('h1', 3, false), storageOf('h2', 1, true)],
  },
  'port.unknown': { request: near('near_port'), profile: withFilter('PortAffinityFilter') },
  'port.far': {
    request: near('near_port'),
    profile: withFilter('PortAffinityFilter'),
    changes: [level5, networkOf('h1', 'physnet2', false), networkOf('h2', 'physnet1', true)],
  },
  'isolation.host': { request: {}, profile: withFilter('IsolatedHostsFilter', { isolated_hosts: ['h1'], isolated_images: ['i1'] }) },
}
