import { describe, expect, test } from 'vitest'
import { definePlugin } from '../contracts/plugin.ts'
import { gatherPlugins, noPlugins } from '../contracts/plugins.ts'
import { importLegacyRequest, importNovaRequest } from '../nova/import/request.ts'
import { defineFilter } from '../plugin/define-part.ts'
import { builtInProfiles } from '../profiles/built-in.ts'
import { FEATURE_LEVEL } from '../records/change.ts'
import { type PlacementRules, type Profile, profileSchema } from '../records/profile.ts'
import { parseRequestSpec } from '../request/parse.ts'
import type { RequestSpec, RequestSpecInput } from '../request/request-spec.ts'
import { aRequest, aUuid } from '../testing/index.ts'
import type { HostIndex } from '../values/host-index.ts'
import { PLACEMENT_RULES } from '../values/levels.ts'
import { ignoredFields, unreadKeys } from './unread.ts'

const shipped = (name: string): Profile => builtInProfiles.find((profile) => profile.name === name) as Profile
const of = (...names: readonly string[]): Profile =>
  profileSchema.parse({ name: 'p', number: 1, filters: names.map((name) => ({ name })), weighers: [] })
const novaOf = (...names: readonly string[]): Profile => ({ ...of(...names), compat: 'nova', scheduler: 'filter' })
const askingPlacement = (placement: Partial<PlacementRules>): Profile =>
  profileSchema.parse({ ...novaOf('RamFilter'), nova: { placement } })
/** The properties of a fleet in which every namespace has documents, hosts report the stat `reported`, and aggregates have no metadata. */
const askedAt = (featureLevel = FEATURE_LEVEL, plugins = noPlugins) => ({
  plugins,
  featureLevel,
  now: 0,
  hosts: {
    ...{ reportsStat: (name: string) => name === 'reported', hasDocuments: () => true },
    ...{ documentIndexOf: () => ({ of: () => [0 as HostIndex] }), get: () => ({ namespaces: { get: () => ({ reportedAt: 0 }) } }) },
  },
  aggregates: { hasKey: () => false },
})
const unread = (profile: Profile, given: object): readonly string[] =>
  unreadKeys(aRequest(given as Partial<RequestSpecInput>), profile, askedAt())
const withSpecs = (...keys: readonly string[]) => ({
  flavor: { vcpus: 1, memoryMb: 64, extraSpecs: Object.fromEntries(keys.map((key) => [key, 'x'])) },
})

