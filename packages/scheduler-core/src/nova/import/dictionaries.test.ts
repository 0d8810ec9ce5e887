import { describe, expect, test } from 'vitest'
import type { Fleet } from '../../fleet/fleet.ts'
import { openOverlay } from '../../fleet/overlay.ts'
import { builtInProfilesAt } from '../../profiles/built-in.ts'
import { parseRequestSpec } from '../../request/parse.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import { decide } from '../../schedulers/decide.ts'
import { aLog, aReport, aUuid } from '../../testing/index.ts'
import { GROUP_HOSTS } from '../../values/levels.ts'
import { novaRequestOf } from '../requests/own-request.ts'
import { groupUuid } from './dictionaries.ts'
import { importLegacyRequest, importNovaRequest, unknownFieldsOf } from './request.ts'

/*
 * The two dictionaries as build_request_spec and setup_instance_group of Juno (2014.2), Kilo (2015.1.0) and Liberty (12.0.0) made them.
 * Each test row is named after the release, and after Nova's own test if there is one of the same situation.
 */

const instance_type = {
  ...{ id: 2, name: 'm1.tiny', flavorid: '1', memory_mb: 512, vcpus: 1, root_gb: 1, ephemeral_gb: 0, swap: 0, rxtx_factor: 1.0 },
  ...{ vcpu_weight: null, extra_specs: {}, disabled: false, is_public: true },
}
const instance_properties = {
  ...{ uuid: aUuid(1), project_id: 'p', user_id: 'u', availability_zone: null, os_type: null, numa_topology: null, pci_requests: null },
  ...{ vm_state: 'building', root_gb: 1, memory_mb: 512, vcpus: 1, system_metadata: { instance_type_memory_mb: '512' } },
}
const junoTopology = { cells: [{ cpus: '0', mem: { total: 512 }, id: 0, pagesize: 2048 }] }
const kiloCell = { 'nova_object.name': 'InstanceNUMACell', 'nova_object.version': '1.2' }
const kiloTopology = JSON.stringify({
  ...{ 'nova_object.name': 'InstanceNUMATopology', 'nova_object.version': '1.1' },
  'nova_object.data': { cells: [{ ...kiloCell, 'nova_object.data': { id: 0, cpuset: [0], memory: 512, pagesize: null } }] },
})
const junoCells = { numaTopology: { cells: [{ id: 0, cpus: [0], memoryMb: 512, pageSize: 2048 }] } }
const request_spec = { image: {}, instance_properties, instance_type, num_instances: 1 }

function read(spec: object, filter_properties: object | null = {}): RequestSpec {
  const imported = importLegacyRequest({ request_spec: { ...request_spec, ...spec }, filter_properties })
  if (!imported.ok) throw new Error(imported.problems.map(({ message }) => message).join('; '))
  const parsed = parseRequestSpec(imported.document)
  if (!parsed.ok) throw new Error(parsed.problems.map(({ message }) => message).join('; '))
  return parsed.value
}

const problemOf = (spec: object, filter_properties: object = {}) => {
  const imported = importLegacyRequest({ request_spec: { ...request_spec, ...spec }, filter_properties })
  return imported.ok ? undefined : [imported.problems[0]?.path.join('.'), imported.problems[0]?.expected]
}

