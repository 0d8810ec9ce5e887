import { describe, expect, test } from 'vitest'
import { fromNova, legacy, nodeWith, wire, withRules } from '../../../nova/compat/testing/placement-rows.ts'
import { readNovaRequest } from '../../../nova/objects/request.ts'
import { builtInProfiles } from '../../../profiles/built-in.ts'
import { type Profile, profileSchema } from '../../../records/profile.ts'
import type { RequestSpec } from '../../../request/request-spec.ts'
import { aClaim, aDocument, aUuid, type HostShape } from '../../../testing/index.ts'
import type { JsonObject } from '../../../values/json.ts'
import { answerOf, type Case } from '../testing/case.ts'

const GIB = 1_024
const profileNamed = (name: string) => builtInProfiles.find((known) => known.name === name) as Profile
const withFilters = (...names: readonly string[]): Profile =>
  profileSchema.parse({ ...profileNamed('nova-compat'), number: 1, filters: [...names, 'RamFilter'].map((name) => ({ name })) })
const byDefault = profileNamed('default')

const size = { name: 'm1', vcpus: 1, memory_mb: 8 * GIB, root_gb: 1, ephemeral_gb: 0, swap: 0, extra_specs: {} }
const flavor = (more: JsonObject = {}) => wire('Flavor', '1.2', { ...size, ...more })
const asking = (data: JsonObject): RequestSpec => fromNova({ flavor: flavor(), ...data })
const image = (properties: JsonObject, more: JsonObject = {}) =>
  wire('ImageMeta', '1.8', { id: aUuid(9), ...more, properties: wire('ImageMetaProps', '1.34', properties) })
const to = (data: JsonObject) => ({ requested_destination: wire('Destination', '1.4', data) })
const inDictionaries = (filter_properties: JsonObject, more: JsonObject = {}, instance: JsonObject = {}): RequestSpec =>
  legacy({ uuid: aUuid(3), project_id: 'p', ...instance }, filter_properties, { instance_type: size, ...more })

/** A host in a cell that reports a ComputeNode with this memory. */
const nodeIn = (cellUuid: string, memoryMb: number): HostShape => ({
  memoryMb,
  ...nodeWith({ memory_mb: memoryMb, free_ram_mb: memoryMb }, cellUuid),
})

const A = aUuid(40)
const aggregate = (name: string, host: string, metadata: Record<string, string> = {}) => ({ name, hosts: [host], metadata })
/** Nova's affinity filters read the older list of policies too. */
const group = (policy: string, more: JsonObject = {}) => ({
  instance_group: wire('InstanceGroup', '1.11', { ...{ uuid: aUuid(7), policy, policies: [policy], members: [], hosts: [] }, ...more }),
})
const member = (host: string, policy: 'AFFINITY' | 'ANTI_AFFINITY') =>
  aClaim({
    ...{ key: host, hosts: [host], grants: {}, mode: 'CONFIRM', instances: [aUuid(5)] },
    group: { uuid: aUuid(7), policy, maxServerPerHost: policy === 'ANTI_AFFINITY' ? 1 : null },
  })
const network = (host: string, name: string, isThere: boolean) =>
  aDocument(host, 'network', { physicalNetworks: [{ name }], ports: isThere ? [{ uuid: aUuid(2), physicalNetwork: name }] : [] })
const guest = (memory: number) =>
  wire('InstanceNUMATopology', '1.3', {
    cells: [wire('InstanceNUMACell', '1.5', { id: 0, cpuset: [0], pcpuset: [], memory, pagesize: null, cpu_policy: null })],
    emulator_threads_policy: null,
  })
const cell = (id: number, memoryMb: number, ...physicalNetworks: readonly string[]) => ({
  ...{ id, memoryMb, cpuset: [0, 1, 2, 3].map((cpu) => cpu + 4 * id) },
  physicalNetworks: [...physicalNetworks],
})

/**
 * A condition that only the host w1 meets. The host w1 has too little memory for the request, and w2 has enough. If a change of the memory
 * dropped the condition, the request would fit on w2 with nearly as much memory as it asks for.
 */
