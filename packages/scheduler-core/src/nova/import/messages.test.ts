import { describe, expect, test } from 'vitest'
import { parseHostStats } from '../../report/stats.ts'
import { parseRequestSpec } from '../../request/parse.ts'
import { aUuid } from '../../testing/index.ts'
import type { Problem } from '../../text/problem.ts'
import { importNovaHost } from './host.ts'
import { reportPath } from './report-paths.ts'
import { importLegacyRequest, importNovaRequest } from './request.ts'

const object = (name: string, version: string, data: object) => ({
  'nova_object.name': name,
  'nova_object.namespace': 'nova',
  'nova_object.version': version,
  'nova_object.data': data,
})
const sizes = { name: 'm', vcpus: 1, memory_mb: 64, root_gb: 1, ephemeral_gb: 0, swap: 0 }
const nova = object('RequestSpec', '1.14', {
  flavor: object('Flavor', '1.2', { ...sizes, extra_specs: { 'resources:VGPU': '1', 'trait:CUSTOM_X': 'required', x: 'y' } }),
  image: object('ImageMeta', '1.8', {
    id: aUuid(1),
    min_ram: 1,
    properties: object('ImageMetaProps', '1.12', { hw_architecture: 'x86_64', img_hv_type: 'kvm' }),
  }),
  numa_topology: object('InstanceNUMATopology', '1.3', {
    cells: [object('InstanceNUMACell', '1.6', { id: 0, cpuset: [0], pcpuset: [], memory: 64, pagesize: 4, cpu_policy: null })],
    emulator_threads_policy: null,
  }),
  pci_requests: object('InstancePCIRequests', '1.1', {
    requests: [object('InstancePCIRequest', '1.3', { count: 1, spec: [{ vendor_id: '8086' }], alias_name: 'a', numa_policy: 'legacy' })],
  }),
  ...{ project_id: 'p', user_id: 'u', availability_zone: 'z', num_instances: 1, instance_uuid: aUuid(2), is_bfv: false },
  ...{ ignore_hosts: ['h'], force_hosts: ['h'], force_nodes: ['h'], scheduler_hints: { group: ['g'] } },
  requested_destination: object('Destination', '1.4', { host: 'h', node: 'h', aggregates: [aUuid(3)], forbidden_aggregates: [aUuid(4)] }),
  retry: object('SchedulerRetries', '1.1', { num_attempts: 1, hosts: object('ComputeNodeList', '1.19', { objects: [] }) }),
  instance_group: object('InstanceGroup', '1.11', {
    ...{ uuid: aUuid(5), policy: 'anti-affinity', hosts: ['h'], members: [aUuid(6)], _rules: { max_server_per_host: '2' } },
  }),
  limits: object('SchedulerLimits', '1.0', { vcpu: 1, memory_mb: 1, disk_gb: 1 }),
  requested_resources: [
    object('RequestGroup', '1.3', { use_same_provider: false, resources: { VCPU: 1 }, required_traits: ['X'], aggregates: [[aUuid(7)]] }),
  ],
})
const legacy = {
  request_spec: {
    ...{ num_instances: 1, instance_uuids: [aUuid(1)], instance_type: { ...sizes, extra_specs: {} } },
    image: { id: aUuid(1), min_ram: 1, properties: { architecture: 'x86_64' } },
    instance_properties: { uuid: aUuid(1), project_id: 'p', availability_zone: 'z' },
  },
  filter_properties: {
    ...{ ignore_hosts: ['h'], force_hosts: ['h'], scheduler_hints: { a: 'b' }, retry: { num_attempts: 1, hosts: [['h', 'h']] } },
    ...{ group_updated: true, group_uuid: aUuid(5), group_policies: ['anti-affinity'], group_hosts: ['h'], limits: { vcpu: 1 } },
  },
}
const typed = {
  flavor: { vcpus: 1, memoryMb: 64, extraSpecs: { 'resources:VGPU': '1' } },
  image: { minRamMb: 1, properties: { a: 'b' } },
  instanceGroup: { uuid: aUuid(5), policy: 'ANTI_AFFINITY', maxServerPerHost: 2, hosts: ['h'] },
  numaTopology: { cells: [{ id: 0, cpus: [0], memoryMb: 64 }] },
  requestedResources: [{ amounts: [{ resourceClass: 'VGPU', amount: 1 }], requiredTraits: ['CUSTOM_X'] }],
  requestedDestination: { host: 'h', aggregates: [aUuid(3)] },
  topologySpread: [{ topologyKey: 'host', maxSkew: 1 }],
  ...{ availabilityZone: 'z', forceHosts: ['h'], schedulerHints: { a: ['b'] }, gpus: { count: 1, shareMilli: 1_000 } },
}
const row = { host: 'h1', hypervisor_hostname: 'h1', vcpus: 8, vcpus_used: 0, memory_mb: 4_096, memory_mb_used: 0, local_gb: 100 }
const report = {
  compute_node: object('ComputeNode', '1.19', {
    ...{ ...row, local_gb_used: 0, free_disk_gb: 90, disk_available_least: 90, cpu_allocation_ratio: 2, ram_allocation_ratio: 1 },
    ...{ stats: { num_instances: '1', io_workload: '1' }, hypervisor_type: 'QEMU', hypervisor_version: 1, host_ip: '10.0.0.1' },
    supported_hv_specs: [object('HVSpec', '1.2', { arch: 'x86_64', hv_type: 'kvm', vm_mode: 'hvm' })],
  }),
  ...{ traits: ['CUSTOM_X'], instances: [aUuid(1)], cell_uuid: aUuid(2) },
  inventories: { VCPU: { total: 8, reserved: 1, min_unit: 1, max_unit: 8, step_size: 1, allocation_ratio: 1 } },
}
const stats = {
  ...{ vcpus: 8, vcpusUsed: 0, memoryMb: 64, memoryMbUsed: 0, localGb: 1, localGbUsed: 0, traits: ['CUSTOM_X'] },
  inventories: [{ resourceClass: 'VGPU', total: 1, minUnit: 1 }],
  numaCells: [{ id: 0, cpuset: [0], memoryMb: 64 }],
}

