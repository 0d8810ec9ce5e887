import { aClaim, aUuid } from '../../testing/index.ts'
import { aggregate, disable, type FilterTables, flavor, kvm, specs } from './rows.ts'

export const hostTables: FilterTables = {
  Candidates: {
    'a request that names no host is not checked': { says: 'NOT_ASKED' },
    'an ignored host is excluded': { request: { ignoreHosts: ['h1'] }, says: { code: 'host.excluded', subject: 'ignoreHosts' } },
    'a host that is not ignored is admitted': { request: { ignoreHosts: ['h2'] }, says: true },
    'a forced host is admitted': { request: { forceHosts: ['h1'] }, says: true },
    'a host other than the forced ones is excluded': {
      request: { forceHosts: ['h2', 'h3'] },
      says: { code: 'host.not_requested', need: 'h2, h3' },
    },
    'a host that is forced and ignored is excluded': {
      request: { forceHosts: ['h1'], ignoreHosts: ['h1'] },
      says: { code: 'host.excluded', subject: 'ignoreHosts' },
    },
    'a node other than the forced node is excluded': { request: { forceNodes: ['n9'] }, says: { code: 'host.not_requested', need: 'n9' } },
    'host and node must both equal the requested ones': {
      request: { forceHosts: ['h1'], forceNodes: ['h2'] },
      says: { code: 'host.not_requested', need: 'h1, h2' },
    },
    'the requested destination is admitted': { request: { requestedDestination: { host: 'h1' } }, says: true },
    'a host other than the requested destination is excluded': {
      request: { requestedDestination: { host: 'h2', node: 'h2' } },
      says: { code: 'host.not_requested', need: 'h2' },
    },
    'a destination without names has no effect': { request: { requestedDestination: {} }, says: 'NOT_ASKED' },
    'a member of one of the aggregates is admitted': {
      after: [aggregate(1, ['h1'])],
      request: { requestedDestination: { aggregates: [aUuid(1), aUuid(2)] } },
      says: true,
    },
    'a host in none of the aggregates is excluded': {
      after: [aggregate(1, ['h2'])],
      request: { requestedDestination: { aggregates: [aUuid(1)] } },
      says: { code: 'aggregate.not_member', need: aUuid(1) },
    },
    'a member of a forbidden aggregate is excluded': {
      after: [aggregate(1, ['h1'])],
      request: { requestedDestination: { forbiddenAggregates: [aUuid(1)] } },
      says: { code: 'host.excluded', subject: 'forbiddenAggregates' },
    },
    'a host in none of the forbidden aggregates is admitted': {
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
    'a disabled host fails with the reason that its operator stated': {
      after: [disable('disk is failing')],
      says: { code: 'host.disabled', need: 'ENABLED', have: 'DISABLED', source: 'disk is failing' },
    },
    'a host that is down fails with the missed sign of life': {
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
    'a request without a zone is not checked': { says: 'NOT_ASKED' },
    'a host without aggregates is in the default zone': { request: { availabilityZone: 'nova' }, says: true },
    'a host without aggregates is only in the default zone, so a request for another zone fails': {
      request: { availabilityZone: 'z1' },
      says: { code: 'zone.other', subject: 'availability zone', need: 'z1', have: 'nova' },
    },
    'the zone of an aggregate is the zone of its hosts': {
      after: [aggregate(1, ['h1'], { availability_zone: 'z1' })],
      request: { availabilityZone: 'z1' },
      says: true,
    },
    'the name of a zone must match exactly': {
      after: [aggregate(1, ['h1'], { availability_zone: 'Z1' })],
      request: { availabilityZone: 'z1' },
      says: { code: 'zone.other', subject: 'availability zone', need: 'z1', have: 'Z1' },
    },
    'a host whose zone was deleted is in the default zone': {
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
    'a request without memory is not checked': { request: { memoryMb: 0 }, says: 'NOT_ASKED' },
    'used memory is not free': {
      host: { memoryMb: 2_048, memoryMbUsed: 1_025 },
      says: { code: 'memory.short', subject: 'MEMORY_MB', need: 1_024, have: 1_023, unit: 'MiB' },
    },
    'the allocation ratio multiplies the total': { host: { memoryMb: 1_000, ramAllocationRatio: 1.5, memoryMbUsed: 476 }, says: true },
    'one MiB short under the allocation ratio fails': {
      host: { memoryMb: 1_000, ramAllocationRatio: 1.5, memoryMbUsed: 477 },
      says: { code: 'memory.short', subject: 'MEMORY_MB', need: 1_024, have: 1_023, unit: 'MiB' },
    },
    'reserved memory is not free': {
      host: { memoryMb: 2_048, inventories: [{ resourceClass: 'MEMORY_MB', total: 2_048, reserved: 1_025 }] },
      says: { code: 'memory.short', subject: 'MEMORY_MB', need: 1_024, have: 1_023, unit: 'MiB' },
    },
    'claimed memory is not free': {
      host: { memoryMb: 2_047 },
      after: [aClaim()],
      says: { code: 'memory.short', subject: 'MEMORY_MB', need: 1_024, have: 1_023, unit: 'MiB' },
    },
    'a host that uses more than it has shows a negative free amount': {
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
    'a request without CPUs is not checked': { request: { vcpus: 0 }, says: 'NOT_ASKED' },
    'one instance does not get more CPUs than the host has, whatever the ratio': {
      host: { vcpus: 4, cpuAllocationRatio: 16 },
      request: { vcpus: 5 },
      says: { code: 'cpu.too_few', subject: 'VCPU', need: 5, have: 4, unit: 'vCPU' },
    },
    'an instance with all CPUs fits in addition to others when overcommitted': {
      host: { vcpus: 4, cpuAllocationRatio: 2, vcpusUsed: 4 },
      request: { vcpus: 4 },
      says: true,
    },
  },
  DiskFilter: {
    'a request without disk space is not checked': { says: 'NOT_ASKED' },
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
    'the root disk of an instance that boots from a volume needs no space': {
      request: { ...flavor({ rootGb: 20 }), isBfv: true },
      says: 'NOT_ASKED',
    },
  },
  AggregateInstanceExtraSpecsFilter: {
    'a request without extra specs is not checked': { says: 'NOT_ASKED' },
    'extra specs of another scope have no effect': { request: specs({ 'hw:cpu_policy': 'shared' }), says: 'NOT_ASKED' },
    'an unscoped key that no aggregate has fails': {
      request: specs({ ssd: 'true' }),
      says: { code: 'aggregate.extra_spec', subject: 'ssd', need: 'true', have: 'nothing', source: 'extra spec ssd' },
    },
    'a key that an aggregate of the host has passes': {
      after: [aggregate(1, ['h1'], { ssd: 'true' })],
      request: specs({ ssd: 'true' }),
      says: true,
    },
    'metadata of aggregates that the host is not in are ignored': {
      after: [aggregate(1, ['h2'], { ssd: 'true' })],
      request: specs({ ssd: 'true' }),
      says: { code: 'aggregate.extra_spec', subject: 'ssd', need: 'true', have: 'nothing', source: 'extra spec ssd' },
    },
    'the scope is removed, and colons after it are kept': {
      after: [aggregate(1, ['h1'], { 'a:b': '1' })],
      request: specs({ 'aggregate_instance_extra_specs:a:b': '1' }),
      says: true,
    },
    'one of the values between commas is enough': {
      after: [aggregate(1, ['h1'], { disk: 'hdd, ssd' })],
      request: specs({ disk: 'ssd' }),
      says: true,
    },
    'values of several aggregates are combined': {
      after: [aggregate(1, ['h1'], { disk: 'hdd' }), aggregate(2, ['h1'], { disk: 'ssd' })],
      request: specs({ disk: 'nvme' }),
      says: { code: 'aggregate.extra_spec', subject: 'disk', need: 'nvme', have: 'hdd, ssd', source: 'extra spec disk' },
    },
    'operators apply to metadata': {
      after: [aggregate(1, ['h1'], { speed: '10' })],
      request: specs({ speed: '>= 9' }),
      says: true,
    },
    'every key must be met': {
      after: [aggregate(1, ['h1'], { a: '1' })],
      request: specs({ a: '1', b: '1' }),
      says: { code: 'aggregate.extra_spec', subject: 'b', need: '1', have: 'nothing', source: 'extra spec b' },
    },
    'no aggregate satisfies a key that every object inherits': {
      after: [aggregate(1, ['h1'], { a: '1' })],
      request: specs({ constructor: 'x' }),
      says: { code: 'aggregate.extra_spec', subject: 'constructor', need: 'x', have: 'nothing', source: 'extra spec constructor' },
    },
  },
  ImagePropertiesFilter: {
    'a request without an image is not checked': { says: 'NOT_ASKED' },
    'an image without properties has no effect': { request: { image: {} }, says: 'NOT_ASKED' },
    'a version alone has no effect, as in Nova': {
      request: { image: { properties: { img_hv_requested_version: '>=6.0' } } },
      says: 'NOT_ASKED',
    },
    'a supported architecture passes': { host: kvm, request: { image: { properties: { hw_architecture: 'x86_64' } } }, says: true },
    'an image that requires a supported architecture in its field architecture passes': {
      host: kvm,
      request: { image: { architecture: 'x86_64' } },
      says: true,
    },
    'a different architecture fails': {
      host: kvm,
      request: { image: { architecture: 'aarch64' } },
      says: { code: 'image.unsupported', subject: 'hw_architecture', need: 'aarch64', have: 'x86_64/kvm/hvm' },
    },
    'a host without reported instance types fails': {
      request: { image: { properties: { img_hv_type: 'kvm' } } },
      says: { code: 'image.unsupported', subject: 'img_hv_type', need: 'kvm', have: 'nothing' },
    },
    'a single combination must have all requested values': {
      host: { supportedInstances: [...kvm.supportedInstances, { arch: 'aarch64', hvType: 'qemu', vmMode: 'hvm' }] },
      request: { image: { properties: { hw_architecture: 'aarch64', img_hv_type: 'kvm' } } },
      says: {
        code: 'image.unsupported',
        subject: 'hw_architecture, img_hv_type',
        need: 'aarch64, kvm',
        have: 'x86_64/kvm/hvm aarch64/qemu/hvm',
      },
    },
    'older names of properties are recognised': {
      host: kvm,
      request: { image: { properties: { hypervisor_type: 'kvm', vm_mode: 'hvm' } } },
      says: true,
    },
    'a version within the requested range passes': {
      host: { ...kvm, hypervisorVersion: 7_002_000 },
      request: { image: { properties: { img_hv_type: 'kvm', img_hv_requested_version: '>=7.2,<8.0' } } },
      says: true,
    },
    'a version at the excluded end of the range fails': {
      host: { ...kvm, hypervisorVersion: 8_000_000 },
      request: { image: { properties: { img_hv_type: 'kvm', img_hv_requested_version: '>=7.2,<8.0' } } },
      says: { code: 'image.unsupported', subject: 'img_hv_requested_version', need: '>=7.2,<8.0', have: 8_000_000 },
    },
    'a short version number is major and minor': {
      host: { ...kvm, hypervisorVersion: 2_012 },
      request: { image: { properties: { img_hv_type: 'kvm', img_hv_requested_version: '==2.12' } } },
      says: true,
    },
    'a host without a reported version passes': {
      host: kvm,
      request: { image: { properties: { img_hv_type: 'kvm', img_hv_requested_version: '>=99.0' } } },
      says: true,
    },
    'an invalid predicate fails': {
      host: { ...kvm, hypervisorVersion: 7_002_000 },
      request: { image: { properties: { img_hv_type: 'kvm', img_hv_requested_version: 'new' } } },
      says: { code: 'image.unsupported', subject: 'img_hv_requested_version', need: 'new', have: 7_002_000 },
    },
  },
}
