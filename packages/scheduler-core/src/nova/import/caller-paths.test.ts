import { describe, expect, test, vi } from 'vitest'
import { aUuid } from '../../testing/index.ts'
import { callerPath } from './caller-paths.ts'
import type { Imported } from './import.ts'
import { importLegacyRequest, importNovaRequest } from './request.ts'

/*
 * The field names in these tests are Nova's. For objects, they come from
 * nova/objects/{request_spec,flavor,instance_numa,instance_pci_requests}.py. For the dictionaries, they come from build_request_spec() and
 * populate_filter_properties() of Kilo.
 */

const object = (name: string, data: object) => ({ 'nova_object.name': name, 'nova_object.version': '1.0', 'nova_object.data': data })
const flavor = object('Flavor', { vcpus: 1, memory_mb: 1 })
const device = (count: number) => object('InstancePCIRequest', { count, spec: [{ vendor_id: '8086' }], alias_name: 'a' })

const spec = {
  form: 'RequestSpec',
  document: object('RequestSpec', {
    flavor,
    pci_requests: object('InstancePCIRequests', { requests: [device(0), device(2)] }),
    requested_resources: [
      object('RequestGroup', { resources: { VGPU: 1, CUSTOM_A: 2 }, aggregates: [[aUuid(1)], [aUuid(2)]] }),
      object('RequestGroup', { resources: { CUSTOM_B: 1 }, required_traits: ['CUSTOM_X'] }),
    ],
    requested_destination: object('Destination', { aggregates: [aUuid(3), aUuid(4)] }),
    request_level_params: object('RequestLevelParams', { root_required: ['CUSTOM_Y'], root_forbidden: ['CUSTOM_Z'] }),
  }),
} as const

const legacy = {
  form: 'legacy',
  document: {
    request_spec: {
      image: { properties: { hypervisor_type: 'qemu', 'trait:CUSTOM_X': 'required', os_type: 'linux' } },
      instance_type: {},
      instance_properties: { pci_requests: { requests: [{ count: 1 }] } },
    },
    filter_properties: {},
  },
} as const