type Imports = (given: unknown) => { readonly ok: boolean; readonly document?: unknown; readonly problems?: readonly Problem[] }
type Parses = (document: unknown) => { readonly ok: boolean; readonly problems?: readonly Problem[] }
const asItIs: Imports = (document) => ({ ok: true, document })
const forms: readonly (readonly [string, unknown, Imports, Parses])[] = [
  ['a request in this service’s form', typed, asItIs, parseRequestSpec],
  ["a request in Nova's object", nova, importNovaRequest, parseRequestSpec],
  ["a request in Nova's dictionaries", legacy, (given) => importLegacyRequest(given as never), parseRequestSpec],
  ['a report in this service’s form', stats, asItIs, parseHostStats],
  ["a report in Nova's form", report, (given) => importNovaHost(given), parseHostStats],
]
const odd: readonly unknown[] = [
  undefined,
  null,
  'x',
  '',
  '-1',
  'NaN',
  -1,
  0,
  1.5,
  1e300,
  true,
  [],
  [{}],
  [null],
  [['x']],
  {},
  { x: {} },
  { 'nova_object.data': {} },
]

/** Yields copies of a document. In each copy, one value is replaced by `other`. */
function* malformed(value: unknown, other: unknown): Generator<unknown> {
  yield other
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries())
      for (const changed of malformed(item, other)) yield value.map((one: unknown, j) => (i === j ? changed : one))
  } else if (typeof value === 'object' && value !== null)
    for (const [key, item] of Object.entries(value)) for (const changed of malformed(item, other)) yield { ...value, [key]: changed }
}

/** The value after it was sent as JSON, so fields that are undefined are missing. */
const asJson = (value: unknown): unknown => (value === undefined ? null : JSON.parse(JSON.stringify(value)))

/** Texts such as `undefined` that JavaScript prints for values which are not in any document. */
const UNWRITTEN = /\bNaN\b|\bundefined\b|\[object \w+\]|\bInfinity\b/