interface Kept extends Omit<Partial<Case>, 'request'> {
  readonly request: RequestSpec
  /** The expected change. The default is the memory of w1. */
  readonly change?: string
  /** A change that drops the condition itself, and that must be proposed too. */
  readonly dropped?: string
}

const ofTraits = { w1: { memoryMb: 4 * GIB, traits: ['CUSTOM_W'] }, w2: {} }

/** For each field of Nova's request: a condition, or the reason why the field is no condition. */
const fields: Readonly<Record<string, Kept | readonly Kept[] | string>> = {
  'image.id': 'only the isolation of images reads it, and it is in the typed form too',
  'image.minRam': "Nova's API compares it with the flavor before it calls the scheduler",
  'image.minDisk': "Nova's API compares it with the flavor before it calls the scheduler",
  'image.diskFormat': {
    hosts: { w1: { memoryMb: 4 * GIB, traits: ['COMPUTE_IMAGE_TYPE_RAW'] }, w2: {} },
    request: asking({ image: image({}, { disk_format: 'raw' }) }),
    profile: withRules({ imageType: true }),
  },
  'image.properties': [
    {
      hosts: ofTraits,
      request: asking({ image: image({ traits_required: ['CUSTOM_W'] }) }),
      dropped: 'trait CUSTOM_W -> not asked',
    },
    {
      hosts: ofTraits,
      request: inDictionaries({}, { image: { id: 'i', properties: { 'trait:CUSTOM_W': 'required' } } }),
      dropped: 'trait CUSTOM_W -> not asked',
    },
    {
      hosts: {
        w1: { memoryMb: 4 * GIB, supportedInstances: [{ arch: 'x86_64', hvType: 'xen', vmMode: 'hvm' }] },
        w2: { supportedInstances: [{ arch: 'x86_64', hvType: 'kvm', vmMode: 'hvm' }] },
      },
      request: asking({ image: image({ img_hv_type: 'xen' }) }),
      profile: withFilters('ImagePropertiesFilter'),
      dropped: 'image img_hv_type -> not asked',
    },
  ],
  'flavor.name': {
    hosts: { w1: { memoryMb: 4 * GIB }, w2: {} },
    request: asking({}),
    aggregates: [aggregate('kept', 'w1', { instance_type: 'm1' }), aggregate('other', 'w2', { instance_type: 'm2' })],
    profile: withFilters('AggregateTypeAffinityFilter'),
  },
  'flavor.flavorid': 'TypeAffinityFilter alone reads it, and flavors are not proposed to change',
  'flavor.vcpus': 'the amounts are the subject of these tests',
  'flavor.memoryMb': 'the amounts are the subject of these tests',
  'flavor.rootGb': {
    hosts: { w1: { memoryMb: 4 * GIB }, w2: { localGb: 0 } },
    // a root disk on a volume counts for DiskFilter, which reads the document
    request: asking({ flavor: flavor({ root_gb: 9 }), is_bfv: true }),
    profile: withFilters('DiskFilter'),
  },
  'flavor.ephemeralGb': 'the amounts are the subject of these tests',
  'flavor.swap': 'the amounts are the subject of these tests',
  'flavor.extraSpecs': {
    hosts: ofTraits,
    request: asking({ flavor: flavor({ extra_specs: { 'trait:CUSTOM_W': 'required' } }) }),
    dropped: 'trait CUSTOM_W -> not asked',
  },
  numaTopology: {
    hosts: { w1: { numaCells: [cell(0, 4 * GIB)] }, w2: { numaCells: [cell(0, 2 * GIB)] } },
    request: asking({ numa_topology: guest(8 * GIB) }),
    change: 'memory of each NUMA cell -> 4096 MiB',
    dropped: 'NUMA topology -> none',
  },
  pciRequests: {
    hosts: { w1: { memoryMb: 4 * GIB, pciPools: [{ vendorId: 'v', productId: 'p', total: 1 }] }, w2: {} },
    request: asking({ pci_requests: [{ count: 1, spec: [{ vendor_id: 'v' }], alias_name: 'nic' }] }),
    dropped: 'PCI devices -> none',
  },
  'networkMetadata.physnets': {
    hosts: { w1: { numaCells: [cell(0, 4 * GIB, 'net1')] }, w2: { numaCells: [cell(0, 64 * GIB), cell(1, GIB, 'net1')] } },
    request: asking({
      ...{ image: image({}), numa_topology: guest(8 * GIB) },
      network_metadata: wire('NetworkMetadata', '1.0', { physnets: ['net1'], tunneled: false }),
    }),
    profile: withFilters('NUMATopologyFilter'),
    change: 'memory of each NUMA cell -> 4096 MiB',
    dropped: 'NUMA topology -> none',
  },
  'networkMetadata.tunneled': {
    hosts: {
      w1: { numaCells: [cell(0, 4 * GIB)], tunneledCells: [0] },
      w2: { numaCells: [cell(0, 64 * GIB), cell(1, GIB)], tunneledCells: [1] },
    },
    request: asking({
      ...{ image: image({}), numa_topology: guest(8 * GIB) },
      network_metadata: wire('NetworkMetadata', '1.0', { physnets: [], tunneled: true }),
    }),
    profile: withFilters('NUMATopologyFilter'),
    change: 'memory of each NUMA cell -> 4096 MiB',
    dropped: 'NUMA topology -> none',
  },
  projectId: {
    hosts: { w1: { memoryMb: 4 * GIB }, w2: {} },
    request: asking({ project_id: 'p1' }),
    aggregates: [aggregate('own', 'w1', { filter_tenant_id: 'p1' })],
    profile: withRules({ limitTenants: true }),
  },
  userId: 'no filter reads it',
  availabilityZone: [
    {
      hosts: { w1: { memoryMb: 4 * GIB }, w2: {} },
      request: asking({ availability_zone: 'z1' }),
      aggregates: [aggregate('z1', 'w1', { availability_zone: 'z1' })],
      dropped: 'availability zone -> any',
    },
    {
      hosts: { w1: { memoryMb: 4 * GIB }, w2: {} },
      request: inDictionaries({}, {}, { availability_zone: 'z1' }),
      aggregates: [aggregate('z1', 'w1', { availability_zone: 'z1' })],
      dropped: 'availability zone -> any',
    },
  ],
  numInstances: 'the tests of the counts of instances are in restated-request.test.ts',
  instanceUuid: 'it only names the instance',
  ignoreHosts: {
    hosts: { w1: { memoryMb: 4 * GIB }, w2: {} },
    request: asking({ ignore_hosts: ['w2'] }),
    dropped: 'hosts to ignore -> not w2',
  },
  forceHosts: [
    { hosts: { w1: { memoryMb: 4 * GIB }, w2: {} }, request: asking({ force_hosts: ['w1'] }), dropped: 'hosts asked for -> any' },
    { hosts: { w1: { memoryMb: 4 * GIB }, w2: {} }, request: inDictionaries({ force_hosts: ['w1'] }), dropped: 'hosts asked for -> any' },
  ],
  forceNodes: { hosts: { w1: { memoryMb: 4 * GIB }, w2: {} }, request: asking({ force_nodes: ['w1'] }), dropped: 'nodes asked for -> any' },
  'requestedDestination.host': {
    hosts: { w1: { memoryMb: 4 * GIB }, w2: {} },
    request: asking(to({ host: 'w1' })),
    dropped: 'requested destination -> any',
  },
  'requestedDestination.node': {
    hosts: { w1: { memoryMb: 4 * GIB }, w2: {} },
    request: asking(to({ node: 'w1' })),
    dropped: 'requested destination -> any',
  },
  'requestedDestination.cellUuid': [
    {
      hosts: { w1: nodeIn(A, 4 * GIB), w2: nodeIn(aUuid(41), 64 * GIB) },
      request: asking(to({ host: null, node: null, cell: wire('CellMapping', '1.1', { uuid: A }) })),
      dropped: "Nova's cell -> any",
    },
    {
      hosts: { w1: nodeIn(A, 4 * GIB), w2: nodeIn(aUuid(41), 64 * GIB) },
      request: asking(to({ host: null, node: null, cell: wire('CellMapping', '1.1', { uuid: A }) })),
      profile: byDefault,
      dropped: "Nova's cell -> any",
    },
  ],
  'requestedDestination.allowCrossCellMove': 'with true, the cell is no condition',
  'requestedDestination.aggregates': [
    {
      hosts: { w1: { memoryMb: 4 * GIB }, w2: {} },
      request: asking(to({ aggregates: [aUuid(20)] })),
      aggregates: [aggregate('own', 'w1')],
      dropped: 'aggregates asked for -> any',
    },
    {
      hosts: { w1: { memoryMb: 4 * GIB }, w2: {} },
      request: asking(to({ aggregates: [`${aUuid(21)},${aUuid(20)}`, aUuid(20)] })),
      aggregates: [aggregate('own', 'w1'), aggregate('other', 'w2')],
      dropped: 'aggregates asked for -> any',
    },
  ],
  'requestedDestination.forbiddenAggregates': {
    hosts: { w1: { memoryMb: 4 * GIB }, w2: {} },
    request: asking(to({ forbidden_aggregates: [aUuid(20)] })),
    aggregates: [aggregate('other', 'w2')],
    dropped: 'forbidden aggregate -> not forbidden',
  },
  'retry.numAttempts': 'it is no condition on a host',
  'retry.hosts': [
    {
      hosts: { w1: { memoryMb: 4 * GIB }, w2: {} },
      request: asking({
        retry: wire('SchedulerRetries', '1.1', {
          num_attempts: 1,
          hosts: wire('ComputeNodeList', '1.19', { objects: [wire('ComputeNode', '1.19', { host: 'w2', hypervisor_hostname: 'w2' })] }),
        }),
      }),
      profile: withFilters('RetryFilter'),
    },
    {
      hosts: { w1: { memoryMb: 4 * GIB }, w2: {} },
      request: inDictionaries({ retry: { num_attempts: 1, hosts: [['w2', 'w2']] } }),
      profile: withFilters('RetryFilter'),
    },
  ],
  'instanceGroup.uuid': {
    hosts: { w1: { memoryMb: 4 * GIB }, w2: {} },
    request: asking(group('anti-affinity')),
    changes: [member('w2', 'ANTI_AFFINITY')],
  },
  'instanceGroup.policy': {
    hosts: { w1: { memoryMb: 4 * GIB }, w2: {} },
    request: asking(group('affinity')),
    changes: [member('w1', 'AFFINITY')],
  },
  'instanceGroup.policies': {
    hosts: { w1: { memoryMb: 4 * GIB }, w2: {} },
    request: asking({
      instance_group: wire('InstanceGroup', '1.10', { uuid: aUuid(7), policies: ['affinity'], members: [], hosts: [] }),
    }),
    changes: [member('w1', 'AFFINITY')],
    profile: withFilters('ServerGroupAffinityFilter'),
  },
  'instanceGroup.members': 'it only states which instances on a host are members',
  'instanceGroup.hosts': {
    hosts: { w1: { memoryMb: 4 * GIB }, w2: {} },
    request: asking(group('affinity', { hosts: ['w1'] })),
  },
  'instanceGroup.rules': 'a host with too many members is refused by the policy',
  schedulerHints: [
    {
      hosts: { w1: { memoryMb: 4 * GIB }, w2: {} },
      request: asking({ scheduler_hints: { different_host: [aUuid(5)] } }),
      changes: [aClaim({ hosts: ['w2'], grants: {}, instances: [aUuid(5)], mode: 'CONFIRM' })],
      profile: withFilters('DifferentHostFilter'),
      dropped: 'hint different_host -> not asked',
    },
    {
      hosts: { w1: { memoryMb: 4 * GIB }, w2: {} },
      request: inDictionaries({ scheduler_hints: { different_host: aUuid(5) } }),
      changes: [aClaim({ hosts: ['w2'], grants: {}, instances: [aUuid(5)], mode: 'CONFIRM' })],
      profile: withFilters('DifferentHostFilter'),
      dropped: 'hint different_host -> not asked',
    },
  ],
  isBfv: 'the case of the root disk is about it',
  limits: 'no rule reads it',
  securityGroups: 'no filter reads it',
  requestedResources: {
    hosts: ofTraits,
    request: asking({
      requested_resources: [wire('RequestGroup', '1.3', { resources: {}, required_traits: ['CUSTOM_W'], aggregates: [] })],
    }),
    dropped: 'trait CUSTOM_W -> not asked',
  },
  'requestLevelParams.rootRequired': {
    hosts: ofTraits,
    request: asking({ request_level_params: wire('RequestLevelParams', '1.1', { root_required: ['CUSTOM_W'], root_forbidden: [] }) }),
    dropped: 'trait CUSTOM_W -> not asked',
  },
  'requestLevelParams.rootForbidden': {
    hosts: { w1: { memoryMb: 4 * GIB }, w2: { traits: ['CUSTOM_W'] } },
    request: asking({ request_level_params: wire('RequestLevelParams', '1.1', { root_required: [], root_forbidden: ['CUSTOM_W'] }) }),
    dropped: 'trait CUSTOM_W -> not asked',
  },
  'requestLevelParams.sameSubtree': 'the service refuses a request with it',
  requestedNetworks: 'the ports are the only conditions in it',
  requestedPorts: {
    hosts: { w1: { memoryMb: 4 * GIB }, w2: {} },
    request: asking({ requested_networks: [wire('NetworkRequest', '1.3', { port_id: aUuid(2) })] }),
    changes: [network('w1', 'physnet1', true), network('w2', 'physnet2', false)],
    profile: byDefault,
    dropped: 'nearVolumesAndPorts -> not asked',
  },
}

