import { describe, expect, test } from 'vitest'
import type { Fact } from '../evidence.ts'
import type { Change } from '../fleet/change.ts'
import { checkpointOf, restoreFleet } from '../fleet/checkpoint.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { HostIndex } from '../host-index.ts'
import { candidatesFilter } from '../pipeline/candidates.ts'
import type { Reason } from '../reason.ts'
import { aClaim, aDocument, aLog, aReport, aRequest, aUuid, type HostShape } from '../testing/index.ts'
import type { Filter } from './filter.ts'
import { filters, fitFilters, novaFilterNames } from './index.ts'

type Request = Parameters<typeof aRequest>[0]

interface Row {
  /** The host h1; h2 is there beside it, with nothing special. */
  readonly host?: HostShape
  /** What happened after both had reported. */
  readonly after?: readonly Change[]
  readonly request?: Request
  /** What the filter must say of h1: true, NOT_ASKED, or the reason of its refusal. */
  readonly says: true | 'NOT_ASKED' | Reason
}

const fleetOf = ({ host = {}, after = [] }: Pick<Row, 'host' | 'after'>): Fleet => {
  const log = aLog()
  log.append([aReport('h1', host), aReport('h2')])
  for (const change of after) expect(log.append([change])).toEqual([undefined])
  return log.fleet
}

function sayOf(filter: Filter, fleet: Fleet, request: Request): true | 'NOT_ASKED' | Reason {
  const prepared = filter.prepare(aRequest(request), fleet, {})
  if (prepared === undefined) return 'NOT_ASKED'
  const h1 = 0 as HostIndex
  return prepared.passes(h1) || prepared.reason(h1)
}

const named = (name: string): Filter => {
  const filter = [...filters, candidatesFilter].find((known) => known.name === name)
  if (filter === undefined) throw new Error(`no filter ${name}`)
  return filter
}

const flavor = (parts: Partial<NonNullable<NonNullable<Request>['flavor']>>) => ({ flavor: { vcpus: 1, memoryMb: 1_024, ...parts } })
const specs = (extraSpecs: Record<string, string>) => flavor({ extraSpecs })
const disable = (reason: string): Change => ({ type: 'status', host: 'h1', node: 'h1', status: 'DISABLED', reason })
const aggregate = (number: number, hosts: readonly string[], metadata: Record<string, string> = {}): Change => ({
  type: 'aggregate',
  uuid: aUuid(number),
  expectedVersion: 0,
  next: { name: `aggregate ${number}`, hosts, metadata },
})
const group = (policy: 'AFFINITY' | 'ANTI_AFFINITY' | 'SOFT_AFFINITY' | 'SOFT_ANTI_AFFINITY', maxServerPerHost: number | null = null) => ({
  uuid: aUuid(7),
  policy,
  maxServerPerHost,
})
const member = (host: string, key: string, bound: ReturnType<typeof group>) => aClaim({ key, hosts: [host], group: bound })
const level5: Change = { type: 'feature', level: 5 }
const poolDocument = (host: string, ...volumes: readonly number[]) =>
  aDocument(host, 'storage', {
    pools: [{ uuid: aUuid(1), name: 'fast' }],
    volumes: volumes.map((number) => ({ uuid: aUuid(number), pool: aUuid(1) })),
  })
const inPool = (number: number, hosts: readonly string[], poolNumber: number): Change =>
  aggregate(number, hosts, { 'gantt:disk_pool': aUuid(poolNumber) })
const space = (host: string, told: object) => aDocument(host, 'storage', { pools: [{ uuid: aUuid(1), name: 'fast', ...told }] })
const networkDocument = (host: string, physicalNetwork: string, ...ports: readonly number[]) =>
  aDocument(host, 'network', {
    physicalNetworks: [{ name: physicalNetwork }],
    ports: ports.map((number) => ({ uuid: aUuid(number), physicalNetwork })),
  })
const kvm = { supportedInstances: [{ arch: 'x86_64', hvType: 'kvm', vmMode: 'hvm' }] }
const cell = (id: number, more: object = {}) => ({ id, cpuset: [0, 1, 2, 3].map((cpu) => cpu + 4 * id), memoryMb: 4_096, ...more })
const threads = {
  siblings: [
    [0, 1],
    [2, 3],
  ],
}
const pages = (large: number) => [
  { sizeKib: 4, total: 1_048_576 },
  { sizeKib: 2_048, total: large / 2 },
]
/** 8 GiB of small pages, and 56 of 1 GiB. */
const b12Pages = [
  { sizeKib: 4, total: 2_097_152 },
  { sizeKib: 1_048_576, total: 56 },
]
const pool = (numaNode: number | null, total: number, more: object = {}) => ({
  vendorId: '8086',
  productId: '10fb',
  numaNode,
  total,
  ...more,
})
const device = (numaPolicy: 'legacy' | 'required' | 'preferred' | 'socket' = 'legacy', count = 1) => ({
  alias: 'nic',
  count,
  specs: [{ vendor_id: '8086' }],
  numaPolicy,
})
const guest = (id: number, cpus: number, memoryMb: number, cpuPolicy: 'shared' | 'dedicated' = 'shared') => ({
  id,
  cpus: Array.from({ length: cpus }, (_, cpu) => cpu),
  memoryMb,
  cpuPolicy,
})