describe('a request in the dictionaries of Juno to Liberty', () => {
  test.each<[string, object, object, object]>([
    [
      'Kilo: every field is set except the image (test_build_request_spec_without_image)',
      {},
      {},
      { flavor: { vcpus: 1, memoryMb: 512, rootGb: 1 } },
    ],
    [
      'Kilo: an image from the metadata of the instance, where all is text (get_image_from_system_metadata)',
      {
        image: {
          ...{ min_ram: '512', min_disk: '1', disk_format: 'qcow2', container_format: 'bare', base_image_ref: aUuid(9) },
          properties: { hw_cpu_sockets: '2', hypervisor_type: 'qemu', hw_qemu_guest_agent: 'yes', kernel_id: null },
        },
      },
      {},
      { image: { minRamMb: 512, minDiskGb: 1, properties: { hw_cpu_sockets: '2', img_hv_type: 'qemu', hw_qemu_guest_agent: 'True' } } },
    ],
    [
      'Liberty: an ImageMeta in its envelope',
      {
        image: {
          ...{ 'nova_object.name': 'ImageMeta', 'nova_object.version': '1.7' },
          'nova_object.data': {
            ...{ id: 'i', min_ram: 0, min_disk: 0 },
            properties: {
              'nova_object.name': 'ImageMetaProps',
              'nova_object.version': '1.6',
              'nova_object.data': { hw_architecture: 'x86_64' },
            },
          },
        },
      },
      {},
      { image: { id: 'i', properties: { hw_architecture: 'x86_64' } } },
    ],
    [
      'Juno: sizes that are text, and an extra spec that is a number',
      {
        instance_type: {
          ...instance_type,
          memory_mb: '2048',
          vcpus: '2',
          root_gb: '20',
          swap: '0',
          extra_specs: { 'quota:cpu_shares': 1024 },
        },
        num_instances: '1',
      },
      {},
      { flavor: { memoryMb: 2_048, vcpus: 2, rootGb: 20, swapMb: 0, extraSpecs: { 'quota:cpu_shares': '1024' } }, numInstances: 1 },
    ],
    [
      'Liberty: sizes with a decimal point (test_to_legacy_request_spec_dict)',
      { instance_type: { ...instance_type, root_gb: '10.0' } },
      {},
      { flavor: { rootGb: 10 } },
    ],
    [
      'Liberty: a project that is a number (test_from_primitives)',
      { instance_properties: { ...instance_properties, project_id: 1 } },
      {},
      { projectId: '1' },
    ],
    [
      'Juno: the instance and its cells as plain fields, without an envelope',
      {
        instance_properties: {
          ...instance_properties,
          numa_topology: { instance_uuid: aUuid(1), cells: [{ id: 0, cpuset: [0], memory: 512, pagesize: null }] },
        },
      },
      {},
      { numaTopology: { cells: [{ id: 0, cpus: [0], memoryMb: 512 }] } },
    ],
    [
      'Juno: a guest topology as text and totals (VirtNUMAInstanceTopology._to_dict)',
      { instance_properties: { ...instance_properties, numa_topology: junoTopology } },
      {},
      junoCells,
    ],
    [
      'Juno: a guest topology as JSON text',
      { instance_properties: { ...instance_properties, numa_topology: JSON.stringify(junoTopology) } },
      {},
      junoCells,
    ],
    [
      'Kilo: an object with the guest topology as JSON text',
      { instance_properties: { ...instance_properties, numa_topology: kiloTopology } },
      {},
      { numaTopology: { cells: [{ id: 0, cpus: [0], memoryMb: 512 }] } },
    ],
    [
      'an empty text for no guest topology',
      { instance_properties: { ...instance_properties, numa_topology: '' } },
      {},
      { numaTopology: null },
    ],
    [
      'Kilo: devices as a dictionary with the uuid of the instance (from_request_spec_instance_props)',
      {
        instance_properties: {
          ...instance_properties,
          pci_requests: {
            instance_uuid: aUuid(1),
            requests: [{ count: 1, spec: [{ vendor_id: '8086' }], alias_name: 'nic', is_new: false, request_id: null }],
          },
        },
      },
      {},
      { pciRequests: [{ alias: 'nic', count: 1, specs: [{ vendor_id: '8086' }] }] },
    ],
    [
      'Juno: a hint that is null',
      {},
      { scheduler_hints: { same_host: null, group: null, different_host: [null] } },
      { schedulerHints: { different_host: [] } },
    ],
    ['Kilo: hints that are null', {}, { scheduler_hints: null }, { schedulerHints: {} }],
    [
      'Kilo: a query that is an object instead of text (the schema of scheduler_hints allows objects)',
      {},
      { scheduler_hints: { query: ['>=', '$free_ram_mb', 1_024], reservation: { id: 7 } } },
      { schedulerHints: { query: ['>=', '$free_ram_mb', '1024'], reservation: ['{"id":7}'] } },
    ],
    [
      'Liberty: what to_legacy_filter_properties_dict makes (test_to_legacy_filter_properties_dict)',
      {},
      {
        ...{ ignore_hosts: ['ignoredhost'], force_hosts: ['fakehost'], force_nodes: ['fakenode'], scheduler_hints: { foo: 'bar' } },
        ...{ retry: { num_attempts: 1, hosts: [['fake1', 'node1']] }, limits: { vcpu: 1.0, disk_gb: 10.0, memory_mb: 8192.0 } },
      },
      { ignoreHosts: ['ignoredhost'], forceHosts: ['fakehost'], forceNodes: ['fakenode'], schedulerHints: { foo: ['bar'] } },
    ],
  ])('%s', (_what, spec, properties, typed) => {
    expect(read(spec, properties)).toMatchObject(typed)
  })

  test('an import lists the fields that have no effect, except fields that Nova adds for itself', () => {
    const filter_properties = { context: {}, config_options: {}, os_type: null, project_id: 'p', reservation: 7 }
    const imported = importLegacyRequest({
      request_spec: { ...request_spec, security_group: ['default'], colour: 'red' },
      filter_properties,
      later: 1,
    })
    expect(imported.ok && imported.unknown).toEqual(['later', 'request_spec.colour', 'filter_properties.reservation'])
  })

  test('an import also lists nested fields that have no effect', () => {
    const cells = [{ id: 0, cpuset: [0], memory: 512, pagesize: null, cpu_topology: null, size: 1 }]
    const device = { count: 1, spec: [{ vendor_id: '8086' }], alias_name: 'nic', is_new: false, request_id: null, colour: 'red' }
    const imported = importLegacyRequest({
      request_spec: {
        ...request_spec,
        image: { id: 'i', checksum: null, colour: 'red', properties: { foo: 'x', 'trait:CUSTOM_X': 'forbidden', ramdisk_id: null } },
        instance_type: { ...instance_type, cpu_arch: 'x86_64' },
        instance_properties: { ...instance_properties, colour: 'red', numa_topology: { cells, extra: 1 }, pci_requests: [device] },
      },
      filter_properties: { retry: { num_attempts: 1, hosts: [], later: 1 }, limits: { vcpu: 1, gpu: 1 }, scheduler_hints: { any: 'x' } },
    })
    expect(imported.ok && [...imported.unknown].sort()).toEqual([
      'filter_properties.limits.gpu',
      'filter_properties.retry.later',
      'request_spec.image.colour',
      'request_spec.image.properties.foo',
      'request_spec.image.properties.trait:CUSTOM_X',
      'request_spec.instance_properties.colour',
      'request_spec.instance_properties.numa_topology.cells.0.size',
      'request_spec.instance_properties.numa_topology.extra',
      'request_spec.instance_properties.pci_requests.0.colour',
      'request_spec.instance_type.cpu_arch',
    ])
  })

  test('an import of a RequestSpec lists its unknown fields', () => {
    const wire = (name: string, data: object) => ({ 'nova_object.name': name, 'nova_object.version': '1.0', 'nova_object.data': data })
    const spec = wire('RequestSpec', {
      ...{ flavor: wire('Flavor', { vcpus: 1, memory_mb: 1, later: 1 }), num_instances: 1 },
      numa_topology: wire('InstanceNUMATopology', { cells: [wire('InstanceNUMACell', { id: 0, cpuset: [0], memory: 1, later: 1 })] }),
      pci_requests: wire('InstancePCIRequests', {
        instance_uuid: null,
        requests: [wire('InstancePCIRequest', { count: 1, spec: [], later: 1 })],
      }),
      network_metadata: wire('NetworkMetadata', { physnets: [], later: 1 }),
      requested_networks: wire('NetworkRequestList', { objects: [wire('NetworkRequest', { network_id: null, later: 1 })] }),
    })
    const imported = importNovaRequest(spec)
    const unknown = [
      'spec.flavor.later',
      'spec.numa_topology.cells.0.later',
      'spec.pci_requests.requests.0.later',
      'spec.network_metadata.later',
      'spec.requested_networks.objects.0.later',
    ]
    expect(imported.ok && imported.unknown).toEqual(unknown)
    const parsed = imported.ok ? parseRequestSpec(imported.document) : imported
    expect(parsed.ok && 'value' in parsed && unknownFieldsOf(parsed.value)).toEqual(unknown)
  })

  test.each<[string, object, object, string, string]>([
    [
      'a size that is not a number',
      { instance_type: { ...instance_type, memory_mb: 'much' } },
      {},
      'request_spec.instance_type.memory_mb',
      'a whole number',
    ],
    [
      'tried hosts that are not a list',
      {},
      { retry: { num_attempts: 1, hosts: 'h1' } },
      'filter_properties.retry.hosts',
      'a list of pairs',
    ],
    [
      'CPUs of a guest cell that are no list',
      { instance_properties: { ...instance_properties, numa_topology: { cells: [{ cpus: 'many', mem: { total: 512 }, id: 0 }] } } },
      {},
      'request_spec.instance_properties.numa_topology.cells.0.cpus',
      'a list of CPUs',
    ],
    [
      'a guest topology that is no JSON',
      { instance_properties: { ...instance_properties, numa_topology: '{' } },
      {},
      'request_spec.instance_properties.numa_topology',
      'JSON text',
    ],
    ['an invalid policy', {}, { group_updated: true, group_policies: ['near'] }, 'filter_properties.group_policies', 'one of affinity'],
    [
      'a group without an id',
      { instance_properties: {} },
      { group_updated: true, group_policies: ['affinity'], group_hosts: [] },
      'filter_properties.group_uuid',
      'the uuid of an instance',
    ],
  ])('%s is refused with its path', (_what, spec, properties, path, allowed) => {
    expect(problemOf(spec, properties)).toEqual([path, expect.stringContaining(allowed)])
  })

  test('a hint that is null in a RequestSpec has no effect', () => {
    const wire = (name: string, data: object) => ({ 'nova_object.name': name, 'nova_object.version': '1.0', 'nova_object.data': data })
    const imported = importNovaRequest(
      wire('RequestSpec', {
        flavor: wire('Flavor', { vcpus: 1, memory_mb: 1 }),
        num_instances: 1,
        scheduler_hints: { same_host: [null], a: null, b: ['x'] },
      }),
    )
    expect(imported.ok && imported.document).toMatchObject({ schedulerHints: { b: ['x'] } })
    expect(JSON.stringify(imported)).not.toContain('same_host')
  })
})

