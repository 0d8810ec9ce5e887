import { describe, expect, test } from 'vitest'
import { restated } from '../../contracts/restated.ts'
import { fieldsOf } from '../../report/versioned-object.ts'
import type { RequestParts, RequestSpec } from '../../request/request-spec.ts'
import { aUuid } from '../../testing/index.ts'
import type { JsonObject } from '../../values/json.ts'
import { fromNova, legacy, wire } from '../compat/testing/placement-rows.ts'
import { novaDocuments } from './documents.ts'
import { novaRequestOf } from './own-request.ts'

const cell = (id: number, more: JsonObject = {}) =>
  wire('InstanceNUMACell', '1.5', { id, cpuset: [2 * id, 2 * id + 1], pcpuset: [], memory: 512, pagesize: null, cpu_policy: null, ...more })
const topology = (...cells: readonly JsonObject[]) =>
  wire('InstanceNUMATopology', '1.3', { cells: [...cells], emulator_threads_policy: null })
const size = { name: 'm1', vcpus: 4, memory_mb: 1_024, root_gb: 10, ephemeral_gb: 5, swap: 0 }
const flavor = (extra_specs: Record<string, string> = {}) => wire('Flavor', '1.2', { ...size, extra_specs })
const image = (properties: JsonObject) => wire('ImageMeta', '1.8', { id: aUuid(9), properties: wire('ImageMetaProps', '1.34', properties) })
const destination = (data: JsonObject) => ({ requested_destination: wire('Destination', '1.4', data) })
const group = (data: JsonObject) => ({ instance_group: wire('InstanceGroup', '1.11', { uuid: aUuid(7), ...data }) })
const spec = (data: JsonObject): RequestSpec => fromNova({ flavor: flavor(), ...data })
const dictionaries = (filter_properties: JsonObject, more: JsonObject = {}, instance: JsonObject = {}): RequestSpec =>
  legacy({ uuid: aUuid(1), project_id: 'p', ...instance }, filter_properties, { instance_type: size, ...more })

type Row = readonly [what: string, before: RequestSpec, parts: (one: RequestSpec) => RequestParts]

const withFlavor =
  (parts: Partial<RequestSpec['flavor']>) =>
  (one: RequestSpec): RequestParts => ({ flavor: { ...one.flavor, ...parts } })
const withGroup =
  (parts: Partial<NonNullable<RequestSpec['instanceGroup']>>) =>
  (one: RequestSpec): RequestParts => ({ instanceGroup: one.instanceGroup && { ...one.instanceGroup, ...parts } })
const withGuest =
  (parts: Partial<NonNullable<RequestSpec['numaTopology']>['cells'][number]>) =>
  (one: RequestSpec): RequestParts => ({
    numaTopology: one.numaTopology && { ...one.numaTopology, cells: one.numaTopology.cells.map((own) => ({ ...own, ...parts })) },
  })
const withPlace =
  (parts: Partial<NonNullable<RequestSpec['requestedDestination']>>) =>
  (one: RequestSpec): RequestParts => ({ requestedDestination: one.requestedDestination && { ...one.requestedDestination, ...parts } })
const withResources =
  (parts: (resources: RequestSpec['requestedResources'][number], i: number) => Partial<RequestSpec['requestedResources'][number]>) =>
  (one: RequestSpec): RequestParts => ({ requestedResources: one.requestedResources.map((own, i) => ({ ...own, ...parts(own, i) })) })
const withDevices =
  (parts: (devices: RequestSpec['pciRequests']) => RequestSpec['pciRequests']) =>
  (one: RequestSpec): RequestParts => ({ pciRequests: parts(one.pciRequests) })
const withoutProperty =
  (name: string) =>
  (one: RequestSpec): RequestParts => {
    const { [name]: _, ...properties } = one.image?.properties ?? {}
    return { image: one.image && { ...one.image, properties } }
  }

const devices = [
  { count: 0, spec: [{ vendor_id: 'none' }] },
  { count: 2, spec: [{ vendor_id: 'a' }], alias_name: 'nic', request_id: 'r1' },
  { count: 1, spec: [{ vendor_id: 'b' }], alias_name: 'gpu', request_id: 'r2' },
]
const groups = [
  wire('RequestGroup', '1.3', {
    requester_id: 'g',
    resources: { CUSTOM_FPGA: 2 },
    required_traits: ['T'],
    aggregates: [[aUuid(1)], [aUuid(2)]],
  }),
]
const twoLists = destination({
  host: 'h',
  cell: wire('CellMapping', '1.1', { uuid: aUuid(6) }),
  aggregates: [aUuid(1), `${aUuid(2)},${aUuid(3)}`],
})
const hints = { different_host: [aUuid(5)], query: '["=", "$host", "h"]' }