const tables: Readonly<Record<string, Readonly<Record<string, Row>>>> = {
  Candidates: {
    'a request that names no host lets every host in': { says: 'NOT_ASKED' },
    'an ignored host is out': { request: { ignoreHosts: ['h1'] }, says: { code: 'host.excluded', subject: 'ignoreHosts' } },
    'a host that is not the ignored one is in': { request: { ignoreHosts: ['h2'] }, says: true },
    'a forced host is in': { request: { forceHosts: ['h1'] }, says: true },
    'a host beside the forced one is out': { request: { forceHosts: ['h2', 'h3'] }, says: { code: 'host.not_requested', need: 'h2, h3' } },
    'a host that is forced and ignored is out': {
      request: { forceHosts: ['h1'], ignoreHosts: ['h1'] },
      says: { code: 'host.excluded', subject: 'ignoreHosts' },
    },
    'a forced node of another name is out': { request: { forceNodes: ['n9'] }, says: { code: 'host.not_requested', need: 'n9' } },
    'host and node must both be the ones asked for': {
      request: { forceHosts: ['h1'], forceNodes: ['h2'] },
      says: { code: 'host.not_requested', need: 'h1, h2' },
    },
    'the requested destination is in': { request: { requestedDestination: { host: 'h1' } }, says: true },
    'a host beside the requested destination is out': {
      request: { requestedDestination: { host: 'h2', node: 'h2' } },
      says: { code: 'host.not_requested', need: 'h2' },
    },
    'a destination that names nothing asks nothing': { request: { requestedDestination: {} }, says: 'NOT_ASKED' },
    'a member of one of the aggregates is in': {
      after: [aggregate(1, ['h1'])],
      request: { requestedDestination: { aggregates: [aUuid(1), aUuid(2)] } },
      says: true,
    },
    'a host in none of the aggregates is out': {
      after: [aggregate(1, ['h2'])],
      request: { requestedDestination: { aggregates: [aUuid(1)] } },
      says: { code: 'aggregate.not_member', need: aUuid(1) },
    },
    'a member of a forbidden aggregate is out': {
      after: [aggregate(1, ['h1'])],
      request: { requestedDestination: { forbiddenAggregates: [aUuid(1)] } },
      says: { code: 'host.excluded', subject: 'forbiddenAggregates' },
    },
    'a host in none of the forbidden aggregates is in': {
      after: [aggregate(1, ['h2'])],
      request: { requestedDestination: { forbiddenAggregates: [aUuid(1)] } },
      says: true,
    },
    'each list of aggregates must be met': {
      after: [aggregate(1, ['h1']), aggregate(2, ['h2'])],
      request: {
        requestedResources: [
          { amounts: [], memberOf: [aUuid(1)] },
          { amounts: [], memberOf: [aUuid(2)] },
        ],
      },
      says: { code: 'aggregate.not_member', need: aUuid(2) },
    },
  },
  ComputeFilter: {
    'an enabled host passes': { says: true },
    'a disabled host fails with the words of who disabled it': {
      after: [disable('disk is failing')],
      says: { code: 'host.disabled', need: 'ENABLED', have: 'DISABLED', source: 'disk is failing' },
    },
    'a host that is down fails with what was not heard of it': {
      after: [{ type: 'liveness', host: 'h1', node: 'h1', state: 'DOWN', reason: 'silent since 10:00, longer than 180 s' }],
      says: { code: 'host.down', need: 'UP or SUSPECT', have: 'DOWN', source: 'silent since 10:00, longer than 180 s' },
    },
    'a draining host fails': {
      after: [{ type: 'status', host: 'h1', node: 'h1', status: 'DRAINING', reason: '' }],
      says: { code: 'host.disabled', need: 'ENABLED', have: 'DRAINING', source: '' },
    },
    'a host in maintenance fails': {
      after: [{ type: 'status', host: 'h1', node: 'h1', status: 'MAINTENANCE', reason: '' }],
      says: { code: 'host.disabled', need: 'ENABLED', have: 'MAINTENANCE', source: '' },
    },
    'a host that is enabled again passes': {
      after: [disable(''), { type: 'status', host: 'h1', node: 'h1', status: 'ENABLED', reason: '' }],
      says: true,
    },
  },
  AvailabilityZoneFilter: {
    'no zone asked for': { says: 'NOT_ASKED' },
    'a host of no aggregate is in the default zone': { request: { availabilityZone: 'nova' }, says: true },
    'a host of no aggregate is in no other zone': {
      request: { availabilityZone: 'z1' },
      says: { code: 'zone.other', subject: 'availability zone', need: 'z1', have: 'nova' },
    },
    'the zone of an aggregate is the zone of its hosts': {
      after: [aggregate(1, ['h1'], { availability_zone: 'z1' })],
      request: { availabilityZone: 'z1' },
      says: true,
    },
    'a zone is spelled exactly': {
      after: [aggregate(1, ['h1'], { availability_zone: 'Z1' })],
      request: { availabilityZone: 'z1' },
      says: { code: 'zone.other', subject: 'availability zone', need: 'z1', have: 'Z1' },
    },
    'a deleted zone is gone': {
      after: [aggregate(1, ['h1'], { availability_zone: 'z1' }), { type: 'aggregate', uuid: aUuid(1), expectedVersion: 1, next: null }],
      request: { availabilityZone: 'nova' },
      says: true,
    },
  },
  RamFilter: {
    'the last MiB fits': { host: { memoryMb: 1_024 }, request: { memoryMb: 1_024 }, says: true },
    'one MiB short fails': {
      host: { memoryMb: 1_023 },
      request: { memoryMb: 1_024 },
      says: { code: 'memory.short', subject: 'MEMORY_MB', need: 1_024, have: 1_023, unit: 'MiB' },
    },
    'no memory asked for': { request: { memoryMb: 0 }, says: 'NOT_ASKED' },
    'what is used is not free': {
      host: { memoryMb: 2_048, memoryMbUsed: 1_025 },
      says: { code: 'memory.short', subject: 'MEMORY_MB', need: 1_024, have: 1_023, unit: 'MiB' },
    },
    'overcommit counts': { host: { memoryMb: 1_000, ramAllocationRatio: 1.5, memoryMbUsed: 476 }, says: true },
    'overcommit counts to the last MiB': {
      host: { memoryMb: 1_000, ramAllocationRatio: 1.5, memoryMbUsed: 477 },
      says: { code: 'memory.short', subject: 'MEMORY_MB', need: 1_024, have: 1_023, unit: 'MiB' },
    },
    'what is reserved is not free': {
      host: { memoryMb: 2_048, inventories: [{ resourceClass: 'MEMORY_MB', total: 2_048, reserved: 1_025 }] },
      says: { code: 'memory.short', subject: 'MEMORY_MB', need: 1_024, have: 1_023, unit: 'MiB' },
    },
    'what claims hold is not free': {
      host: { memoryMb: 2_047 },
      after: [aClaim()],
      says: { code: 'memory.short', subject: 'MEMORY_MB', need: 1_024, have: 1_023, unit: 'MiB' },
    },
    'a host that uses more than it has shows less than nothing': {
      host: { memoryMb: 1_000, memoryMbUsed: 1_100 },
      says: { code: 'memory.short', subject: 'MEMORY_MB', need: 1_024, have: -100, unit: 'MiB' },
    },
  },
  CoreFilter: {
    'the last CPU fits': { host: { vcpus: 4, vcpusUsed: 3 }, says: true },
    'one CPU short fails': {
      host: { vcpus: 4, vcpusUsed: 4 },
      says: { code: 'cpu.short', subject: 'VCPU', need: 1, have: 0, unit: 'vCPU' },
    },
    'no CPU asked for': { request: { vcpus: 0 }, says: 'NOT_ASKED' },
    'overcommit gives no instance more CPUs than the host has': {
      host: { vcpus: 4, cpuAllocationRatio: 16 },
      request: { vcpus: 5 },
      says: { code: 'cpu.too_few', subject: 'VCPU', need: 5, have: 4, unit: 'vCPU' },
    },
    'an instance of all CPUs fits beside others when overcommitted': {
      host: { vcpus: 4, cpuAllocationRatio: 2, vcpusUsed: 4 },
      request: { vcpus: 4 },
      says: true,
    },
  },
  DiskFilter: {
    'no disk asked for': { says: 'NOT_ASKED' },
    'the last GiB fits': { host: { localGb: 20 }, request: flavor({ rootGb: 20 }), says: true },
    'one GiB short fails': {
      host: { localGb: 19 },
      request: flavor({ rootGb: 20 }),
      says: { code: 'disk.short', subject: 'DISK_GB', need: 20, have: 19, unit: 'GiB' },
    },
    'root, ephemeral and swap count together, swap rounded up': {
      host: { localGb: 31 },
      request: flavor({ rootGb: 20, ephemeralGb: 10, swapMb: 1_025 }),
      says: { code: 'disk.short', subject: 'DISK_GB', need: 32, have: 31, unit: 'GiB' },
    },
    'the root disk of an instance that boots from a volume asks nothing': {
      request: { ...flavor({ rootGb: 20 }), isBfv: true },
      says: 'NOT_ASKED',
    },
  },
  AggregateInstanceExtraSpecsFilter: {
    'no extra specs': { says: 'NOT_ASKED' },
    'extra specs of another scope ask nothing': { request: specs({ 'hw:cpu_policy': 'shared' }), says: 'NOT_ASKED' },
    'an unscoped key that no aggregate has fails': {
      request: specs({ ssd: 'true' }),
      says: { code: 'aggregate.extra_spec', subject: 'ssd', need: 'true', have: 'nothing', source: 'extra spec ssd' },
    },
    'a key that an aggregate of the host has passes': {
      after: [aggregate(1, ['h1'], { ssd: 'true' })],
      request: specs({ ssd: 'true' }),
      says: true,
    },
    'metadata of another host count for nothing': {
      after: [aggregate(1, ['h2'], { ssd: 'true' })],
      request: specs({ ssd: 'true' }),
      says: { code: 'aggregate.extra_spec', subject: 'ssd', need: 'true', have: 'nothing', source: 'extra spec ssd' },
    },
    'the scope is taken off, colons after it stay': {
      after: [aggregate(1, ['h1'], { 'a:b': '1' })],
      request: specs({ 'aggregate_instance_extra_specs:a:b': '1' }),
      says: true,
    },
    'one of the values between commas is enough': {
      after: [aggregate(1, ['h1'], { disk: 'hdd, ssd' })],
      request: specs({ disk: 'ssd' }),
      says: true,
    },
    'values of several aggregates come together': {
      after: [aggregate(1, ['h1'], { disk: 'hdd' }), aggregate(2, ['h1'], { disk: 'ssd' })],
      request: specs({ disk: 'nvme' }),
      says: { code: 'aggregate.extra_spec', subject: 'disk', need: 'nvme', have: 'hdd, ssd', source: 'extra spec disk' },
    },
    'operators work on metadata': {
      after: [aggregate(1, ['h1'], { speed: '10' })],
      request: specs({ speed: '>= 9' }),
      says: true,
    },
    'every key must be met': {
      after: [aggregate(1, ['h1'], { a: '1' })],
      request: specs({ a: '1', b: '1' }),
      says: { code: 'aggregate.extra_spec', subject: 'b', need: '1', have: 'nothing', source: 'extra spec b' },
    },
    'a key that every object inherits is met by no aggregate': {
      after: [aggregate(1, ['h1'], { a: '1' })],
      request: specs({ constructor: 'x' }),
      says: { code: 'aggregate.extra_spec', subject: 'constructor', need: 'x', have: 'nothing', source: 'extra spec constructor' },
    },
  },
  ImagePropertiesFilter: {
    'no image': { says: 'NOT_ASKED' },
    'an image without properties asks nothing': { request: { image: {} }, says: 'NOT_ASKED' },
    'a version alone asks nothing, as in Nova': {
      request: { image: { properties: { img_hv_requested_version: '>=6.0' } } },
      says: 'NOT_ASKED',
    },
    'a supported architecture passes': { host: kvm, request: { image: { properties: { hw_architecture: 'x86_64' } } }, says: true },
    "the image's own architecture counts": { host: kvm, request: { image: { architecture: 'x86_64' } }, says: true },
    'another architecture fails': {
      host: kvm,
      request: { image: { architecture: 'aarch64' } },
      says: { code: 'image.unsupported', subject: 'hw_architecture', need: 'aarch64', have: 'x86_64/kvm/hvm' },
    },
    'a host that tells nothing fails': {
      request: { image: { properties: { img_hv_type: 'kvm' } } },
      says: { code: 'image.unsupported', subject: 'img_hv_type', need: 'kvm', have: 'nothing' },
    },
    'one combination must hold all that is asked for': {
      host: { supportedInstances: [...kvm.supportedInstances, { arch: 'aarch64', hvType: 'qemu', vmMode: 'hvm' }] },
      request: { image: { properties: { hw_architecture: 'aarch64', img_hv_type: 'kvm' } } },
      says: {
        code: 'image.unsupported',
        subject: 'hw_architecture, img_hv_type',
        need: 'aarch64, kvm',
        have: 'x86_64/kvm/hvm aarch64/qemu/hvm',
      },
    },
    'older names of properties count': {
      host: kvm,
      request: { image: { properties: { hypervisor_type: 'kvm', vm_mode: 'hvm' } } },
      says: true,
    },
    'a version within the asked range passes': {
      host: { ...kvm, hypervisorVersion: 7_002_000 },
      request: { image: { properties: { img_hv_type: 'kvm', img_hv_requested_version: '>=7.2,<8.0' } } },
      says: true,
    },
    'a version at the excluded end fails': {
      host: { ...kvm, hypervisorVersion: 8_000_000 },
      request: { image: { properties: { img_hv_type: 'kvm', img_hv_requested_version: '>=7.2,<8.0' } } },
      says: { code: 'image.unsupported', subject: 'img_hv_requested_version', need: '>=7.2,<8.0', have: 8_000_000 },
    },
    'a short version number is major and minor': {
      host: { ...kvm, hypervisorVersion: 2_012 },
      request: { image: { properties: { img_hv_type: 'kvm', img_hv_requested_version: '==2.12' } } },
      says: true,
    },
    'a host that tells no version passes': {
      host: kvm,
      request: { image: { properties: { img_hv_type: 'kvm', img_hv_requested_version: '>=99.0' } } },
      says: true,
    },
    'a predicate that cannot be read fails': {
      host: { ...kvm, hypervisorVersion: 7_002_000 },
      request: { image: { properties: { img_hv_type: 'kvm', img_hv_requested_version: 'new' } } },
      says: { code: 'image.unsupported', subject: 'img_hv_requested_version', need: 'new', have: 7_002_000 },
    },
  },
  DifferentHostFilter: {
    'no hint': { says: 'NOT_ASKED' },
    'an empty hint asks nothing': { request: { schedulerHints: { different_host: [] } }, says: 'NOT_ASKED' },
    'a host without the instance passes': { request: { schedulerHints: { different_host: [aUuid(1)] } }, says: true },
    'a host whose report lists the instance fails': {
      host: { instances: [aUuid(1)] },
      request: { schedulerHints: { different_host: [aUuid(2), aUuid(1)] } },
      says: { code: 'instance.same_host', subject: 'different_host', have: aUuid(1), source: 'hint different_host' },
    },
    'a host with a claim for the instance fails': {
      after: [aClaim({ instances: [aUuid(1)] })],
      request: { schedulerHints: { different_host: [aUuid(1)] } },
      says: { code: 'instance.same_host', subject: 'different_host', have: aUuid(1), source: 'hint different_host' },
    },
    'a host whose claim was released passes': {
      after: [aClaim({ instances: [aUuid(1)] }), { type: 'abandon', account: 'acme', key: 'k1' }],
      request: { schedulerHints: { different_host: [aUuid(1)] } },
      says: true,
    },
  },
  SameHostFilter: {
    'no hint': { says: 'NOT_ASKED' },
    'a host without the instances fails': {
      request: { schedulerHints: { same_host: [aUuid(1), aUuid(2)] } },
      says: { code: 'instance.not_on_host', subject: 'same_host', need: `${aUuid(1)}, ${aUuid(2)}`, source: 'hint same_host' },
    },
    'one of the instances is enough': {
      host: { instances: [aUuid(2)] },
      request: { schedulerHints: { same_host: [aUuid(1), aUuid(2)] } },
      says: true,
    },
    'a claim is enough': {
      after: [aClaim({ instances: [aUuid(1)] })],
      request: { schedulerHints: { same_host: [aUuid(1)] } },
      says: true,
    },
  },
  // the rest is in namespace/namespace.test.ts
  DiskPoolFilter: {
    'no disk': { after: [inPool(3, ['h1'], 1)], says: 'NOT_ASKED' },
    'no host whose disks lie in a pool': { request: flavor({ rootGb: 9 }), says: 'NOT_ASKED' },
    'a host whose disks lie in none passes': { after: [inPool(3, ['h2'], 1)], request: flavor({ rootGb: 9 }), says: true },
    'exactly what is left passes': {
      after: [level5, inPool(3, ['h1'], 1), space('h2', { totalGib: 10, reservedGib: 1 })],
      request: flavor({ rootGb: 9 }),
      says: true,
    },
    'one GiB short fails': {
      after: [level5, inPool(3, ['h1'], 1), space('h2', { totalGib: 10, usedGib: 2 })],
      request: flavor({ rootGb: 9 }),
      says: { code: 'pool.short', subject: 'fast', need: 9, have: 8, unit: 'GiB' },
    },
    'what a claim on another host of the pool holds is gone': {
      after: [
        level5,
        inPool(3, ['h1', 'h2'], 1),
        space('h2', { totalGib: 10 }),
        aClaim({ hosts: ['h2'], grants: { pools: { [aUuid(1)]: 5 } } }),
      ],
      request: flavor({ rootGb: 9 }),
      says: { code: 'pool.short', subject: 'fast', need: 9, have: 5, unit: 'GiB' },
    },
    'a pool of which nobody tells the size fails': {
      after: [level5, inPool(3, ['h1'], 1), space('h2', {})],
      request: flavor({ rootGb: 9 }),
      says: { code: 'pool.not_told', subject: aUuid(1), need: 9, have: 'not told', unit: 'GiB' },
    },
    'aggregates that name two pools fail': {
      after: [inPool(3, ['h1'], 1), inPool(4, ['h1'], 2)],
      request: flavor({ rootGb: 9 }),
      says: {
        code: 'pool.ambiguous',
        subject: 'gantt:disk_pool',
        need: 'one pool',
        have: `${aUuid(1)}, ${aUuid(2)}`,
        source: 'its aggregates',
      },
    },
  },
  VolumeAffinityFilter: {
    'no hint': { says: 'NOT_ASKED' },
    'a host that reaches the pool of the volume passes': {
      after: [level5, poolDocument('h1'), poolDocument('h2', 2)],
      request: { schedulerHints: { near_volume: [aUuid(2)] } },
      says: true,
    },
    'a host of which no storage service tells fails': {
      after: [level5, poolDocument('h2', 2)],
      request: { schedulerHints: { near_volume: [aUuid(2)] } },
      says: { code: 'namespace.not_reported', subject: 'storage', need: 'a document', have: 'none' },
    },
    'a volume of which nobody tells': {
      after: [level5, poolDocument('h1')],
      request: { schedulerHints: { near_volume: [aUuid(2)] } },
      says: { code: 'volume.unknown', subject: 'near_volume', need: aUuid(2), have: 'not told of', source: 'hint near_volume' },
    },
  },
  PortAffinityFilter: {
    'no hint': { says: 'NOT_ASKED' },
    'a host that reaches the physical network passes': {
      after: [level5, networkDocument('h1', 'physnet1', 3)],
      request: { schedulerHints: { near_port: [aUuid(3)] } },
      says: true,
    },
    'a host that does not reach it fails': {
      after: [level5, networkDocument('h1', 'physnet2'), networkDocument('h2', 'physnet1', 3)],
      request: { schedulerHints: { near_port: [aUuid(3)] } },
      says: {
        code: 'port.far',
        subject: 'near_port',
        need: `distance 99 or less to physical network physnet1 (${aUuid(3)})`,
        have: 'not reached',
        source: 'hint near_port',
      },
    },
  },
  TraitsFilter: {
    'no traits': { says: 'NOT_ASKED' },
    'a required trait that is there passes': { host: { traits: ['SSD'] }, request: specs({ 'trait:SSD': 'required' }), says: true },
    'a required trait that is missing fails': {
      request: specs({ 'trait:SSD': 'required' }),
      says: { code: 'trait.missing', subject: 'trait', need: 'SSD' },
    },
    'a forbidden trait that is there fails': {
      host: { traits: ['SSD'] },
      request: specs({ 'trait:SSD': 'forbidden' }),
      says: { code: 'trait.forbidden', subject: 'trait', have: 'SSD' },
    },
    'a forbidden trait that is missing passes': { request: specs({ 'trait:SSD': 'forbidden' }), says: true },
    'traits of resource groups count': {
      host: { traits: ['A'] },
      request: { requestedResources: [{ amounts: [], requiredTraits: ['A', 'B'] }] },
      says: { code: 'trait.missing', subject: 'trait', need: 'B' },
    },
  },
  ServerGroupAffinityFilter: {
    'no group': { says: 'NOT_ASKED' },
    'a group of another policy asks nothing': { request: { instanceGroup: group('ANTI_AFFINITY') }, says: 'NOT_ASKED' },
    'a soft group asks nothing': { request: { instanceGroup: group('SOFT_AFFINITY') }, says: 'NOT_ASKED' },
    'a group without members may live anywhere': { request: { instanceGroup: group('AFFINITY') }, says: true },
    'the host of the group passes': {
      after: [member('h1', 'a', group('AFFINITY'))],
      request: { instanceGroup: group('AFFINITY') },
      says: true,
    },
    'another host than that of the group fails': {
      after: [member('h2', 'a', group('AFFINITY'))],
      request: { instanceGroup: group('AFFINITY') },
      says: { code: 'group.affinity', subject: aUuid(7), need: 'h2' },
    },
    'hosts that the caller names count': {
      request: { instanceGroup: { ...group('AFFINITY'), hosts: ['h2'] } },
      says: { code: 'group.affinity', subject: aUuid(7), need: 'h2' },
    },
  },
  ServerGroupAntiAffinityFilter: {
    'no group': { says: 'NOT_ASKED' },
    'a group of another policy asks nothing': { request: { instanceGroup: group('AFFINITY') }, says: 'NOT_ASKED' },
    'a host without members passes': {
      after: [member('h2', 'a', group('ANTI_AFFINITY', 1))],
      request: { instanceGroup: group('ANTI_AFFINITY') },
      says: true,
    },
    'a host with a member fails': {
      after: [member('h1', 'a', group('ANTI_AFFINITY', 1))],
      request: { instanceGroup: group('ANTI_AFFINITY') },
      says: { code: 'group.anti_affinity', subject: aUuid(7), need: 'fewer than 1', have: 1, unit: 'members' },
    },
    'a second member fits where two may live': {
      after: [member('h1', 'a', group('ANTI_AFFINITY', 2))],
      request: { instanceGroup: group('ANTI_AFFINITY', 2) },
      says: true,
    },
    'a third member does not fit where two may live': {
      after: [member('h1', 'a', group('ANTI_AFFINITY', 2)), member('h1', 'b', group('ANTI_AFFINITY', 2))],
      request: { instanceGroup: group('ANTI_AFFINITY', 2) },
      says: { code: 'group.anti_affinity', subject: aUuid(7), need: 'fewer than 2', have: 2, unit: 'members' },
    },
    'members that the caller names count': {
      request: { instanceGroup: { ...group('ANTI_AFFINITY'), hosts: ['h1'] } },
      says: { code: 'group.anti_affinity', subject: aUuid(7), need: 'fewer than 1', have: 1, unit: 'members' },
    },
    'a member that left makes room': {
      after: [member('h1', 'a', group('ANTI_AFFINITY', 1)), { type: 'abandon', account: 'acme', key: 'a' }],
      request: { instanceGroup: group('ANTI_AFFINITY') },
      says: true,
    },
  },
  ResourceClassFilter: {
    'nothing asked for': { request: { vcpus: 0, memoryMb: 0 }, says: 'NOT_ASKED' },
    'a class that the host does not report fails': {
      request: specs({ 'resources:CUSTOM_X': '1' }),
      says: { code: 'class.not_reported', subject: 'CUSTOM_X', need: 1, have: 0, unit: 'CUSTOM_X' },
    },
    'a class asked for with 0 asks nothing': { request: specs({ 'resources:CUSTOM_X': '0' }), says: true },
    'the last unit fits': {
      host: { inventories: [{ resourceClass: 'CUSTOM_X', total: 3, used: 2 }] },
      request: specs({ 'resources:CUSTOM_X': '1' }),
      says: true,
    },
    'one unit short fails': {
      host: { inventories: [{ resourceClass: 'CUSTOM_X', total: 3, used: 2 }] },
      request: specs({ 'resources:CUSTOM_X': '2' }),
      says: { code: 'class.short', subject: 'CUSTOM_X', need: 2, have: 1, unit: 'CUSTOM_X' },
    },
    'less than the smallest unit fails': {
      host: { inventories: [{ resourceClass: 'CUSTOM_X', total: 8, minUnit: 2 }] },
      request: specs({ 'resources:CUSTOM_X': '1' }),
      says: { code: 'class.unit', subject: 'CUSTOM_X', need: 1, have: '2 to any in steps of 1', unit: 'CUSTOM_X' },
    },
    'more than the largest unit fails': {
      host: { inventories: [{ resourceClass: 'CUSTOM_X', total: 8, maxUnit: 4 }] },
      request: specs({ 'resources:CUSTOM_X': '5' }),
      says: { code: 'class.unit', subject: 'CUSTOM_X', need: 5, have: '1 to 4 in steps of 1', unit: 'CUSTOM_X' },
    },
    'the largest unit fits': {
      host: { inventories: [{ resourceClass: 'CUSTOM_X', total: 8, maxUnit: 4 }] },
      request: specs({ 'resources:CUSTOM_X': '4' }),
      says: true,
    },
    'an amount between the steps fails': {
      host: { inventories: [{ resourceClass: 'CUSTOM_X', total: 8, stepSize: 2 }] },
      request: specs({ 'resources:CUSTOM_X': '3' }),
      says: { code: 'class.unit', subject: 'CUSTOM_X', need: 3, have: '2 to any in steps of 2', unit: 'CUSTOM_X' },
    },
    'groups of one class add up': {
      host: { inventories: [{ resourceClass: 'CUSTOM_X', total: 3 }] },
      request: {
        requestedResources: [
          { amounts: [{ resourceClass: 'CUSTOM_X', amount: 2 }] },
          { amounts: [{ resourceClass: 'CUSTOM_X', amount: 2 }] },
        ],
      },
      says: { code: 'class.short', subject: 'CUSTOM_X', need: 4, have: 3, unit: 'CUSTOM_X' },
    },
    'an extra spec overrides what the flavor asks': {
      host: { vcpus: 1 },
      request: { ...flavor({ vcpus: 8, extraSpecs: { 'resources:VCPU': '1' } }) },
      says: true,
    },
  },
  NUMATopologyFilter: {
    'no topology asked for': { says: 'NOT_ASKED' },
    'a host without cells fails': {
      request: { numaTopology: { cells: [guest(0, 1, 1)] } },
      says: { code: 'numa.not_reported', subject: 'NUMA', need: 1, have: 0, unit: 'cells' },
    },
    'more guest cells than host cells fail': {
      host: { numaCells: [cell(0)] },
      request: { numaTopology: { cells: [guest(0, 1, 1), guest(1, 1, 1)] } },
      says: { code: 'numa.cells', subject: 'NUMA', need: 2, have: 1, unit: 'cells' },
    },
    'the last CPU and MiB of a cell fit': {
      host: { numaCells: [cell(0)] },
      request: { numaTopology: { cells: [guest(0, 4, 4_096)] } },
      says: true,
    },
    'one MiB more than a cell has fails': {
      host: { numaCells: [cell(0), cell(1)] },
      request: { numaTopology: { cells: [guest(0, 1, 4_097)] } },
      says: { code: 'numa.memory', subject: 'cell 0', need: 4_097, have: 4_096, unit: 'MiB' },
    },
    'one shared CPU more than a cell has fails': {
      host: { numaCells: [cell(0), cell(1)] },
      request: { numaTopology: { cells: [guest(0, 5, 1)] } },
      says: { code: 'numa.cpus', subject: 'cell 0', need: 5, have: 4, unit: 'CPUs' },
    },
    'overcommit counts for shared CPUs': {
      host: { cpuAllocationRatio: 2, numaCells: [cell(0)] },
      request: { numaTopology: { cells: [guest(0, 8, 1)] } },
      says: true,
    },
    'overcommit never counts for dedicated CPUs': {
      host: { cpuAllocationRatio: 2, numaCells: [cell(0)] },
      request: { numaTopology: { cells: [guest(0, 5, 1, 'dedicated')] } },
      says: { code: 'numa.dedicated_cpus', subject: 'cell 0', need: 5, have: 4, unit: 'CPUs' },
    },
    'a CPU that the report pins cannot be dedicated': {
      host: { numaCells: [cell(0, { pinnedCpus: [1] })] },
      request: { numaTopology: { cells: [guest(0, 4, 1, 'dedicated')] } },
      says: { code: 'numa.dedicated_cpus', subject: 'cell 0', need: 4, have: 3, unit: 'CPUs' },
    },
    'CPUs in one cell and memory in another do not add up': {
      host: { numaCells: [cell(0, { cpuUsage: 4 }), cell(1, { memoryUsageMb: 4_096 })] },
      request: { numaTopology: { cells: [guest(0, 1, 1)] } },
      says: { code: 'numa.no_cell', subject: 'cell 0', need: 1, have: 0, unit: 'CPUs with enough memory in one cell' },
    },
    'dedicated and shared CPUs of a mixed guest both need room': {
      host: { numaCells: [cell(0)] },
      request: { numaTopology: { cells: [{ ...guest(0, 5, 1), cpuPolicy: 'mixed', dedicatedCpus: [0, 1] }] } },
      says: { code: 'numa.cpus', subject: 'cell 0', need: 3, have: 2, unit: 'CPUs' },
    },
    'the last CPUs of both sorts fit a mixed guest': {
      host: { numaCells: [cell(0)] },
      request: { numaTopology: { cells: [{ ...guest(0, 4, 1), cpuPolicy: 'mixed', dedicatedCpus: [0, 1] }] } },
      says: true,
    },
    'only the CPUs that the host lets be dedicated are': {
      host: { numaCells: [cell(0, { dedicatedCpuset: [2, 3] })] },
      request: { numaTopology: { cells: [guest(0, 3, 1, 'dedicated')] } },
      says: { code: 'numa.dedicated_cpus', subject: 'cell 0', need: 3, have: 2, unit: 'CPUs' },
    },
    'cores of its own for three CPUs on two cores of two threads fail': {
      host: { numaCells: [cell(0, threads)] },
      request: { numaTopology: { cells: [{ ...guest(0, 3, 1, 'dedicated'), cpuThreadPolicy: 'isolate' }] } },
      says: { code: 'numa.threads', subject: 'cell 0', need: 3, have: 2, unit: 'CPUs', source: 'thread policy isolate' },
    },
    'a core on which a thread is pinned is nobody’s own': {
      host: { numaCells: [cell(0, { ...threads, pinnedCpus: [1] })] },
      request: { numaTopology: { cells: [{ ...guest(0, 2, 1, 'dedicated'), cpuThreadPolicy: 'isolate' }] } },
      says: { code: 'numa.threads', subject: 'cell 0', need: 2, have: 1, unit: 'CPUs', source: 'thread policy isolate' },
    },
    'whole cores are asked for, and one thread of each is free': {
      host: { numaCells: [cell(0, { ...threads, pinnedCpus: [1, 3] })] },
      request: { numaTopology: { cells: [{ ...guest(0, 2, 1, 'dedicated'), cpuThreadPolicy: 'require' }] } },
      says: { code: 'numa.threads', subject: 'cell 0', need: 2, have: 0, unit: 'CPUs', source: 'thread policy require' },
    },
    'single threads do where whole cores are only preferred': {
      host: { numaCells: [cell(0, { ...threads, pinnedCpus: [1, 3] })] },
      request: { numaTopology: { cells: [{ ...guest(0, 2, 1, 'dedicated'), cpuThreadPolicy: 'prefer' }] } },
      says: true,
    },
    'the emulator needs a CPU beside the guest’s': {
      host: { numaCells: [cell(0)] },
      request: { numaTopology: { emulatorThreadsPolicy: 'isolate', cells: [guest(0, 4, 1, 'dedicated')] } },
      says: { code: 'numa.dedicated_cpus', subject: 'cell 0', need: 5, have: 4, unit: 'CPUs' },
    },
    'a host that tells of no pages has none of a size': {
      host: { numaCells: [cell(0)] },
      request: { numaTopology: { cells: [{ ...guest(0, 1, 4), pageSize: 2_048 }] } },
      says: { code: 'numa.page_size', subject: 'cell 0', need: '2048 KiB', have: 'no page sizes' },
    },
    'small pages are there even where the host does not tell': {
      host: { numaCells: [cell(0)] },
      request: { numaTopology: { cells: [{ ...guest(0, 1, 4), pageSize: 'small' }] } },
      says: true,
    },
    'the last page fits': {
      host: { numaCells: [cell(0, { pages: pages(4) })] },
      request: { numaTopology: { cells: [{ ...guest(0, 1, 4), pageSize: 'large' }] } },
      says: true,
    },
    'one page short fails': {
      host: { numaCells: [cell(0, { pages: pages(4) })] },
      request: { numaTopology: { cells: [{ ...guest(0, 1, 6), pageSize: 'large' }] } },
      says: { code: 'numa.pages', subject: 'cell 0', need: 3, have: 2, unit: 'pages of 2048 KiB' },
    },
    'pages in use and pages kept back are not free': {
      host: { numaCells: [cell(0, { pages: [{ sizeKib: 2_048, total: 9, used: 4, reserved: 3 }] })] },
      request: { numaTopology: { cells: [{ ...guest(0, 1, 6), pageSize: 2_048 }] } },
      says: { code: 'numa.pages', subject: 'cell 0', need: 3, have: 2, unit: 'pages of 2048 KiB' },
    },
    'B12: small pages are those of 4 KiB, however many larger ones there are': {
      host: { numaCells: [cell(0, { memoryMb: 131_072, pages: b12Pages })] },
      request: { numaTopology: { cells: [{ ...guest(0, 1, 20_480), pageSize: 'small' }] } },
      says: { code: 'numa.pages', subject: 'cell 0', need: 5_242_880, have: 2_097_152, unit: 'pages of 4 KiB' },
    },
    'B12 kind: large pages are none of 4 KiB': {
      host: { numaCells: [cell(0, { memoryMb: 131_072, pages: b12Pages })] },
      request: { numaTopology: { cells: [{ ...guest(0, 1, 61_440), pageSize: 'large' }] } },
      says: { code: 'numa.pages', subject: 'cell 0', need: 60, have: 56, unit: 'pages of 1048576 KiB' },
    },
    'B12 kind: of any pages those are told of which most memory is free': {
      host: { numaCells: [cell(0, { memoryMb: 131_072, pages: [b12Pages[0] as never, { sizeKib: 1_048_576, total: 4 }] })] },
      request: { numaTopology: { cells: [{ ...guest(0, 1, 20_480), pageSize: 'any' }] } },
      says: { code: 'numa.pages', subject: 'cell 0', need: 5_242_880, have: 2_097_152, unit: 'pages of 4 KiB' },
    },
    'B12 kind: pages of a size are told of in that size': {
      host: { numaCells: [cell(0, { memoryMb: 131_072, pages: b12Pages })] },
      request: { numaTopology: { cells: [{ ...guest(0, 1, 20_480), pageSize: 4 }] } },
      says: { code: 'numa.pages', subject: 'cell 0', need: 5_242_880, have: 2_097_152, unit: 'pages of 4 KiB' },
    },
    'B12 kind: large pages where the host has small ones alone': {
      host: { numaCells: [cell(0, { pages: [{ sizeKib: 4, total: 1_048_576 }] })] },
      request: { numaTopology: { cells: [{ ...guest(0, 1, 1_024), pageSize: 'large' }] } },
      says: { code: 'numa.page_size', subject: 'cell 0', need: 'large pages', have: '4 KiB' },
    },
    'B12 kind: the small pages of each cell are its own smallest': {
      host: {
        numaCells: [
          cell(0, { memoryMb: 131_072, pages: [{ sizeKib: 64, total: 1_000 }, b12Pages[1] as never] }),
          cell(1, { memoryMb: 131_072, pages: b12Pages }),
        ],
      },
      request: { numaTopology: { cells: [{ ...guest(0, 1, 20_480), pageSize: 'small' }] } },
      says: { code: 'numa.pages', subject: 'cell 0', need: 5_242_880, have: 2_097_152, unit: 'pages of 4 KiB' },
    },
    'memory that is no multiple of the page fails': {
      host: { numaCells: [cell(0, { pages: pages(8) })] },
      request: { numaTopology: { cells: [{ ...guest(0, 1, 3), pageSize: 2_048 }] } },
      says: { code: 'numa.page_multiple', subject: 'cell 0', need: 2_048, have: 3_072, unit: 'KiB' },
    },
    'a device near to one cell and a guest that fits on another only': {
      host: { numaCells: [cell(0), cell(1, { memoryUsageMb: 4_096 })], pciPools: [pool(1, 1)] },
      request: { numaTopology: { cells: [guest(0, 1, 1)] }, pciRequests: [device('required')] },
      says: { code: 'pci.numa', subject: 'nic (vendor 8086)', need: 1, have: 0, unit: 'devices' },
    },
    'the guest goes where the device is': {
      host: { numaCells: [cell(0), cell(1)], pciPools: [pool(1, 1)] },
      request: { numaTopology: { cells: [guest(0, 1, 1)] }, pciRequests: [device('required')] },
      says: true,
    },
    'two guest cells that only one host cell can hold fail': {
      host: { numaCells: [cell(0), cell(1, { memoryUsageMb: 4_096 })] },
      request: { numaTopology: { cells: [guest(0, 1, 1), guest(1, 1, 1)] } },
      says: { code: 'numa.no_match', subject: 'NUMA', need: 2, have: 1, unit: 'cells' },
    },
    'a small guest cell makes way for a large one': {
      host: { numaCells: [cell(0), cell(1, { memoryUsageMb: 4_000 })] },
      request: { numaTopology: { cells: [guest(0, 1, 64), guest(1, 1, 4_096)] } },
      says: true,
    },
  },
  GpuFilter: {
    'no GPU asked for': { says: 'NOT_ASKED' },
    'a host without GPUs fails': {
      request: { gpus: { count: 2 } },
      says: { code: 'gpu.none', subject: 'GPU', need: 2, have: 0, unit: 'GPUs' },
    },
    'an idle GPU is a whole GPU': { host: { gpus: [{ index: 0 }] }, request: { gpus: {} }, says: true },
    'a GPU with one thousandth used is no whole GPU': {
      host: { gpus: [{ index: 0, usedMilli: 1 }] },
      request: { gpus: {} },
      says: { code: 'gpu.short', subject: 'whole GPU', need: 1, have: 0, unit: 'GPUs' },
    },
    'the last thousandth of a share fits': {
      host: { gpus: [{ index: 0, usedMilli: 600 }] },
      request: { gpus: { shareMilli: 400 } },
      says: true,
    },
    'one thousandth short fails': {
      host: { gpus: [{ index: 0, usedMilli: 601 }] },
      request: { gpus: { shareMilli: 400 } },
      says: { code: 'gpu.short', subject: 'GPU with 400/1000 free', need: 1, have: 0, unit: 'GPUs' },
    },
    'shares of one GPU do not make another': {
      host: {
        gpus: [
          { index: 0, usedMilli: 500 },
          { index: 1, usedMilli: 500 },
        ],
      },
      request: { gpus: { shareMilli: 600 } },
      says: { code: 'gpu.short', subject: 'GPU with 600/1000 free', need: 1, have: 0, unit: 'GPUs' },
    },
    'several shares lie on GPUs of their own': {
      host: { gpus: [{ index: 0 }] },
      request: { gpus: { count: 2, shareMilli: 500 } },
      says: { code: 'gpu.count', subject: 'GPU', need: 2, have: 1, unit: 'GPUs' },
    },
    'another model fails': {
      host: { gpus: [{ index: 0, model: 'A100' }, { index: 1 }] },
      request: { gpus: { models: ['H100', 'H200'] } },
      says: { code: 'gpu.model', subject: 'GPU', need: 'H100 or H200', have: 'A100, unnamed', unit: 'model' },
    },
    'one of the models is enough': {
      host: { gpus: [{ index: 0, model: 'A100' }] },
      request: { gpus: { models: ['H100', 'A100'] } },
      says: true,
    },
    'too few of the model fail, however many others are there': {
      host: {
        gpus: [
          { index: 0, model: 'A100' },
          { index: 1, model: 'T4' },
        ],
      },
      request: { gpus: { count: 2, models: ['A100'] } },
      says: { code: 'gpu.count', subject: 'GPU of model A100', need: 2, have: 1, unit: 'GPUs' },
    },
  },
  PciPassthroughFilter: {
    'no device asked for': { says: 'NOT_ASKED' },
    'a host that reports no devices fails': {
      request: { pciRequests: [device()] },
      says: { code: 'pci.not_reported', subject: 'nic (vendor 8086)', need: 1, have: 0, unit: 'devices' },
    },
    'the last device fits': { host: { pciPools: [pool(null, 2, { used: 1 })] }, request: { pciRequests: [device()] }, says: true },
    'one device short fails': {
      host: { pciPools: [pool(null, 2, { used: 1 })] },
      request: { pciRequests: [device('legacy', 2)] },
      says: { code: 'pci.short', subject: 'nic (vendor 8086)', need: 2, have: 1, unit: 'devices' },
    },
    'devices of several pools add up': {
      host: { pciPools: [pool(0, 1), pool(1, 1)] },
      request: { pciRequests: [device('legacy', 2)] },
      says: true,
    },
    'another vendor is no device asked for': {
      host: { pciPools: [{ vendorId: '10de', productId: '1', total: 4 }] },
      request: { pciRequests: [device()] },
      says: { code: 'pci.short', subject: 'nic (vendor 8086)', need: 1, have: 0, unit: 'devices' },
    },
    'letters count alike, large or small, in tags too': {
      host: { pciPools: [pool(null, 1, { tags: { physical_network: 'Blue' } })] },
      request: { pciRequests: [{ ...device(), specs: [{ vendor_id: 'ffff' }, { vendor_id: '8086', physical_network: 'BLUE' }] }] },
      says: true,
    },
    'a physical function is given to nobody who does not ask for one': {
      host: { pciPools: [pool(null, 3, { deviceType: 'type-PF' })] },
      request: { pciRequests: [device()] },
      says: { code: 'pci.unasked', subject: 'nic (vendor 8086)', need: 1, have: 0, unit: 'devices' },
    },
    'and to whoever asks for one': {
      host: { pciPools: [pool(null, 3, { deviceType: 'type-PF' })] },
      request: { pciRequests: [{ ...device(), specs: [{ vendor_id: '8086', dev_type: 'type-PF' }] }] },
      says: true,
    },
    'two requests for one device fail': {
      host: { pciPools: [pool(null, 1)] },
      request: { pciRequests: [device(), { ...device(), alias: 'other' }] },
      says: { code: 'pci.short', subject: 'other (vendor 8086)', need: 1, have: 0, unit: 'devices' },
    },
    'a request that is not choosy makes way': {
      host: { pciPools: [pool(null, 1, { deviceType: 'type-VF' }), pool(null, 1)] },
      request: { pciRequests: [device(), { ...device(), specs: [{ dev_type: 'type-VF' }] }] },
      says: true,
    },
    'a device at no cell is near to none': {
      host: { numaCells: [cell(0)], pciPools: [pool(null, 1)] },
      request: { numaTopology: { cells: [guest(0, 1, 1)] }, pciRequests: [device('required')] },
      says: { code: 'pci.numa', subject: 'nic (vendor 8086)', need: 1, have: 0, unit: 'devices' },
    },
    'a guest without cells takes a device anywhere': {
      host: { numaCells: [cell(0)], pciPools: [pool(7, 1)] },
      request: { pciRequests: [device('required')] },
      says: true,
    },
  },
}

