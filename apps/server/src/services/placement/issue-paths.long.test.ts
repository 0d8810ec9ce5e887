import { randomUUID } from 'node:crypto'
import { Fleet } from '@gantt/scheduler-core'
import { describe, expect, test } from 'vitest'
import type { Issue } from '../calls/outcome.ts'
import { readAggregate, readLegacySpec, readNovaSpec } from '../stats/nova-import.ts'
import { readReport } from '../stats/read-report.ts'
import { parseSpec } from './placement.ts'
import type { SpecDocument } from './placement-input.ts'

/* these tests check that the path and the message of an issue name the same field, which the caller wrote or omitted */

const uuid = randomUUID()
const object = (name: string, version: string, data: object) => ({
  'nova_object.name': name,
  'nova_object.namespace': 'nova',
  'nova_object.version': version,
  'nova_object.data': data,
})
const sizes = { name: 'm', vcpus: 1, memory_mb: 64, root_gb: 1, ephemeral_gb: 0, swap: 0 }
const nova = object('RequestSpec', '1.14', {
  flavor: object('Flavor', '1.2', { ...sizes, extra_specs: { x: 'y' } }),
  image: object('ImageMeta', '1.8', { id: uuid, min_ram: 1, properties: object('ImageMetaProps', '1.12', { img_hv_type: 'kvm' }) }),
  numa_topology: object('InstanceNUMATopology', '1.3', {
    cells: [object('InstanceNUMACell', '1.6', { id: 0, cpuset: [0], pcpuset: [], memory: 64, pagesize: 4, cpu_policy: null })],
  }),
  pci_requests: object('InstancePCIRequests', '1.1', {
    requests: [object('InstancePCIRequest', '1.3', { count: 1, spec: [{ vendor_id: '8086' }], alias_name: 'a', numa_policy: 'legacy' })],
  }),
  ...{ project_id: 'p', availability_zone: 'z', num_instances: 1, is_bfv: false, ignore_hosts: ['h'], force_hosts: ['h'] },
  requested_destination: object('Destination', '1.4', { host: 'h', node: 'h', aggregates: [randomUUID()] }),
  instance_group: object('InstanceGroup', '1.11', { uuid: randomUUID(), policy: 'anti-affinity', hosts: ['h'], members: [randomUUID()] }),
  requested_resources: [
    object('RequestGroup', '1.3', {
      use_same_provider: false,
      resources: { VCPU: 1 },
      required_traits: ['X'],
      aggregates: [[randomUUID()]],
    }),
  ],
})
const legacy = {
  request_spec: {
    ...{ num_instances: 1, instance_type: { ...sizes, extra_specs: {} }, image: { id: uuid, min_ram: 1, properties: { a: 'b' } } },
    instance_properties: { uuid, project_id: 'p', availability_zone: 'z' },
  },
  filter_properties: { ignore_hosts: ['h'], force_hosts: ['h'], scheduler_hints: { a: 'b' } },
}
const typed = {
  flavor: { vcpus: 1, memoryMb: 64, extraSpecs: { 'resources:VGPU': '1' } },
  image: { minRamMb: 1, properties: { a: 'b' } },
  instanceGroup: { uuid, policy: 'ANTI_AFFINITY', maxServerPerHost: 2, hosts: ['h'] },
  numaTopology: { cells: [{ id: 0, cpus: [0], memoryMb: 64 }] },
  requestedDestination: { host: 'h', aggregates: [uuid] },
  ...{ availabilityZone: 'z', forceHosts: ['h'], schedulerHints: { a: ['b'] }, gpus: { count: 1, shareMilli: 1_000 } },
}
const node = object('ComputeNode', '1.19', {
  ...{ host: 'h1', hypervisor_hostname: 'h1', vcpus: 8, vcpus_used: 0, memory_mb: 4_096, memory_mb_used: 0, local_gb: 100 },
  ...{ local_gb_used: 0, free_disk_gb: 90, disk_available_least: 90, cpu_allocation_ratio: 2, ram_allocation_ratio: 1 },
  ...{ disk_allocation_ratio: 1, free_ram_mb: 4_096, host_ip: '10.0.0.1', stats: { num_instances: '1' } },
})
const cells = object('NUMATopology', '1.2', {
  cells: [0, 1].map((id) =>
    object('NUMACell', '1.5', {
      ...{ id, cpuset: [2 * id, 2 * id + 1], pcpuset: [], memory: 2_048, cpu_usage: 0, memory_usage: 0, pinned_cpus: [], siblings: [] },
      mempages: [object('NUMAPagesTopology', '1.1', { size_kb: 4, total: 524_288, used: 0, reserved: 0 })],
      network_metadata: object('NetworkMetadata', '1.0', { physnets: ['p'], tunneled: true }),
    }),
  ),
})
const pool = { vendor_id: '8086', product_id: '10ed', numa_node: 0, count: 1 }
const pools = object('PciDevicePoolList', '1.1', {
  objects: [
    // the reader sorts pools by their count of keys, fewest first, and this order is different; paths must have the caller's positions
    object('PciDevicePool', '1.1', { ...pool, tags: { dev_type: 'type-VF', physical_network: 'p' } }),
    object('PciDevicePool', '1.1', { ...pool, product_id: '10ee', tags: {} }),
  ],
})
const large = object('ComputeNode', '1.19', {
  ...{ ...node['nova_object.data'], numa_topology: JSON.stringify(cells), pci_device_pools: pools },
  supported_hv_specs: [object('HVSpec', '1.2', { arch: 'x86_64', hv_type: 'kvm', vm_mode: 'hvm' })],
  metrics: JSON.stringify([{ name: 'cpu.percent', value: 0.5, timestamp: '2026-01-15T12:00:00Z', source: 'libvirt' }]),
  cpu_info: JSON.stringify({
    arch: 'x86_64',
    vendor: 'Intel',
    model: 'x',
    features: ['aes'],
    topology: { sockets: 1, cores: 4, threads: 2 },
  }),
})
const withMore = {
  ...{ compute_node: node, traits: { traits: ['CUSTOM_X', 'CUSTOM_X', 'CUSTOM_Y'] }, cell_uuid: uuid },
  instances: [{ uuid, flavorid: 'm', image_properties: { a: 'b' } }],
  inventories: { inventories: { VCPU: { total: 8, reserved: 1, min_unit: 1, max_unit: 8, step_size: 1, allocation_ratio: 1 } } },
}
/** A row of the table compute_nodes, whose columns contain JSON text. */
const row = {
  ...{ ...node['nova_object.data'], stats: JSON.stringify({ num_instances: '1' }), numa_topology: JSON.stringify(cells) },
  pci_stats: JSON.stringify([{ ...pool, label: 'a' }, pool]),
  supported_instances: JSON.stringify([['x86_64', 'kvm', 'hvm']]),
}
const storage = { pools: [{ uuid, name: 'p', distance: 1, totalGib: 10, usedGib: 1 }], volumes: [{ uuid: randomUUID(), pool: uuid }] }
const wrapped = { compute_node: node, traits: ['CUSTOM_X'], instances: [uuid], cell_uuid: uuid, inventories: { VCPU: { total: 8 } } }
const stats = {
  ...{ vcpus: 8, vcpusUsed: 0, memoryMb: 64, memoryMbUsed: 0, localGb: 1, localGbUsed: 0, traits: ['CUSTOM_X'] },
  inventories: [{ resourceClass: 'VGPU', total: 1 }],
  numaCells: [{ id: 0, cpuset: [0], memoryMb: 64 }],
}