describe("a path in this service's form of a request is translated to the path in the caller's document", () => {
  test.each<[path: string, given: string]>([
    ['flavor.memoryMb', 'flavor.memory_mb'],
    ['flavor.swapMb', 'flavor.swap'],
    ['flavor.extraSpecs.resources1:VGPU', 'flavor.extra_specs.resources1:VGPU'],
    ['flavor.extraSpecs.hw:cpuPolicy', 'flavor.extra_specs.hw:cpuPolicy'],
    ['image.minDiskGb', 'image.min_disk'],
    ['image.properties.img_hv_type', 'image.properties.img_hv_type'],
    ['numInstances', 'num_instances'],
    ['instanceGroup.maxServerPerHost', 'instance_group._rules.max_server_per_host'],
    ['numaTopology.cells.1.memoryMb', 'numa_topology.cells.1.memory'],
    ['numaTopology.cells.1.cpuThreadPolicy', 'numa_topology.cells.1.cpu_thread_policy'],
    ['numaTopology.emulatorThreadsPolicy', 'numa_topology.emulator_threads_policy'],
    ['pciRequests.0.specs.0.vendor_id', 'pci_requests.requests.1.spec.0.vendor_id'],
    ['requestedResources.0.amounts.1.amount', 'requested_resources.0.resources.CUSTOM_A'],
    ['requestedResources.1.memberOf.0', 'requested_resources.0.aggregates.0'],
    ['requestedResources.2.requiredTraits.0', 'requested_resources.1.required_traits.0'],
    ['requestedResources.3.memberOf.0', 'requested_destination.aggregates.1'],
    ['requestedResources.4.requiredTraits', 'request_level_params.root_required'],
    ['requestedDestination.forbiddenAggregates', 'requested_destination.forbidden_aggregates'],
    ['schedulerHints.sameHost', 'scheduler_hints.sameHost'],
    ['nova.document', ''],
  ])('%s: %s in a RequestSpec', (path, given) => {
    expect(callerPath(spec, path.split('.')).join('.')).toBe(given)
  })

  test.each<[path: string, given: string]>([
    ['flavor.memoryMb', 'request_spec.instance_type.memory_mb'],
    ['image.minRamMb', 'request_spec.image.min_ram'],
    ['image.properties.img_hv_type', 'request_spec.image.properties.hypervisor_type'],
    ['image.properties.traits_required', 'request_spec.image.properties.trait:CUSTOM_X'],
    ['image.properties.os_type', 'request_spec.image.properties.os_type'],
    ['availabilityZone', 'request_spec.instance_properties.availability_zone'],
    ['projectId', 'request_spec.instance_properties.project_id'],
    ['instanceUuids.0', 'request_spec.instance_properties.uuid'],
    ['instanceGroup.policy', 'filter_properties.group_policies'],
    ['instanceGroup.uuid', 'filter_properties.group_uuid'],
    ['numaTopology.cells.0.cpus', 'request_spec.instance_properties.numa_topology.cells.0.cpuset'],
    ['pciRequests.0.count', 'request_spec.instance_properties.pci_requests.requests.0.count'],
    ['forceHosts.0', 'filter_properties.force_hosts.0'],
    ['schedulerHints.near_volume', 'filter_properties.scheduler_hints.near_volume'],
  ])('%s: %s in the dictionaries', (path, given) => {
    expect(callerPath(legacy, path.split('.')).join('.')).toBe(given)
  })

  test('hints that are a string or a list', () => {
    const document = (scheduler_hints: object) => ({ request_spec: {}, filter_properties: { scheduler_hints } })
    const query = ['schedulerHints', 'query', '0']
    const asText = { form: 'legacy', document: document({ query: '[' }) } as const
    expect(callerPath(asText, query).join('.')).toBe('filter_properties.scheduler_hints.query')
    const asList = { form: 'legacy', document: document({ query: ['['] }) } as const
    expect(callerPath(asList, query).join('.')).toBe('filter_properties.scheduler_hints.query.0')
    const ofSpec = { form: 'RequestSpec', document: { 'nova_object.data': { scheduler_hints: { query: '[' } } } } as const
    expect(callerPath(ofSpec, query).join('.')).toBe('scheduler_hints.query')
  })

  test('instances in the dictionaries and in a RequestSpec', () => {
    const document = { request_spec: { instance_uuids: ['a', 'b'] } }
    expect(callerPath({ form: 'legacy', document }, ['instanceUuids', '1']).join('.')).toBe('request_spec.instance_uuids.1')
    expect(callerPath(spec, ['instanceUuids', '0'])).toEqual(['instance_uuid'])
  })

  test('a flavor and device requests in filter_properties', () => {
    const document = { request_spec: {}, filter_properties: { instance_type: {}, pci_requests: [{ count: 1 }] } }
    expect(callerPath({ form: 'legacy', document }, ['flavor', 'rootGb']).join('.')).toBe('filter_properties.instance_type.root_gb')
    expect(callerPath({ form: 'legacy', document }, ['pciRequests', '0', 'alias']).join('.')).toBe(
      'filter_properties.pci_requests.0.alias_name',
    )
  })
})