/** The facts of a refusal: the reason's numbers first, and every side with the input that it comes from. */
function expectFacts(facts: readonly Fact[] | undefined, { need, have, unit }: Reason): void {
  const [first] = facts ?? []
  expect(first).toBeDefined()
  if (need !== undefined) expect(first?.required).toBe(need)
  if (have !== undefined) expect(first?.actual).toBe(have)
  if (unit !== undefined) expect(first?.unit).toBe(unit)
  for (const { requiredFrom, actualFrom, terms = [] } of facts ?? [])
    for (const { kind, ref, report } of [requiredFrom, actualFrom, ...terms.map(({ from }) => from)]) {
      expect(kind === 'status' || kind === 'liveness' ? 'words of operators' : ref).not.toBe('')
      if (kind === 'report') expect(report).toMatchObject({ sequence: expect.any(Number), at: expect.any(Number) })
    }
}

describe.each(Object.entries(tables))('%s', (name, rows) => {
  test.each(Object.entries(rows))('%s', (_row, { says, ...row }) => {
    const fleet = fleetOf(row)
    expect(sayOf(named(name), fleet, row.request)).toEqual(says)
    if (typeof says === 'object')
      expectFacts(
        named(name)
          .prepare(aRequest(row.request), fleet, {})
          ?.facts?.(0 as HostIndex),
        says,
      )
  })
})