describe('fields that no filter or weigher of a profile reads', () => {
  test.each<[string, Profile, object, readonly string[]]>([
    [
      'A13d: extra specs with a scope that only Nova reads, in a request of the typed form',
      of('ComputeFilter'),
      withSpecs('hw:cpu_policy', 'hw:mem_page_size', 'hw:numa_nodes', 'pci_passthrough:alias', 'accel:device_profile'),
      ['hw:cpu_policy', 'hw:mem_page_size', 'hw:numa_nodes', 'pci_passthrough:alias', 'accel:device_profile'].map(
        (key) => `flavor.extraSpecs.${key}`,
      ),
    ],
    [
      'a key that only the driver reads',
      shipped('default'),
      withSpecs('quota:cpu_shares', 'hw_rng:allowed'),
      ['flavor.extraSpecs.quota:cpu_shares', 'flavor.extraSpecs.hw_rng:allowed'],
    ],
    ['a bare key where no filter matches aggregates', of('RamFilter'), withSpecs('ssd'), ['flavor.extraSpecs.ssd']],
    [
      'a bare key where a filter matches aggregates: none',
      of('AggregateInstanceExtraSpecsFilter'),
      withSpecs('ssd', 'aggregate_instance_extra_specs:net'),
      [],
    ],
    [
      'another scope where a filter matches aggregates',
      of('AggregateInstanceExtraSpecsFilter'),
      withSpecs('capabilities:cpu_info'),
      ['flavor.extraSpecs.capabilities:cpu_info'],
    ],
    ['a capability where a filter reads capabilities: none', novaOf('ComputeCapabilitiesFilter'), withSpecs('capabilities:cpu_info'), []],
    [
      'a bare key that is neither an attribute of hosts nor a stat that a host reports',
      novaOf('ComputeCapabilitiesFilter'),
      withSpecs('in_tree', 'member_of1', 'foo', 'reported', 'free_ram_mb', 'quota:reported'),
      ['in_tree', 'member_of1', 'foo', 'quota:reported'].map((key) => `flavor.extraSpecs.${key}`),
    ],
    [
      'a bare key where another filter matches aggregates and refuses hosts without the key: none',
      novaOf('ComputeCapabilitiesFilter', 'AggregateInstanceExtraSpecsFilter'),
      withSpecs('foo'),
      [],
    ],
    [
      'a trait without a filter for traits',
      of('RamFilter'),
      { flavor: { vcpus: 1, memoryMb: 64, extraSpecs: { 'trait:CUSTOM_X': 'required' } } },
      ['flavor.extraSpecs.trait:CUSTOM_X'],
    ],
    [
      'a trait with a filter for traits: none',
      of('TraitsFilter'),
      { flavor: { vcpus: 1, memoryMb: 64, extraSpecs: { 'trait:CUSTOM_X': 'required' } } },
      [],
    ],
    [
      'an amount, which is claimed: none',
      of('RamFilter'),
      { flavor: { vcpus: 1, memoryMb: 64, extraSpecs: { 'resources:VGPU': '1' } } },
      [],
    ],
    [
      'a level of trust without a filter for trust',
      novaOf('RamFilter'),
      withSpecs('trust:trusted_host'),
      ['flavor.extraSpecs.trust:trusted_host'],
    ],
    [
      'hints that no filter reads',
      of('RamFilter'),
      { schedulerHints: { near_volume: ['v'], near_port: ['p'], same_host: ['i'], query: ['[]'] } },
      ['near_volume', 'near_port', 'same_host', 'query'].map((key) => `schedulerHints.${key}`),
    ],
    [
      'hints that filters read: none',
      of('VolumeAffinityFilter', 'PortAffinityFilter', 'SameHostFilter', 'DifferentHostFilter'),
      { schedulerHints: { near_volume: ['v'], near_port: ['p'], same_host: ['i'], different_host: ['i'] } },
      [],
    ],
    [
      'a hint that only a weigher reads: none',
      { ...of('RamFilter'), weighers: [{ name: 'VolumeAffinityWeigher', multiplier: 1, options: {} }] },
      { schedulerHints: { near_volume: ['v'] } },
      [],
    ],
    [
      'a hint that only a weigher with multiplier 0 reads',
      { ...of('RamFilter'), weighers: [{ name: 'VolumeAffinityWeigher', multiplier: 0, options: {} }] },
      { schedulerHints: { near_volume: ['v'] } },
      ['schedulerHints.near_volume'],
    ],
    [
      "Nova's group hint in the typed form, where the group is a field of its own",
      shipped('default'),
      { schedulerHints: { group: ['g'] } },
      ['schedulerHints.group'],
    ],
    [
      'image properties that no filter reads',
      of('ImagePropertiesFilter'),
      { image: { properties: { hw_architecture: 'x86_64', hw_disk_bus: 'virtio' } } },
      ['image.properties.hw_disk_bus'],
    ],
    [
      'traits of an image that Nova ignores: forbidden traits, traits with another value, and the list in objects of Nova',
      novaOf('RamFilter'),
      { image: { properties: { 'trait:X': 'forbidden', 'trait:Y': 'yes', 'trait:Z': 'required', traits_required: 'X' } } },
      ['trait:X', 'trait:Y', 'traits_required'].map((key) => `image.properties.${key}`),
    ],
    [
      'traits of an image where this service’s own filter only reads traits of the flavor',
      shipped('default'),
      { image: { properties: { 'trait:X': 'required', 'trait:Y': 'forbidden' } } },
      ['image.properties.trait:X', 'image.properties.trait:Y'],
    ],
    [
      'a disk format, which Placement checks where the profile says so: none',
      askingPlacement({ imageType: true }),
      { image: { properties: { disk_format: 'raw', 'trait:X': 'required' } } },
      [],
    ],
    [
      'a disk format that Placement is not configured to check',
      novaOf('RamFilter'),
      { image: { properties: { disk_format: 'raw' } } },
      ['image.properties.disk_format'],
    ],
    [
      'a trait that an image forbids, for which Nova has no syntax, and the list that Nova makes of required traits',
      novaOf('RamFilter'),
      { image: { properties: { 'trait:X': 'forbidden', traits_required: 'Y' } } },
      ['image.properties.trait:X', 'image.properties.traits_required'],
    ],
    ['a zone without a filter for zones', of('RamFilter'), { availabilityZone: 'z1' }, ['availabilityZone']],
    ['a zone with a filter for zones: none', of('AvailabilityZoneFilter'), { availabilityZone: 'z1' }, []],
    ['a zone that Placement checks: none', novaOf('RamFilter'), { availabilityZone: 'z1' }, []],
    [
      'a zone that Placement is not configured to check',
      askingPlacement({ availabilityZone: false }),
      { availabilityZone: 'z1' },
      ['availabilityZone'],
    ],
    ['an architecture without a filter for images', of('RamFilter'), { image: { architecture: 'x86_64' } }, ['image.architecture']],
    ['an architecture with a filter for images: none', of('ImagePropertiesFilter'), { image: { architecture: 'x86_64' } }, []],
    [
      'a soft policy of a server group without its weigher',
      of('RamFilter'),
      { instanceGroup: { uuid: aUuid(7), policy: 'SOFT_AFFINITY' } },
      ['instanceGroup.policy'],
    ],
    [
      'a soft policy of a server group with the weigher for the other soft policy',
      { ...of('RamFilter'), weighers: [{ name: 'ServerGroupSoftAffinityWeigher', multiplier: 1, options: {} }] },
      { instanceGroup: { uuid: aUuid(7), policy: 'SOFT_ANTI_AFFINITY' } },
      ['instanceGroup.policy'],
    ],
    [
      'a hard policy of a server group, which every claim must satisfy: none',
      of('RamFilter'),
      { instanceGroup: { uuid: aUuid(7), policy: 'AFFINITY' } },
      [],
    ],
    [
      'traits of requested resources, without a filter for traits',
      of('RamFilter'),
      {
        numInstances: 2,
        requestedResources: [{ amounts: [] }, { amounts: [], requiredTraits: ['CUSTOM_X'], forbiddenTraits: ['CUSTOM_Y'] }],
        gang: [{ instances: 1, flavor: { vcpus: 1, memoryMb: 64 }, requestedResources: [{ amounts: [], requiredTraits: ['CUSTOM_Z'] }] }],
      },
      ['requestedResources.1.requiredTraits', 'requestedResources.1.forbiddenTraits', 'gang.0.requestedResources.0.requiredTraits'],
    ],
    [
      'the NUMA policy of devices for a guest without cells (PciDeviceStats._filter_pools_for_numa_cells takes all pools)',
      shipped('default'),
      {
        pciRequests: [
          { count: 1, specs: [{ vendor_id: '8086' }] },
          { count: 1, specs: [{ vendor_id: '8086' }], numaPolicy: 'required' },
        ],
      },
      ['pciRequests.1.numaPolicy'],
    ],
    [
      'the NUMA policy of devices for a guest with cells: none',
      shipped('default'),
      {
        numaTopology: { cells: [{ id: 0, cpus: [0], memoryMb: 64 }] },
        pciRequests: [{ count: 1, specs: [{ vendor_id: '8086' }], numaPolicy: 'required' }],
      },
      [],
    ],
    ['forceVerify without forced hosts', of('RamFilter'), { forceVerify: 'HARD' }, ['forceVerify']],
    ['forceVerify with a forced host: none', of('RamFilter'), { forceVerify: 'HARD', forceHosts: ['h1'] }, []],
    ['HARD under compat: nova, where it means ALL', novaOf('RamFilter'), { forceVerify: 'HARD', forceHosts: ['h1'] }, ['forceVerify']],
    ['NONE under compat: nova: none', novaOf('RamFilter'), { forceVerify: 'NONE', forceHosts: ['h1'] }, []],
    [
      'a disk format, which the filters of this service do not read',
      of('ImagePropertiesFilter'),
      { image: { properties: { disk_format: 'raw' } } },
      ['image.properties.disk_format'],
    ],
  ])('%s', (_situation, profile, request, paths) => {
    expect(unread(profile, request)).toEqual(paths)
  })

  test('in a request for several kinds of members, unread extra specs are reported for the flavor of each kind', () => {
    const member = { instances: 1, flavor: { vcpus: 1, memoryMb: 64, extraSpecs: { 'hw:cpu_policy': 'dedicated', 'resources:VGPU': '1' } } }
    expect(unread(of('RamFilter'), { numInstances: 2, gang: [member] })).toEqual(['gang.0.flavor.extraSpecs.hw:cpu_policy'])
  })

  test('if the profile has a filter of a plug-in, no field is reported as unread, because the filter does not declare what it reads', () => {
    const theirs = defineFilter({ name: 'TheirFilter', description: 'Lets every host in.', reads: [], prepare: () => undefined })
    const plugins = gatherPlugins([definePlugin({ name: 'p', version: '1.0.0', description: 'One filter.', filters: [theirs] })])
    const request = aRequest(withSpecs('ssd') as never)
    expect(unreadKeys(request, of('TheirFilter', 'RamFilter'), askedAt(FEATURE_LEVEL, plugins))).toEqual([])
    expect(unreadKeys(request, of('RamFilter'), askedAt(FEATURE_LEVEL, plugins))).not.toEqual([])
  })

  const extra_specs = { 'hw:cpu_policy': 'dedicated', 'quota:cpu_shares': '1', ssd: 'true' }
  const flavor = { name: 'm1', vcpus: 1, memory_mb: 64, root_gb: 0, ephemeral_gb: 0, swap: 0, extra_specs }
  const scheduler_hints = { group: ['g'], near_volume: ['v'], reservation: ['r'] }
  const object = (name: string, version: string, data: object) => ({
    'nova_object.name': name,
    'nova_object.namespace': 'nova',
    'nova_object.version': version,
    'nova_object.data': data,
  })
  const readFrom = (imported: ReturnType<typeof importNovaRequest>): RequestSpec => {
    const parsed = imported.ok ? parseRequestSpec(imported.document) : imported
    if (!('value' in parsed)) throw new Error(JSON.stringify(parsed))
    return parsed.value
  }

  test("unread fields of Nova's object are reported by Nova's names, and fields that Nova reads before the call are not reported", () => {
    const image = object('ImageMeta', '1.8', { properties: object('ImageMetaProps', '1.12', { hw_disk_bus: 'virtio', os_type: 'linux' }) })
    const spec = object('RequestSpec', '1.14', { num_instances: 1, flavor: object('Flavor', '1.2', flavor), image, scheduler_hints })
    expect(unreadKeys(readFrom(importNovaRequest(spec)), novaOf('RamFilter'), askedAt())).toEqual([
      'spec.flavor.extra_specs.quota:cpu_shares',
      'spec.flavor.extra_specs.ssd',
      'spec.image.properties.os_type',
      // the hint is unread, because the request has no `instance_group`
      'spec.scheduler_hints.group',
      'spec.scheduler_hints.near_volume',
      'spec.scheduler_hints.reservation',
    ])
  })

  test("unread optional fields of Nova's object are reported by the names of Nova's fields", () => {
    const spec = object('RequestSpec', '1.14', {
      ...{ num_instances: 1, flavor: object('Flavor', '1.2', { ...flavor, extra_specs: {} }), availability_zone: 'z1' },
      instance_group: object('InstanceGroup', '1.11', { uuid: aUuid(7), policy: 'soft-affinity' }),
      network_metadata: object('NetworkMetadata', '1.0', { physnets: ['p1'], tunneled: false }),
      requested_resources: [object('RequestGroup', '1.3', { resources: {}, required_traits: ['CUSTOM_X'], in_tree: aUuid(3) })],
      scheduler_hints: { group: [aUuid(7)] },
    })
    const imported = importNovaRequest(spec)
    expect(imported.ok && imported.unknown).toEqual(['spec.requested_resources.0.in_tree'])
    expect(unreadKeys(readFrom(imported), of('RamFilter'), askedAt())).toEqual([
      'spec.availability_zone',
      'spec.instance_group.policy',
      'spec.requested_resources.0.required_traits',
      'spec.network_metadata',
    ])
    expect(unreadKeys(readFrom(imported), novaOf('NUMATopologyFilter'), askedAt())).toEqual(['spec.instance_group.policy'])
    // below feature level PLACEMENT_RULES, the checks of Placement do not run
    expect(unreadKeys(readFrom(imported), novaOf('NUMATopologyFilter'), askedAt(PLACEMENT_RULES - 1))).toContain('spec.availability_zone')
  })

  test("in Nova's object only filters read hw_architecture and hw_vm_mode, and keys that only resemble Nova's keys are unread", () => {
    const properties = object('ImageMetaProps', '1.12', {
      hw_architecture: 'x86_64',
      hw_vm_mode: 'hvm',
      hw_foo: 'x',
      hw_disk_bus: 'virtio',
    })
    const specs = { 'hw:foo': 'x', 'hw:numa_mem.0': '64', 'hw:numa_mem.x': '64', 'accel:foo': 'x', 'accel:device_profile': 'x' }
    const spec = object('RequestSpec', '1.14', {
      ...{ num_instances: 1, flavor: object('Flavor', '1.2', { ...flavor, extra_specs: specs }) },
      image: object('ImageMeta', '1.8', { properties }),
    })
    const request = readFrom(importNovaRequest(spec))
    const elsewhere = ['extra_specs.hw:foo', 'extra_specs.hw:numa_mem.x', 'extra_specs.accel:foo'].map((path) => `spec.flavor.${path}`)
    const image = ['hw_architecture', 'hw_vm_mode', 'hw_foo'].map((path) => `spec.image.properties.${path}`)
    expect(unreadKeys(request, of('RamFilter'), askedAt())).toEqual([...elsewhere, ...image])
    expect(unreadKeys(request, of('ImagePropertiesFilter'), askedAt())).toEqual([...elsewhere, ...image.slice(2)])
  })

  test("unread fields of Nova's dictionaries are reported by the names of the dictionaries", () => {
    const request_spec = { num_instances: 1, instance_type: flavor, image: { properties: { os_type: 'linux' } }, instance_properties: {} }
    const read = readFrom(importLegacyRequest({ request_spec, filter_properties: { scheduler_hints } }))
    expect(unreadKeys(read, novaOf('RamFilter'), askedAt())).toEqual([
      'request_spec.instance_type.extra_specs.quota:cpu_shares',
      'request_spec.instance_type.extra_specs.ssd',
      'request_spec.image.properties.os_type',
      'filter_properties.scheduler_hints.near_volume',
      'filter_properties.scheduler_hints.reservation',
    ])
  })
})