const ofSpec = (spec: SpecDocument): readonly Issue[] => {
  const parsed = parseSpec(spec)
  return 'value' in parsed ? [] : parsed.issues
}
const at = ['input', 'spec']
const ofReport = (form: 'full' | 'delta' | 'nova' | 'namespace') => (document: unknown) => {
  const read = readReport(
    { name: { host: 'h1', node: 'h1' }, incarnation: uuid, sequence: 1, [form]: document } as never,
    ['input', 'updates', '0'],
    new Fleet(),
  )
  return 'issues' in read ? read.issues : []
}
const aggregate = object('Aggregate', '1.3', {
  ...{ id: 1, uuid, name: 'a', hosts: ['h1'] },
  metadata: { 'a.b': 'c', 'nova_object.data': 'd', availability_zone: 'z' },
})
const ofAggregate = (document: unknown): readonly Issue[] => {
  const read = readAggregate(document, ['document'])
  return 'message' in read ? [read] : []
}
type Form = readonly [name: string, document: unknown, root: readonly string[], read: (document: unknown) => readonly Issue[]]
const reported = (form: string) => ['input', 'updates', '0', 'report', form]
const forms: readonly Form[] = [
  ['a typed request', typed, [...at, 'gantt'], (document) => ofSpec({ document, issues: [], path: [...at, 'gantt'] })],
  ["a request in Nova's object", nova, [...at, 'nova'], (document) => ofSpec(readNovaSpec(document, [...at, 'nova']))],
  [
    "a request in Nova's object with its instances in a separate field",
    { spec: nova, instance_uuids: [uuid] },
    [...at, 'nova'],
    (document) => ofSpec(readNovaSpec(document, [...at, 'nova'])),
  ],
  ["a request in Nova's dictionaries", legacy, [...at, 'legacy'], (document) => ofSpec(readLegacySpec(document, [...at, 'legacy']))],
  ['a typed report', stats, reported('full'), ofReport('full')],
  [
    'the changes of a typed report',
    { baseSequence: 1, vcpusUsed: 1, memoryMbUsed: 1, runningVms: 1 },
    reported('delta'),
    ofReport('delta'),
  ],
  ['a ComputeNode', node, reported('nova'), ofReport('nova')],
  ['a ComputeNode with further fields', wrapped, reported('nova'), ofReport('nova')],
  ['a ComputeNode with cells and devices', large, reported('nova'), ofReport('nova')],
  ['a ComputeNode with the data of Placement', withMore, reported('nova'), ofReport('nova')],
  ['a row of compute_nodes', row, reported('nova'), ofReport('nova')],
  ["an aggregate of Nova's", aggregate, ['document'], ofAggregate],
  ["the fields of an aggregate of Nova's", aggregate['nova_object.data'], ['document'], ofAggregate],
  [
    'a document of storage',
    storage,
    [...reported('namespace'), 'document'],
    (document) => ofReport('namespace')({ namespace: 'storage', version: '1.0', document }),
  ],
]