test('a host that is down is refused', () => {
  const checkpoint = checkpointOf(fleetOf({}))
  const fleet = restoreFleet({ ...checkpoint, hosts: checkpoint.hosts.map((stored) => ({ ...stored, liveness: 2 })) })
  expect(sayOf(named('ComputeFilter'), fleet, {})).toEqual({ code: 'host.down', need: 'UP or SUSPECT', have: 'DOWN', source: '' })
})

test('a host that is suspect still passes', () => {
  const checkpoint = checkpointOf(fleetOf({}))
  const fleet = restoreFleet({ ...checkpoint, hosts: checkpoint.hosts.map((stored) => ({ ...stored, liveness: 1 })) })
  expect(sayOf(named('ComputeFilter'), fleet, {})).toBe(true)
})

// those of Nova's have theirs in nova/filters, and one for all in nova/as-filter.test.ts
const ownFilters = filters.filter(({ name }) => !novaFilterNames.has(name))

test('every filter has a table, and a name and a sentence of its own', () => {
  expect(ownFilters.map(({ name }) => name).filter((name) => tables[name] === undefined)).toEqual([])
  expect(new Set(filters.map(({ name }) => name)).size).toBe(filters.length)
  for (const { description } of filters) expect(description).toMatch(/^[A-Z].*\.$/)
})

test('the fit filters are among those that a profile may name', () => {
  for (const filter of fitFilters) expect(filters).toContain(filter)
})