const rows: readonly Row[] = [
  ['the memory', spec({}), withFlavor({ memoryMb: 512 })],
  ['the disks', spec({}), withFlavor({ rootGb: 4, ephemeralGb: 0 })],
  ['extra specs', spec({ flavor: flavor({ a: 'b', 'trait:T': 'required' }) }), withFlavor({ extraSpecs: { a: 'b' } })],
  ['the flavor of dictionaries', dictionaries({}), withFlavor({ memoryMb: 512, name: 'm2', extraSpecs: { a: 'b' } })],
  [
    'the flavor of dictionaries, among the filter properties',
    dictionaries({ instance_type: size }, { instance_type: null }),
    withFlavor({ vcpus: 1 }),
  ],
  ['a property of the image', spec({ image: image({ img_hv_type: 'xen', hw_cpu_cores: 2 }) }), withoutProperty('img_hv_type')],
  [
    'a property of the image with a former name',
    dictionaries({}, { image: { id: 'i', properties: { architecture: 'x86_64', hypervisor_type: 'xen' } } }),
    withoutProperty('img_hv_type'),
  ],
  [
    'the value of a property of the image',
    spec({ image: image({ img_hv_type: 'xen', hw_cpu_cores: 2 }) }),
    (one) => ({ image: one.image && { ...one.image, properties: { ...one.image.properties, img_hv_type: 'kvm' } } }),
  ],
  ['the zone', spec({ availability_zone: 'z1' }), () => ({ availabilityZone: 'z2' })],
  ['no zone', spec({ availability_zone: 'z1' }), () => ({ availabilityZone: null })],
  ['the zone of dictionaries', dictionaries({}, {}, { availability_zone: 'z1' }), () => ({ availabilityZone: null })],
  ['the hosts', spec({ force_hosts: ['a', 'b'], ignore_hosts: ['c'] }), () => ({ forceHosts: ['a'], ignoreHosts: [] })],
  ['the hosts of dictionaries', dictionaries({ force_hosts: ['a'], force_nodes: ['n'] }), () => ({ forceHosts: [], forceNodes: [] })],
  ['a hint', spec({ scheduler_hints: { different_host: [aUuid(5)], query: ['q'] } }), () => ({ schedulerHints: { query: ['q'] } })],
  ['a hint of dictionaries', dictionaries({ scheduler_hints: hints }), () => ({ schedulerHints: { query: [hints.query] } })],
  [
    'a softer policy',
    spec(group({ policy: 'anti-affinity', _rules: { max_server_per_host: '2' } })),
    withGroup({ policy: 'SOFT_ANTI_AFFINITY', maxServerPerHost: null }),
  ],
  ['a softer policy in the older list', spec(group({ policies: ['affinity'] })), withGroup({ policy: 'SOFT_AFFINITY' })],
  ['more members on one host', spec(group({ policy: 'anti-affinity' })), withGroup({ maxServerPerHost: 3 })],
  ['no server group', spec(group({ policy: 'affinity' })), () => ({ instanceGroup: null, topologySpread: [] })],
  ['another server group', spec(group({ policy: 'affinity' })), withGroup({ uuid: aUuid(8), policy: 'ANTI_AFFINITY' })],
  [
    'a softer policy of dictionaries',
    dictionaries({ group_updated: true, group_uuid: aUuid(7), group_policies: ['affinity'], group_hosts: ['a'] }),
    withGroup({ policy: 'SOFT_AFFINITY' }),
  ],
  [
    'no server group in dictionaries',
    dictionaries({ group_updated: true, group_uuid: aUuid(7), group_policies: ['affinity'], group_hosts: ['a'] }),
    () => ({ instanceGroup: null }),
  ],
  ['no topology', spec({ numa_topology: topology(cell(0), cell(1)) }), () => ({ numaTopology: null })],
  [
    'smaller cells',
    spec({ numa_topology: topology(cell(0), cell(1)) }),
    (one) => ({ ...withGuest({ memoryMb: 256 })(one), ...withFlavor({ memoryMb: 512 })(one) }),
  ],
  [
    'a page size',
    spec({ numa_topology: topology(cell(0, { pagesize: 2_048, memory: 1_024, cpuset: [0, 1, 2, 3] })) }),
    withGuest({ pageSize: null }),
  ],
  [
    'dedicated CPUs that become shared',
    spec({
      numa_topology: topology(
        cell(0, { cpu_policy: 'dedicated', cpuset: [], pcpuset: [0, 1, 2, 3], cpu_thread_policy: 'require', memory: 1_024 }),
      ),
    }),
    withGuest({ cpuPolicy: 'shared', cpuThreadPolicy: null }),
  ],
  [
    'the thread policy of an older cell',
    dictionaries(
      {},
      {},
      {
        numa_topology: { cells: [{ id: 0, cpuset: [0, 1, 2, 3], memory: 1_024, cpu_policy: 'dedicated', cpu_thread_policy: 'require' }] },
      },
    ),
    withGuest({ cpuThreadPolicy: null }),
  ],
  [
    'fewer devices',
    spec({ pci_requests: devices }),
    withDevices(([first, ...others]) => [...(first ? [{ ...first, count: 1 }] : []), ...others]),
  ],
  [
    'devices of one request',
    spec({ pci_requests: wire('InstancePCIRequests', '1.1', { requests: devices }) }),
    withDevices(([, second]) => (second ? [second] : [])),
  ],
  [
    'devices that need not be near',
    spec({ pci_requests: [{ count: 1, spec: [{ vendor_id: 'a' }], numa_policy: 'required' }] }),
    withDevices((all) => all.map((one) => ({ ...one, numaPolicy: 'preferred' as const }))),
  ],
  [
    'an amount of a resource group',
    spec({ requested_resources: groups }),
    withResources(({ amounts }) => ({ amounts: amounts.map((one) => ({ ...one, amount: 1 })) })),
  ],
  [
    'a trait of a resource group',
    spec({ requested_resources: wire('RequestGroupList', '1.0', { objects: groups }) }),
    withResources(() => ({ requiredTraits: [] })),
  ],
  [
    'one of the lists of aggregates of a resource group',
    spec({ requested_resources: groups }),
    withResources(({ memberOf }, i) => ({ memberOf: i === 0 ? [] : memberOf })),
  ],
  [
    'the traits of the root provider',
    spec({ request_level_params: wire('RequestLevelParams', '1.1', { root_required: ['T'], root_forbidden: ['U'] }) }),
    withResources(() => ({ forbiddenTraits: [] })),
  ],
  ['the destination', spec(twoLists), withPlace({ host: null })],
  ['the first list of aggregates of the destination', spec(twoLists), withPlace({ aggregates: [] })],
  ['the second list of aggregates of the destination', spec(twoLists), withResources(() => ({ memberOf: [] }))],
  [
    'forbidden aggregates',
    spec(destination({ forbidden_aggregates: [`${aUuid(1)},${aUuid(2)}`] })),
    withPlace({ forbiddenAggregates: [aUuid(2)] }),
  ],
  [
    'a destination where there was none',
    spec({}),
    () => ({ requestedDestination: { host: 'h', node: 'h', aggregates: [], forbiddenAggregates: [] } }),
  ],
  ['fewer instances', spec({ num_instances: 3 }), () => ({ numInstances: 2 })],
  [
    'fewer instances of dictionaries',
    dictionaries({}, { num_instances: 2, instance_uuids: [aUuid(1), aUuid(2)] }),
    () => ({ numInstances: 1, instanceUuids: [aUuid(1)] }),
  ],
]

