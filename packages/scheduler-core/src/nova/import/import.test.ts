import { describe, expect, test } from 'vitest'
import { parseHostStats } from '../../report/stats.ts'
import { parseRequestSpec } from '../../request/parse.ts'
import { aUuid } from '../../testing/index.ts'
import { novaRequestOf } from '../requests/own-request.ts'
import { wireObject } from '../testing/builders.ts'
import { readNovaAggregate } from './aggregate.ts'
import { importNovaHost, sameCpus } from './host.ts'
import type { Imported } from './import.ts'
import { importLegacyRequest, importNovaRequest } from './request.ts'

const flavor = wireObject('Flavor', '1.2', {
  name: 'm1',
  vcpus: 4,
  memory_mb: 2_048,
  root_gb: 10,
  ephemeral_gb: 5,
  swap: 256,
  extra_specs: {},
})
const spec = (data: object) => wireObject('RequestSpec', '1.14', { flavor, num_instances: 1, ...data })

function requestOf(imported: Imported) {
  if (!imported.ok) throw new Error(imported.problems.map(({ message }) => message).join('; '))
  const parsed = parseRequestSpec(imported.document)
  if (!parsed.ok) throw new Error(parsed.problems.map(({ message }) => message).join('; '))
  return parsed.value
}

const problemOf = (imported: Imported) => (imported.ok ? undefined : imported.problems[0])

describe('a RequestSpec in this service’s form', () => {
  test('an imported RequestSpec has the flavor and the image, and a list of fields that are not converted', () => {
    const image = wireObject('ImageMeta', '1.8', {
      id: 'i1',
      min_ram: 512,
      min_disk: 1,
      properties: wireObject('ImageMetaProps', '1.34', { hw_architecture: 'x86_64', hw_qemu_guest_agent: true, hw_cpu_cores: 4 }),
    })
    expect(requestOf(importNovaRequest(spec({ image, is_bfv: true, project_id: 'p', availability_zone: '' })))).toMatchObject({
      flavor: { name: 'm1', vcpus: 4, memoryMb: 2_048, rootGb: 10, ephemeralGb: 5, swapMb: 256 },
      image: {
        id: 'i1',
        minRamMb: 512,
        minDiskGb: 1,
        properties: { hw_architecture: 'x86_64', hw_qemu_guest_agent: 'True', hw_cpu_cores: '4' },
      },
      isBfv: true,
      projectId: 'p',
      availabilityZone: null,
    })
  })

  test.each<[string, object, object]>([
    ['policy', { policy: 'anti-affinity', _rules: { max_server_per_host: '2' } }, { policy: 'ANTI_AFFINITY', maxServerPerHost: 2 }],
    ['the older list with one policy', { policies: ['soft-affinity'] }, { policy: 'SOFT_AFFINITY', maxServerPerHost: null }],
    ['hosts', { policy: 'affinity', hosts: ['h1'] }, { hosts: ['h1'] }],
  ])('a server group: %s', (_what, group, typed) => {
    const instance_group = wireObject('InstanceGroup', '1.11', { uuid: aUuid(7), ...group })
    expect(requestOf(importNovaRequest(spec({ instance_group }))).instanceGroup).toMatchObject({ uuid: aUuid(7), ...typed })
  })

  const cell = (data: object) =>
    wireObject('InstanceNUMACell', '1.5', { id: 0, cpuset: [0, 1], pcpuset: [], memory: 1_024, pagesize: null, ...data })
  test.each<[string, object, object]>([
    ['shared', {}, { cpus: [0, 1], cpuPolicy: 'shared', dedicatedCpus: [], pageSize: null }],
    ['a dedicated guest without pcpuset', { cpu_policy: 'dedicated', pcpuset: undefined }, { cpus: [0, 1], cpuPolicy: 'dedicated' }],
    [
      'mixed',
      { cpu_policy: 'mixed', cpuset: [0], pcpuset: [1], cpu_thread_policy: 'isolate' },
      { cpus: [0, 1], dedicatedCpus: [1], cpuThreadPolicy: 'isolate' },
    ],
    ['large pages', { pagesize: -2 }, { pageSize: 'large' }],
    ['pages of a stated size', { pagesize: 2_048 }, { pageSize: 2_048 }],
  ])('guest cells: %s', (_what, data, typed) => {
    const numa_topology = wireObject('InstanceNUMATopology', '1.3', { cells: [cell(data)], emulator_threads_policy: 'isolate' })
    const { numaTopology } = requestOf(importNovaRequest(spec({ numa_topology })))
    expect(numaTopology).toMatchObject({ emulatorThreadsPolicy: 'isolate', cells: [{ id: 0, memoryMb: 1_024, ...typed }] })
  })

  test('an imported RequestSpec has the device requests, without requests for zero devices', () => {
    const request = (data: object) =>
      wireObject('InstancePCIRequest', '1.3', { count: 1, spec: [{ vendor_id: '8086', product_id: '10fb' }], ...data })
    const pci_requests = wireObject('InstancePCIRequests', '1.1', {
      requests: [request({ alias_name: 'nic', numa_policy: 'required' }), request({ count: 0 }), request({ numa_policy: null })],
    })
    expect(requestOf(importNovaRequest(spec({ pci_requests }))).pciRequests).toEqual([
      { requestId: null, alias: 'nic', count: 1, specs: [{ vendor_id: '8086', product_id: '10fb' }], numaPolicy: 'required' },
      { requestId: null, alias: null, count: 1, specs: [{ vendor_id: '8086', product_id: '10fb' }], numaPolicy: 'legacy' },
    ])
  })

  test('an imported RequestSpec has every list of aggregates of the destination, and the forbidden aggregates', () => {
    const requested_destination = wireObject('Destination', '1.4', {
      host: 'h1',
      node: 'n1',
      aggregates: [`${aUuid(1)},${aUuid(2)}`, aUuid(3)],
      forbidden_aggregates: [aUuid(4)],
    })
    const { requestedDestination, requestedResources } = requestOf(importNovaRequest(spec({ requested_destination })))
    expect(requestedDestination).toEqual({ host: 'h1', node: 'n1', aggregates: [aUuid(1), aUuid(2)], forbiddenAggregates: [aUuid(4)] })
    expect(requestedResources).toMatchObject([{ amounts: [], memberOf: [aUuid(3)] }])
  })

  test.each<[string, unknown, readonly string[], string]>([
    ['a text', 'spec', [], 'versioned object RequestSpec'],
    ['a version that does not exist yet', { ...spec({}), 'nova_object.version': '2.0' }, ['nova_object.version'], '1.0 to 1.14'],
    [
      'a version that does not exist yet, next to its instances',
      { spec: { ...spec({}), 'nova_object.version': '2.0' } },
      ['spec', 'nova_object.version'],
      '1.0 to 1.14',
    ],
    ['an unknown field next to the spec', { spec: spec({}), colour: 1 }, ['colour'], 'left out'],
    ['uuids that are not a list', { spec: spec({}), instance_uuids: 'all' }, ['instance_uuids'], 'a list of uuids'],
    [
      'a group without a uuid',
      spec({ instance_group: wireObject('InstanceGroup', '1.11', { policy: 'affinity' }) }),
      ['instance_group', 'uuid'],
      'a uuid',
    ],
  ])('%s is a problem with its path', (_what, given, path, allowed) => {
    const problem = problemOf(importNovaRequest(given))
    expect([problem?.path, problem?.expected]).toEqual([path, expect.stringContaining(allowed)])
  })
})