describe('the server group of a request in the dictionaries', () => {
  const group = (policy: string, more: object = {}) => ({ group_updated: true, group_policies: [policy], group_hosts: ['h1'], ...more })

  test.each<[string, object, string]>([
    ['Kilo: the hint names the group', group('affinity', { scheduler_hints: { group: aUuid(7).toUpperCase() } }), aUuid(7)],
    ['Kilo: a move does not name the group, so it is identified by the instance', group('affinity'), aUuid(1)],
    [
      "Mitaka: the group's own uuid takes precedence over the hint",
      group('affinity', { group_uuid: aUuid(8), scheduler_hints: { group: aUuid(7) } }),
      aUuid(8),
    ],
    [
      'Juno: a second attempt has the fields that the first one added, but not group_updated',
      group('affinity', { group_updated: undefined, scheduler_hints: { group: aUuid(7) } }),
      aUuid(7),
    ],
    ['Juno: the hint is the name of the group', group('affinity', { scheduler_hints: { group: 'web' } }), groupUuid('web', 'p')],
  ])('%s', (_what, properties, uuid) => {
    const { instanceGroup, nova } = read({}, properties)
    expect(instanceGroup).toEqual({ uuid, policy: 'AFFINITY', maxServerPerHost: null, hosts: ['h1'], apartFrom: [] })
    // The stored document has the field names that all releases of this service can read.
    expect(nova?.document.filter_properties).toMatchObject({ group_uuid: uuid, group_updated: true })
  })

  test('the same group name means one group within a project, and different groups in different projects', () => {
    expect(groupUuid('web', 'p')).toBe(groupUuid('web', 'p'))
    expect(groupUuid('web', 'p')).not.toBe(groupUuid('web', 'q'))
    expect(groupUuid('web', 'p')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/)
  })

  test('Juno: a request with the hint group but without a policy has no server group', () => {
    expect(read({}, { scheduler_hints: { group: aUuid(7) } }).instanceGroup).toBeNull()
  })

  const townAt = (level: number): Fleet => {
    const log = aLog()
    log.append([{ type: 'feature', level }, ...['h1', 'h2', 'h3'].map((name, i) => aReport(name, { memoryMb: 131_072 >> i }))])
    return log.fleet
  }
  const hostsOf = (request: RequestSpec, profile: string, level = GROUP_HOSTS) => {
    const fleet = townAt(level)
    const overlay = openOverlay(fleet)
    try {
      const { parts } = decide(fleet, overlay, {
        ...{ id: 'd', seed: 's', attempt: 1, alternatesPerInstance: 0, allOrNothing: true },
        claimIds: Array.from({ length: request.numInstances }, (_one, i) => `c${i}`),
        request,
        profile: builtInProfilesAt(level).find(({ name }) => name === profile) as never,
      })
      return parts.map(({ host }) => host)
    } finally {
      overlay.discard()
    }
  }
  const three = { num_instances: 2, instance_properties: { ...instance_properties, uuid: aUuid(1) } }

  test.each<[string, object, object, string[]]>([
    ['Kilo: anti-affinity to the hosts of the group', {}, group('anti-affinity', { group_hosts: ['h1', 'h2'] }), ['h3']],
    ['Kilo: anti-affinity in a group without hosts', {}, group('anti-affinity', { group_hosts: [] }), ['h1']],
    ['Kilo: affinity to a host of the group', {}, group('affinity', { group_hosts: ['h2'] }), ['h2']],
    ['Kilo: two instances with anti-affinity to each other (group_hosts.add(chosen_host))', three, group('anti-affinity'), ['h2', 'h3']],
    ['Kilo: two instances with affinity to each other', three, group('affinity', { group_hosts: [] }), ['h1', 'h1']],
  ])('%s', (_what, spec, properties, hosts) => {
    for (const profile of ['nova-compat', 'default']) {
      const request = read(spec, { ...properties, scheduler_hints: { group: aUuid(7) } })
      const found = hostsOf(request, profile)
      expect([profile, ...found.slice().sort()]).toEqual([profile, ...hosts])
    }
  })

  test("Nova's rules also read the group hosts of a request in this service's form", () => {
    const request = {
      ...read({}),
      nova: null,
      instanceGroup: { uuid: aUuid(7), policy: 'ANTI_AFFINITY' as const, maxServerPerHost: null, hosts: ['h1'], apartFrom: [] },
    }
    expect(hostsOf(request, 'nova-compat')).toEqual(['h2'])
    expect(hostsOf({ ...request, instanceGroup: { ...request.instanceGroup, maxServerPerHost: 2 } }, 'nova-compat')).toEqual(['h1'])
  })

  test("below the feature level, Nova's rules fail on a group without a list of members", () => {
    const request = read({}, group('anti-affinity'))
    expect(hostsOf(request, 'nova-compat', GROUP_HOSTS - 1)).toEqual([])
    expect(novaRequestOf(request).instanceGroup?.unlistedAt).toEqual(['h1'])
  })
})