describe('messages about wrong documents never show a value that is not in the document', () => {
  test.each(forms)('%s', (_form, document, read, parse) => {
    const wrong = new Set<string>()
    let refused = 0
    for (const other of odd)
      for (const changed of malformed(document, other)) {
        const imported = read(asJson(changed))
        const answer = imported.ok ? parse(imported.document) : imported
        for (const { message, expected, actual, path } of answer.problems ?? []) {
          refused++
          const text = [message, expected, actual, path.join('.')].join(' | ')
          if (UNWRITTEN.test(text) && !text.includes('"NaN"')) wrong.add(text)
        }
      }
    expect([...wrong]).toEqual([])
    expect(refused).toBeGreaterThan(100)
  })

  test('a wrong rule of a server group is reported with the value and the path in the caller’s document', () => {
    const data = nova['nova_object.data'] as { readonly instance_group: { readonly 'nova_object.data': object } }
    const group = object('InstanceGroup', '1.11', { ...data.instance_group['nova_object.data'], _rules: { max_server_per_host: 'x' } })
    const imported = importNovaRequest(object('RequestSpec', '1.14', { ...data, instance_group: group }))
    expect(imported.ok ? [] : imported.problems).toMatchObject([
      { path: ['instance_group', '_rules', 'max_server_per_host'], actual: '"x"', expected: 'a whole number of 1 or more' },
    ])
  })
})

describe('a path in a report is translated to the path in Nova’s document', () => {
  const body = {
    ...report,
    traits: { traits: ['A', 'A', 'B'] },
    inventories: { inventories: report.inventories, resource_provider_generation: 1 },
  }
  const cells = object('ComputeNode', '1.19', {
    numa_topology: JSON.stringify(
      object('NUMATopology', '1.2', { cells: [object('NUMACell', '1.5', { id: 0, cpuset: [9, 5, 1], pcpuset: [7, 7, 8] })] }),
    ),
  })
  test.each<[string, unknown, string, string]>([
    ['an inventory', report, 'inventories.0.minUnit', 'inventories.VCPU.min_unit'],
    ['a class', report, 'inventories.0.resourceClass', 'inventories.VCPU'],
    ['an inventory in the body of Placement', body, 'inventories.0.total', 'inventories.inventories.VCPU.total'],
    ['a trait that follows a duplicate', body, 'traits.1', 'traits.traits.2'],
    ['a size of the node, next to other data', report, 'memoryMbUsed', 'compute_node.memory_mb_used'],
    ['a size of the node, in a document of its own', report.compute_node, 'memoryMbUsed', 'memory_mb_used'],
    ['a count', report, 'runningVms', 'compute_node.stats.num_instances'],
    ['a cell', report, 'numaCells.0.memoryMb', 'compute_node.numa_topology.cells.0.memory'],
    ['an instance', report, 'instances.0', 'instances.0'],
    ['a trait that does not exist', body, 'traits.2', 'traits.traits.-1'],
    ['a CPU of a set that the report sorts', cells, 'numaCells.0.cpuset.0', 'numa_topology.cells.0.cpuset.2'],
    ['a CPU of a set without its duplicates', cells, 'numaCells.0.dedicatedCpuset.1', 'numa_topology.cells.0.pcpuset.2'],
  ])('%s', (_what, given, path, expected) => {
    expect(reportPath(given, path.split('.')).join('.')).toBe(expected)
  })
})

describe('a document is read once, however many paths are translated', () => {
  /** A ComputeNode whose topology has 1,000 CPUs in descending order, and a function that returns how many times the topology was read. */
  function countedNode() {
    let reads = 0
    const cpuset = Array.from({ length: 1_000 }, (_, i) => 5_999 - i)
    const text = JSON.stringify(object('NUMATopology', '1.2', { cells: [object('NUMACell', '1.5', { id: 0, cpuset, memory: 1_024 })] }))
    const data = Object.defineProperty({ ...row, local_gb_used: 0, free_disk_gb: 90 }, 'numa_topology', {
      enumerable: true,
      get() {
        reads++
        return text
      },
    })
    return { node: object('ComputeNode', '1.19', data), reads: () => reads }
  }

  test('the paths of 1,000 CPUs', () => {
    const { node, reads } = countedNode()
    for (let i = 0; i < 1_000; i++)
      expect(reportPath(node, ['numaCells', '0', 'cpuset', String(i)]).join('.')).toBe(`numa_topology.cells.0.cpuset.${999 - i}`)
    expect(reads()).toBe(1)
  })

  test('the paths of 100 unknown keys whose names are paths in the topology', () => {
    const readsWith = (count: number): number => {
      const { node, reads } = countedNode()
      const keys = Array.from({ length: count }, (_, i) => [`computeNode.numa_topology.${i}`, 0] as const)
      const imported = importNovaHost({ compute_node: node, ...Object.fromEntries(keys) })
      expect(imported.ok ? 0 : imported.problems.length).toBe(count)
      return reads()
    }
    expect(readsWith(100)).toBe(readsWith(1))
  })
})