/** A document in which every object has a value. */
const full = wire('RequestSpec', '1.14', {
  ...{ flavor: flavor(), image: image({}), num_instances: 1 },
  ...to({}),
  ...group('affinity'),
  retry: wire('SchedulerRetries', '1.1', { num_attempts: 1 }),
  network_metadata: wire('NetworkMetadata', '1.0', {}),
  request_level_params: wire('RequestLevelParams', '1.1', {}),
})

test('the table has an entry for each field that is read from a RequestSpec', () => {
  const open = ['image.properties', 'flavor.extraSpecs']
  const pathsOf = (value: unknown, path: string): readonly string[] =>
    typeof value === 'object' && value !== null && !Array.isArray(value) && !open.includes(path)
      ? Object.entries(value).flatMap(([name, inner]) => pathsOf(inner, path === '' ? name : `${path}.${name}`))
      : [path]
  expect(Object.keys(fields).sort()).toEqual([...pathsOf(readNovaRequest(full).request, '')].sort())
})

const cases = Object.entries(fields).flatMap(([field, given]) =>
  typeof given === 'string' ? [] : [given].flat().map((one, number) => ({ field, number, ...one })),
)

const textOf = (changes: readonly { readonly subject: string; readonly to: string }[]): string =>
  changes.map(({ subject, to: value }) => `${subject} -> ${value}`).join('; ')

describe.each(cases)('$field, $number', (one) => {
  const { request, hosts = {}, changes = [], aggregates = [], profile = profileNamed('nova-compat') } = one
  const { change = 'memory -> 4096 MiB', dropped } = one
  const answer = answerOf({ hosts, request, changes, aggregates, profile, kinds: ['REQUEST'], first: 50 })

  test('less memory is proposed only for the host that meets the condition', () => {
    expect(answer.fits).toBe(false)
    const [subject] = change.split(' -> ')
    const alone = answer.counterfactuals.filter(({ changes: all }) => all.length === 1 && all[0]?.subject === subject)
    expect(alone.map(({ changes: all, exampleHosts }) => [textOf(all), exampleHosts.map(({ host }) => host)])).toEqual([[change, ['w1']]])
    const [{ request: proposed } = { request }] = alone
    expect(proposed.nova?.form).toBe(request.nova?.form)
  })

  if (dropped !== undefined)
    test('a change that drops the condition is proposed', () => {
      expect(answer.counterfactuals.map(({ changes: all }) => textOf(all))).toContain(dropped)
    })
})