describe("in Nova's dictionaries the fields of an image have other names", () => {
  const ignored = (profile: Profile, properties: object): readonly string[] => {
    const instance_type = { name: 'm1', vcpus: 1, memory_mb: 64, root_gb: 0, ephemeral_gb: 0, swap: 0, extra_specs: {} }
    const request_spec = { num_instances: 1, instance_type, image: { properties }, instance_properties: {} }
    const imported = importLegacyRequest({ request_spec, filter_properties: {} })
    const parsed = imported.ok ? parseRequestSpec(imported.document) : imported
    if (!('value' in parsed)) throw new Error(JSON.stringify(parsed))
    return ignoredFields(parsed.value, profile, askedAt()).map((path) => path.replace('request_spec.image.properties.', ''))
  }

  test.each<[string, Profile, object, readonly string[]]>([
    ['an older name', of('RamFilter'), { hypervisor_type: 'qemu' }, ['hypervisor_type']],
    ['an older name that a filter reads: none', of('ImagePropertiesFilter'), { hypervisor_type: 'qemu' }, []],
    [
      'traits that no filter reads',
      of('RamFilter'),
      { 'trait:CUSTOM_A': 'required', 'trait:CUSTOM_B': 'required' },
      ['trait:CUSTOM_A', 'trait:CUSTOM_B'],
    ],
    [
      'keys that Nova ignores',
      shipped('default'),
      { foo: 'x', 'trait:CUSTOM_X': 'forbidden', kernel_id: 'k', hw_foo: 'x', 'hw_numa_mem.1': '64', traits_required: 'CUSTOM_Y' },
      ['foo', 'trait:CUSTOM_X', 'kernel_id', 'hw_foo', 'hw_numa_mem.1', 'traits_required'],
    ],
    [
      'an older name together with the present name, which takes precedence',
      of('ImagePropertiesFilter'),
      { architecture: 'i686', hw_architecture: 'x86_64' },
      ['architecture'],
    ],
    [
      'cells listed one by one, which Nova read before the call: none',
      of('RamFilter'),
      { 'hw_numa_mem.0': '64', 'hw_numa_cpus.0': '0', hw_numa_nodes: '1' },
      [],
    ],
    ['an adapter, which Nova read before the call: none', of('RamFilter'), { vmware_adaptertype: 'ide' }, []],
    [
      'an architecture and a mode without the filter that reads them',
      of('RamFilter'),
      { architecture: 'x86_64', vm_mode: 'hvm' },
      ['architecture', 'vm_mode'],
    ],
    ['an architecture and a mode that a filter reads: none', of('ImagePropertiesFilter'), { architecture: 'x86_64', vm_mode: 'hvm' }, []],
    ['traits that Placement checks: none', novaOf('RamFilter'), { 'trait:CUSTOM_A': 'required' }, []],
  ])('%s', (_situation, profile, properties, paths) => {
    expect(ignored(profile, properties)).toEqual(paths)
  })
})