describe('the dictionaries of old releases in this service’s form', () => {
  const request_spec = { instance_type: { vcpus: 1, memory_mb: 512, root_gb: 1, ephemeral_gb: 0 }, num_instances: 2 }

  test.each<[string, unknown, object]>([
    [
      'with uuids',
      { request_spec: { ...request_spec, instance_uuids: [aUuid(1), aUuid(2)] } },
      { instanceUuids: [aUuid(1), aUuid(2)], numInstances: 2 },
    ],
    ['without', { request_spec, filter_properties: null }, { instanceUuids: [], numInstances: 2 }],
    [
      'with hints and hosts',
      { request_spec, filter_properties: { ignore_hosts: ['h1'], scheduler_hints: { group: 'g' } } },
      { ignoreHosts: ['h1'], schedulerHints: { group: ['g'] } },
    ],
  ])('%s', (_what, given, typed) => {
    expect(requestOf(importLegacyRequest(given))).toMatchObject(typed)
  })

  test('a missing flavor is reported with its path', () => {
    expect(problemOf(importLegacyRequest({ request_spec: {}, filter_properties: {} }))?.path).toEqual(['request_spec', 'instance_type'])
  })
})

describe('the request that Nova’s rules read, after an import', () => {
  test('an imported request distinguishes an unset field from a field that is null', () => {
    const read = novaRequestOf(requestOf(importNovaRequest(spec({ scheduler_hints: null, ignore_hosts: null }))))
    expect([read.schedulerHints, read.ignoreHosts, read.forceHosts]).toEqual([null, null, undefined])
  })

  test('if this service repeats an imported request with other hosts, Nova’s rules read these hosts', () => {
    const request = requestOf(importNovaRequest(spec({ force_hosts: ['h1'], ignore_hosts: null })))
    const moved = novaRequestOf({ ...request, forceHosts: [], ignoreHosts: ['h1'] })
    expect([moved.forceHosts, moved.ignoreHosts, moved.flavor.name]).toEqual([[], ['h1'], 'm1'])
  })
})