describe("a value of the wrong type is reported with its path in the caller's document", () => {
  const cell = (more: object) =>
    object('InstanceNUMATopology', { cells: [object('InstanceNUMACell', { id: 0, cpuset: [0], memory: 1, ...more })] })
  const refused = (imported: Imported) => (imported.ok ? undefined : imported.problems.map(({ path }) => path.join('.')))
  const dictionaries = (image: object, instance_properties: object, filter_properties: object = {}) =>
    refused(
      importLegacyRequest({
        request_spec: { image, instance_properties, instance_type: { vcpus: 1, memory_mb: 1 }, num_instances: 1 },
        filter_properties,
      }),
    )

  test('a value of the wrong type in a RequestSpec', () => {
    const read = (data: object) => refused(importNovaRequest(object('RequestSpec', { num_instances: 1, flavor, ...data })))
    expect(read({ numa_topology: cell({ id: 'x' }) })).toEqual(['numa_topology.cells.0.id'])
    expect(read({ numa_topology: cell({ cpu_policy: 'x' }) })).toEqual(['numa_topology.cells.0.cpu_policy'])
    expect(read({ pci_requests: object('InstancePCIRequests', { requests: [{ count: 'x' }] }) })).toEqual(['pci_requests.requests.0.count'])
  })

  test('a value of the wrong type in the dictionaries', () => {
    const properties = 'request_spec.instance_properties'
    expect(dictionaries({}, { numa_topology: cell({ id: 'x' }) })).toEqual([`${properties}.numa_topology.cells.0.id`])
    expect(dictionaries({}, { pci_requests: { requests: [{ count: 'x' }] } })).toEqual([`${properties}.pci_requests.requests.0.count`])
    expect(dictionaries({}, {}, { pci_requests: [{ count: 'x' }] })).toEqual(['filter_properties.pci_requests.0.count'])
    expect(dictionaries({ properties: { hypervisor_type: 'zzz' } }, {})).toEqual(['request_spec.image.properties.hypervisor_type'])
    expect(dictionaries({ properties: { hw_cpu_sockets: 'two' } }, {})).toEqual(['request_spec.image.properties.hw_cpu_sockets'])
  })
})

test('the resource groups of a request are read once, however many paths are translated', () => {
  let reads = 0
  const groups = Array.from({ length: 100 }, () => object('RequestGroup', { resources: { VGPU: 1 }, required_traits: ['CUSTOM_X'] }))
  const data = { flavor }
  Object.defineProperty(data, 'requested_resources', {
    enumerable: true,
    get() {
      reads++
      return groups
    },
  })
  const request = { form: 'RequestSpec', document: object('RequestSpec', data) } as const
  const translate = (i: number): string => callerPath(request, ['requestedResources', String(i), 'requiredTraits', '0']).join('.')
  expect(translate(0)).toBe('requested_resources.0.required_traits.0')
  const readsOfOne = reads
  for (let i = 1; i < 100; i++) expect(translate(i)).toBe(`requested_resources.${i}.required_traits.0`)
  expect(reads).toBe(readsOfOne)
})

test('the properties of an image are examined once, however many paths are translated', () => {
  let listed = 0
  const properties = new Proxy(Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`z${i}.128`, ''])), {
    ownKeys(target) {
      listed++
      return Reflect.ownKeys(target)
    },
  })
  const request = { form: 'legacy', document: { request_spec: { image: { properties } } } } as const
  for (let i = 0; i < 100; i++)
    expect(callerPath(request, ['image', 'properties', `os_${i}`]).join('.')).toBe(`request_spec.image.properties.os_${i}`)
  expect(listed).toBe(1)
})

test('the resource classes of a group are listed once, however many amounts are translated', () => {
  const resources = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`CUSTOM_${i}`, 1]))
  const groups = [object('RequestGroup', { resources })]
  const request = { form: 'RequestSpec', document: object('RequestSpec', { flavor, requested_resources: groups }) } as const
  const translate = (i: number): string => callerPath(request, ['requestedResources', '0', 'amounts', String(i), 'amount']).join('.')
  expect(translate(0)).toBe('requested_resources.0.resources.CUSTOM_0')
  const listed = vi.spyOn(Object, 'keys')
  const paths = Array.from({ length: 100 }, (_, i) => translate(i))
  const lists = listed.mock.results.filter(({ value }) => Array.isArray(value) && value.includes('CUSTOM_0')).length
  listed.mockRestore()
  expect(paths).toEqual(Object.keys(resources).map((name) => `requested_resources.0.resources.${name}`))
  expect(lists).toBe(0)
})