describe('a change of a request in Nova’s form is written into its document', () => {
  test.each(rows)('%s', (_what, before, partsOf) => {
    const parts = partsOf(before)
    const changed = restated(before, parts)
    expect(changed).toEqual({ ...before, ...parts, nova: changed.nova })
    expect(changed.nova).not.toEqual(before.nova)
    expect(novaDocuments.agrees(changed, before)).toBe(true)
    // a second change keeps the first
    const twice = restated(changed, { flavor: { ...changed.flavor, swapMb: 1_024 } })
    expect(novaDocuments.agrees(twice, before)).toBe(true)
  })

  test('lists of aggregates are dropped one after the other', () => {
    const before = spec({ ...twoLists, requested_resources: groups })
    const lists = (one: RequestSpec) => [
      one.requestedDestination?.aggregates ?? [],
      ...one.requestedResources.map(({ memberOf }) => memberOf),
    ]
    const without = (one: RequestSpec, dropped: number): RequestSpec =>
      restated(one, {
        ...withResources(({ memberOf }, i) => ({ memberOf: i === dropped ? [] : memberOf }))(one),
        ...(dropped === before.requestedResources.length && withPlace({ aggregates: [] })(one)),
      })
    for (const order of [
      [0, 1, 2, 3],
      [3, 2, 1, 0],
      [1, 3, 0, 2],
    ]) {
      const changed = order.reduce((one, dropped) => {
        const fewer = without(one, dropped)
        expect([order, dropped, novaDocuments.agrees(fewer, before)]).toEqual([order, dropped, true])
        return fewer
      }, before)
      expect(lists(changed).every(({ length }) => length === 0)).toBe(true)
    }
  })

  test('the other parts of the document stay, including those that no field has', () => {
    const before = spec({ ...twoLists, pci_requests: devices, image: image({ traits_required: ['A'] }), retry: null, id: 5 })
    const data = (one: RequestSpec) => fieldsOf(one.nova?.document)
    const changed = restated(before, withFlavor({ memoryMb: 512 })(before))
    const { flavor: own, ...others } = data(changed)
    const { flavor: given, ...same } = data(before)
    expect(others).toEqual(same)
    expect(own).toEqual(wire('Flavor', '1.2', { ...size, memory_mb: 512, extra_specs: {} }))
    expect(given).toEqual(flavor())
  })

  test('hosts that a move excluded are written with the next change', () => {
    const moved = { ...spec({ ignore_hosts: ['a'] }), ignoreHosts: ['a', 'b'] }
    const changed = restated(moved, { availabilityZone: 'z' })
    expect(novaRequestOf({ ...changed, ignoreHosts: ['a', 'b'] }).ignoreHosts).toEqual(['a', 'b'])
    expect(JSON.stringify(changed.nova)).toContain('"ignore_hosts":["a","b"]')
  })
})