const odd: readonly unknown[] = [null, 'x', '', -1, 1.5, true, [], [null], [['x']], {}, { x: {} }]

/** Variants of a document. In each variant, one value is replaced by `other` or removed. */
function* malformed(value: unknown, other: unknown): Generator<unknown> {
  yield other
  const text = inText(value)
  if (text !== undefined) for (const changed of malformed(text, other)) yield JSON.stringify(changed)
  else if (Array.isArray(value)) {
    for (const [i, item] of value.entries())
      for (const changed of malformed(item, other)) yield value.map((one: unknown, j) => (i === j ? changed : one))
  } else if (typeof value === 'object' && value !== null)
    for (const [key, item] of Object.entries(value)) {
      const { [key]: _left, ...others } = value as Record<string, unknown>
      yield others
      for (const changed of malformed(item, other)) yield { ...value, [key]: changed }
    }
}

/** Parses a list or object that is written as JSON text. */
function inText(value: unknown): unknown {
  if (typeof value !== 'string' || !/^[[{]/.test(value)) return undefined
  try {
    return JSON.parse(value)
  } catch {
    return undefined
  }
}

/** The content of a value without Nova's envelopes and JSON texts, because the paths of issues skip both. */
const inside = (value: unknown): unknown => {
  const given = inText(value) ?? value
  const data = (given as Readonly<Record<string, unknown>> | null)?.['nova_object.data']
  const objects = (data as Readonly<Record<string, unknown>> | null | undefined)?.objects
  return Array.isArray(objects) ? objects : (data ?? given)
}

/**
 * True if the path leads to a value in the caller's document. If the message states that a field is missing, the path must lead to the
 * object that lacks the field.
 */
function isWritten(document: unknown, path: readonly string[], message: string): boolean {
  let value = document
  for (const [i, key] of path.entries()) {
    const isMissing = i === path.length - 1 && / is (missing|nothing|""); /.test(message)
    const own = (typeof value === 'string' ? inside(value) : value) as Readonly<Record<string, unknown>> | null | undefined
    if (typeof own !== 'object' || own === null) return false
    const next = Object.hasOwn(own, key) ? own : (inside(own) as typeof own)
    if (typeof next !== 'object' || next === null) return isMissing
    if (!Object.hasOwn(next, key)) return isMissing
    value = next[key]
  }
  return true
}

/** Matches field names of Gantt's own form, which must not occur in an issue about a document in Nova's form. */
const foreignName = /\b[a-z]+[A-Z]\w*/

describe.each(forms)('%s', (_form, document, root, read) => {
  test('the path and the message of each issue name the same field of the input', () => {
    expect(read(document)).toEqual([])
    const [apart, nowhere, foreign] = [new Set<string>(), new Set<string>(), new Set<string>()]
    const isNovas = root.includes('nova') || root.includes('legacy')
    let found = 0
    for (const other of odd)
      for (const changed of malformed(document, other))
        for (const { path, message } of read(changed)) {
          found++
          const place = path.join('.')
          if (!message.replace(/^the key /, '').startsWith(place)) apart.add(`${place} | ${message}`)
          if (isNovas && foreignName.test(message)) foreign.add(`${place} | ${message}`)
          const isBelow = root.every((key, i) => path[i] === key)
          if (!isBelow || !isWritten(changed, path.slice(root.length), message)) nowhere.add(`${place} | ${message}`)
        }
    expect([...apart].slice(0, 20)).toEqual([])
    expect([...nowhere].slice(0, 20)).toEqual([])
    expect([...foreign].slice(0, 20)).toEqual([])
    expect(found).toBeGreaterThan(20)
  })
})