describe('a ComputeNode in this service’s form', () => {
  const node = (data: object) =>
    wireObject('ComputeNode', '1.19', { host: 'h1', vcpus: 8, memory_mb: 4_096, local_gb: 100, free_disk_gb: 90, stats: {}, ...data })
  const statsOf = (given: unknown) => {
    const imported = importNovaHost(given)
    if (!imported.ok) throw new Error(imported.problems.map(({ message }) => message).join('; '))
    const parsed = parseHostStats(imported.document)
    if (!parsed.ok) throw new Error(parsed.problems.map(({ message }) => message).join('; '))
    return parsed.value
  }
  const topology = (data: object) =>
    JSON.stringify(
      wireObject('NUMATopology', '1.2', {
        cells: [
          wireObject('NUMACell', '1.5', {
            id: 0,
            cpuset: [0, 1, 2, 3],
            pcpuset: [0, 1, 2, 3],
            memory: 2_048,
            cpu_usage: 1,
            memory_usage: 512,
            pinned_cpus: [2],
            siblings: [
              [0, 2],
              [1, 3],
            ],
            mempages: [wireObject('NUMAPagesTopology', '1.1', { size_kb: 2_048, total: 512, used: 3, reserved: 1 })],
            ...data,
          }),
        ],
      }),
    )

  test.each<[string, object, object]>([
    ['a ratio of 0 is treated as absent', { cpu_allocation_ratio: 0 }, { cpuAllocationRatio: 1 }],
    ['counts that are text', { stats: { num_instances: '3', io_workload: '2' } }, { runningVms: 3, numIoOps: 2 }],
    ['a cpu_info that is not JSON is not converted', { cpu_info: 'x86' }, { cpuInfo: null }],
    [
      'if shared and dedicated CPUs are the same, any of them can be pinned',
      { numa_topology: topology({}) },
      {
        numaCells: [
          {
            cpuset: [0, 1, 2, 3],
            dedicatedCpuset: null,
            pinnedCpus: [2],
            siblings: [
              [0, 2],
              [1, 3],
            ],
          },
        ],
      },
    ],
    [
      'separate sets of shared and dedicated CPUs stay separate',
      { numa_topology: topology({ cpuset: [0, 1], pcpuset: [2, 3] }) },
      { numaCells: [{ cpuset: [0, 1], dedicatedCpuset: [2, 3] }] },
    ],
    ['pages', { numa_topology: topology({}) }, { numaCells: [{ pages: [{ sizeKib: 2_048, total: 512, used: 3, reserved: 1 }] }] }],
    [
      'devices',
      {
        pci_device_pools: [
          wireObject('PciDevicePool', '1.1', {
            vendor_id: '8086',
            product_id: '10fb',
            numa_node: 1,
            count: 2,
            tags: { dev_type: 'type-VF' },
          }),
        ],
      },
      { pciPools: [{ vendorId: '8086', productId: '10fb', numaNode: 1, deviceType: 'type-VF', tags: {}, total: 2, used: 0 }] },
    ],
  ])('%s', (_what, data, typed) => {
    expect(statsOf(node(data))).toMatchObject(typed)
  })

  test('an imported host has its instances, and the flavors of those for which the flavor is reported', () => {
    const stats = statsOf({ compute_node: node({}), instances: [aUuid(1), { uuid: aUuid(2), flavorid: '7' }] })
    expect([stats.instances, stats.nova?.flavors]).toEqual([[aUuid(1), aUuid(2)], { [aUuid(2)]: '7' }])
  })
})

describe('an Aggregate of Nova', () => {
  const fields = { uuid: aUuid(9).toUpperCase(), name: 'ssd', hosts: ['h1'], metadata: { disk: 'ssd' }, availability_zone: null, id: 4 }

  test.each<[string, unknown]>([
    ['in its envelope', wireObject('Aggregate', '1.3', fields)],
    ['its fields alone', fields],
  ])('%s', (_what, given) => {
    expect(readNovaAggregate(given)).toEqual({
      aggregate: { uuid: aUuid(9), name: 'ssd', hosts: ['h1'], metadata: { disk: 'ssd' } },
      unknown: [],
    })
  })

  test.each<[string, unknown, string]>([
    ['without a name', { ...fields, name: null }, 'aggregate.name'],
    ['with an invalid uuid', { ...fields, uuid: '7' }, 'aggregate.uuid'],
    ['with numbers in its metadata', { ...fields, metadata: { cpus: 4 } }, 'aggregate.metadata'],
    ['a Flavor in place of an Aggregate', wireObject('Flavor', '1.2', fields), 'aggregate.nova_object.name'],
    ['a list', [], 'aggregate is an empty list'],
  ])('%s is refused with its path', (_what, given, path) => {
    expect(() => readNovaAggregate(given)).toThrow(path)
  })
})

test('two equal lists of 1,000 CPUs are compared by reading each CPU once', () => {
  const cpus = Array.from({ length: 1_000 }, (_, cpu) => cpu)
  let reads = 0
  const counted = new Proxy([...cpus], {
    get(list, key, receiver) {
      if (typeof key === 'string' && /^\d+$/.test(key)) reads++
      return Reflect.get(list, key, receiver)
    },
  })
  expect(sameCpus(cpus, counted)).toBe(true)
  expect(reads).toBe(1_000)
  expect([sameCpus([0, 1], [0, 2]), sameCpus([0], [0, 1])]).toEqual([false, false])
})