describe('conditions that only a document has', () => {
  test('the cell is removed, and the aggregates of the destination stay', () => {
    const free = novaDocuments.withoutCell(spec(twoLists))
    expect([novaDocuments.cellOf(spec(twoLists)), novaDocuments.cellOf(free)]).toEqual([aUuid(6), undefined])
    expect(novaRequestOf(free).requestedDestination).toMatchObject({ host: 'h', aggregates: [aUuid(1), `${aUuid(2)},${aUuid(3)}`] })
  })

  test.each<[string, RequestSpec]>([
    ['a RequestSpec', spec({ image: image({ traits_required: ['A', 'B'] }) })],
    ['dictionaries', dictionaries({}, { image: { id: 'i', properties: { 'trait:A': 'required', 'trait:B': 'required' } } })],
  ])('a trait of the image is renamed and removed: %s', (_what, before) => {
    const traitsOf = (one: RequestSpec) => novaRequestOf(one).image?.properties.traits_required
    const renamed = novaDocuments.withImageTrait(before, 'A', 'C')
    const removed = novaDocuments.withImageTrait(renamed, 'B', null)
    expect([traitsOf(renamed), traitsOf(removed)]).toEqual([['C', 'B'], ['C']])
    for (const one of [renamed, removed, novaDocuments.withImageTrait(removed, 'C', null)])
      expect(novaDocuments.agrees(one, before)).toBe(true)
  })
})

describe('a change that Nova’s form cannot express', () => {
  const port = { requested_networks: [wire('NetworkRequest', '1.3', { port_id: aUuid(2) })] }
  test('the request leaves Nova’s form with all its conditions', () => {
    const before = spec({
      ...port,
      image: wire('ImageMeta', '1.8', { disk_format: 'raw', properties: wire('ImageMetaProps', '1.34', { traits_required: ['A'] }) }),
    })
    expect(restated(before, { nearVolumesAndPorts: false })).toMatchObject({
      ...{ nova: null, nearVolumesAndPorts: false, ports: [aUuid(2)] },
      image: { properties: { 'trait:A': 'required', disk_format: 'raw' } },
    })
  })

  test('the changed request does not agree with its document, if the document has a condition that no field has', () => {
    const before = spec({ ...port, ...twoLists })
    const changed = restated(before, { nearVolumesAndPorts: false })
    expect([changed.nova !== null, novaDocuments.agrees(changed, before)]).toEqual([true, false])
    const grouped = dictionaries({ group_updated: true, group_uuid: aUuid(7), group_policies: ['anti-affinity'], group_hosts: [] })
    const more = restated(grouped, withGroup({ maxServerPerHost: 2 })(grouped))
    expect(novaDocuments.agrees(more, grouped)).toBe(false)
  })
})
