import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataOf, type Json, startTestService, type TestService } from '../../testing/test-service.ts'

let api: TestService
beforeAll(async () => {
  api = await startTestService()
})
afterAll(async () => {
  expect(api.warnings).toEqual([])
  await api.close()
})

const envelope = (name: string, version: string, data: object) => ({
  'nova_object.name': name,
  'nova_object.namespace': 'nova',
  'nova_object.version': version,
  'nova_object.data': data,
  'nova_object.changes': Object.keys(data),
})

const computeNode = (name: string, more: object = {}) =>
  envelope('ComputeNode', '1.19', {
    host: name,
    hypervisor_hostname: name,
    vcpus: 16,
    vcpus_used: 0,
    memory_mb: 65_536,
    memory_mb_used: 512,
    free_ram_mb: 65_024,
    local_gb: 1_024,
    local_gb_used: 0,
    free_disk_gb: 1_024,
    disk_available_least: null,
    hypervisor_type: 'QEMU',
    hypervisor_version: 8_002_000,
    cpu_info: '{"arch":"x86_64","model":"Skylake","features":["aes"],"topology":{"sockets":1,"cores":8,"threads":2}}',
    stats: { num_instances: '0', io_workload: '0', failed_builds: '0' },
    metrics: '[]',
    supported_hv_specs: [envelope('HVSpec', '1.2', { arch: 'x86_64', hv_type: 'kvm', vm_mode: 'hvm' })],
    numa_topology: null,
    pci_device_pools: null,
    cpu_allocation_ratio: 4,
    ram_allocation_ratio: 1,
    disk_allocation_ratio: 1,
    ...more,
  })

const requestSpec = (more: object = {}, flavor: object = {}) =>
  envelope('RequestSpec', '1.14', {
    flavor: envelope('Flavor', '1.2', {
      name: 'm1',
      flavorid: '1',
      vcpus: 2,
      memory_mb: 4_096,
      root_gb: 10,
      ephemeral_gb: 0,
      swap: 0,
      extra_specs: {},
      ...flavor,
    }),
    image: null,
    num_instances: 1,
    project_id: 'p1',
    user_id: 'u1',
    availability_zone: null,
    ignore_hosts: null,
    force_hosts: null,
    force_nodes: null,
    instance_group: null,
    scheduler_hints: {},
    ...more,
  })

const REPORT = `mutation ($in: UpdateResourceStatsInput!) { updateResourceStats(input: $in) { appliedCount results { __typename
  ... on ResourceStatsApplied { ignoredFields unchanged host { name } claimsMaterialised { instanceUuid } }
  ... on ValidationError { issues { path message expected } } } } }`

async function report(reports: Readonly<Record<string, unknown>>): Promise<Json> {
  const updates = Object.entries(reports).map(([host, nova]) => ({
    name: { host },
    reporter: { incarnation: randomUUID(), sequence: 1 },
    report: { nova },
  }))
  return (await dataOf(api, REPORT, { in: { updates } })).updateResourceStats
}

const SELECT = `mutation ($in: SelectDestinationsInput!) { selectDestinations(input: $in) { __typename
  ... on SelectDestinationsPayload { ignoredFields decision { id spec { version numInstances vcpus projectId document } } destinations { instanceUuid selected { host { name } claim { state } } alternates { host { name } } } }
  ... on NoValidHost { ignoredFields decision { id } reasons { filter code hosts text } }
  ... on ValidationError { issues { path message expected } } } }`

const select = async (spec: Json, more: object = {}): Promise<Json> =>
  (await dataOf(api, SELECT, { in: { idempotencyKey: randomUUID(), spec, ...more } })).selectDestinations

describe('hosts in Nova’s form', () => {
  test('a ComputeNode is a full report, alone or together with its service and other objects', async () => {
    const answer = await report({
      n1: computeNode('n1'),
      n2: { compute_node: computeNode('n2', { memory_mb: 32_768, free_ram_mb: 32_256 }), service: { disabled: false } },
    })
    expect(answer).toMatchObject({ appliedCount: 2, results: [{ ignoredFields: [], host: { name: 'n1' } }, { host: { name: 'n2' } }] })
    const { host } = await dataOf(api, '{ host(name: "n2") { capacity { resourceClass total used capacity } } }')
    expect(host.capacity).toContainEqual({ resourceClass: 'VCPU', total: 16, used: 0, capacity: 64 })
    expect(host.capacity).toContainEqual({ resourceClass: 'MEMORY_MB', total: 32_768, used: 512, capacity: 32_768 })
  })

  test('an instance that a ComputeNode lists materialises its claim, and a field of a later Nova release is reported as ignored', async () => {
    await report({ n3: { compute_node: computeNode('n3', { vcpus: 32 }), service: { disabled: true, disabled_reason: 'new' } } })
    const instance = randomUUID()
    const spec = { gantt: { flavor: { vcpus: 2, memoryMb: 1_024 }, instanceUuids: [instance], forceHosts: ['n3'], forceVerify: 'NONE' } }
    expect(await select(spec)).toMatchObject({ destinations: [{ selected: { host: { name: 'n3' } } }] })
    const { results } = await report({
      n3: { compute_node: computeNode('n3', { vcpus_used: 2, colour: 'red' }), instances: [{ uuid: instance, flavorid: '1' }] },
    })
    expect(results[0]).toMatchObject({ ignoredFields: ['computeNode.colour'], claimsMaterialised: [{ instanceUuid: instance }] })
  })

  test.each<[string, unknown, string[], string]>([
    ['no envelope', { vcpus: 3 }, ['nova_object.name'], 'ComputeNode'],
    ['a RequestSpec in place of a ComputeNode', requestSpec(), ['nova_object.name'], 'ComputeNode'],
    ['the document of another host', computeNode('n9'), ['host'], 'n1, the host that reports'],
    ['a text for a number', computeNode('n1', { vcpus: 'many' }), ['vcpus'], 'a number or null'],
    ['a version that does not exist yet', { ...computeNode('n1'), 'nova_object.version': '2.0' }, ['nova_object.version'], '1.0 to 1.19'],
    ['memory in bytes', computeNode('n1', { memory_mb: 68_719_476_736 }), ['memory_mb'], 'bytes or KiB'],
    ['no disk yet', computeNode('n1', { free_disk_gb: null }), ['free_disk_gb'], 'has not reported its disk'],
    ['a topology that is not JSON', computeNode('n1', { numa_topology: '{' }), ['numa_topology'], 'Nova can read'],
    ['an unknown field next to the node', { compute_node: computeNode('n1'), colour: 'red' }, ['colour'], 'left out'],
  ])('a host report with %s is refused with its path', async (_what, nova, path, allowed) => {
    const { results } = await report({ n1: nova })
    const [issue] = results[0].issues
    expect(issue.path.slice(0, 5)).toEqual(['input', 'updates', '0', 'report', 'nova'])
    expect(issue.path.slice(5).join('.')).toBe(path.join('.'))
    expect(`${issue.message} ${issue.expected}`).toContain(allowed)
  })
})

describe('requests in Nova’s form', () => {
  test("a RequestSpec is placed like a request in Gantt's own form, and stored unchanged", async () => {
    const uuid = randomUUID()
    const placed = await select({ nova: requestSpec({ instance_uuid: uuid, later: 1 }) })
    expect(placed).toMatchObject({
      __typename: 'SelectDestinationsPayload',
      ignoredFields: ['spec.later'],
      decision: { spec: { version: '1.1', numInstances: 1, vcpus: 2, projectId: 'p1' } },
      destinations: [{ instanceUuid: uuid, selected: { host: { name: 'n1' }, claim: { state: 'RESERVED' } } }],
    })
    const { nova } = placed.decision.spec.document
    expect(nova.form).toBe('RequestSpec')
    expect(nova.document['nova_object.data'].availability_zone).toBeNull()
    expect(JSON.stringify(nova)).not.toContain('nova_object.changes')
  })

  test('a RequestSpec is accepted together with instance uuids, and as the older dictionaries', async () => {
    const uuids = [randomUUID(), randomUUID()]
    const many = await select({ nova: { spec: requestSpec({ num_instances: 2 }), instance_uuids: uuids } })
    expect(many.destinations.map(({ instanceUuid }: Json) => instanceUuid)).toEqual(uuids)
    // a second uuid is used, because the auditor would report one uuid in two projects
    const another = randomUUID()
    const legacy = await select({
      legacy: {
        request_spec: {
          num_instances: 1,
          image: { id: 'i', properties: { architecture: 'amd64' } },
          instance_type: { vcpus: 1, memory_mb: 1_024, root_gb: 1, ephemeral_gb: 0, swap: 0, name: 'small', extra_specs: {} },
          instance_properties: { uuid: another, project_id: 'p2' },
          instance_uuids: [another],
        },
        filter_properties: { ignore_hosts: ['n1', 'n3'], scheduler_hints: {} },
      },
    })
    expect(legacy).toMatchObject({ decision: { spec: { projectId: 'p2' } }, destinations: [{ selected: { host: { name: 'n2' } } }] })
  })

  test.each<[string, unknown, string, string]>([
    ['no envelope', {}, 'nova_object.name', 'RequestSpec'],
    ['no flavor', envelope('RequestSpec', '1.14', {}), 'flavor', 'Flavor'],
    [
      'a group without a policy',
      requestSpec({ instance_group: envelope('InstanceGroup', '1.11', { uuid: randomUUID() }) }),
      'instance_group.policy',
      'affinity',
    ],
    ['a flavor of no size', requestSpec({}, { memory_mb: -1 }), 'flavor.memory_mb', '0 or more'],
  ])('a request with %s is refused with its path', async (_what, nova, path, allowed) => {
    const { __typename, issues } = await select({ nova })
    expect(__typename).toBe('ValidationError')
    expect(issues[0].path.join('.')).toBe(`input.spec.nova.${path}`)
    expect(`${issues[0].message} ${issues[0].expected}`).toContain(allowed)
  })

  test('a request in several forms is refused', async () => {
    const { errors } = await api.ask(SELECT, { in: { idempotencyKey: 'k', spec: { nova: requestSpec(), legacy: {} } } })
    expect(errors.length).toBeGreaterThan(0)
  })
})

describe('an Aggregate in Nova’s form', () => {
  const IMPORT = `mutation ($d: JSON!, $dry: Boolean) { aggregateImport(document: $d, dryRun: $dry) { __typename
    ... on AggregatePayload { dryRun aggregate { uuid name version hostNames metadata { key value } } }
    ... on ValidationError { issues { path message } } } }`
  const uuid = randomUUID()
  const importAggregate = async (fields: object, dry = false): Promise<Json> =>
    (await dataOf(api, IMPORT, { d: { uuid, name: 'ssd', hosts: ['n1', 'n2'], metadata: { disk: 'ssd', tier: '1' }, ...fields }, dry }))
      .aggregateImport

  test('an imported Aggregate is created with Nova’s uuid, and a second import makes it equal to Nova’s Aggregate', async () => {
    expect(await importAggregate({}, true)).toMatchObject({ dryRun: true, aggregate: { uuid, version: 1 } })
    expect(await importAggregate({})).toMatchObject({
      dryRun: false,
      aggregate: { uuid, name: 'ssd', version: 1, hostNames: ['n1', 'n2'] },
    })
    const again = await importAggregate({ name: 'fast', hosts: ['n2'], metadata: { disk: 'nvme' } })
    expect(again.aggregate).toEqual({ uuid, name: 'fast', version: 2, hostNames: ['n2'], metadata: [{ key: 'disk', value: 'nvme' }] })
  })

  test('a RequestSpec that names the aggregate is placed on one of its hosts', async () => {
    const requested_destination = envelope('Destination', '1.4', { aggregates: [uuid] })
    const placed = await select({ nova: requestSpec({ requested_destination }) })
    expect(placed.destinations[0].selected.host.name).toBe('n2')
  })

  test.each<[string, object, string]>([
    ['a host that never reported', { hosts: ['n1', 'ghost'] }, 'document.hosts.1'],
    ['metadata that is no text', { metadata: { a: 1 } }, 'document.metadata.a'],
    ['no uuid', { uuid: 'x' }, 'document.uuid'],
  ])('an Aggregate with %s is refused with its path', async (_what, fields, path) => {
    const { __typename, issues } = await importAggregate(fields)
    expect([__typename, issues[0].path.join('.')]).toEqual(['ValidationError', path])
  })
})

describe('a profile with compat: nova', () => {
  const byNova = { profile: 'nova-compat' }

  test('a profile with compat: nova runs the filters of Nova, and refusals are explained by them', async () => {
    const refused = await select({ nova: requestSpec({}, { extra_specs: { 'capabilities:cpu_info:model': 'Cascadelake' } }) }, byNova)
    expect(refused).toMatchObject({ __typename: 'NoValidHost' })
    const reasons = refused.reasons.filter(({ filter }: Json) => filter === 'ComputeCapabilitiesFilter')
    expect(reasons).toEqual([expect.objectContaining({ code: expect.stringContaining('.'), hosts: expect.any(Number) })])
    expect(reasons[0].text).toContain('Cascadelake')
  })

  test("filters use the state of the compute service in Nova's report", async () => {
    await report({
      n4: {
        compute_node: computeNode('n4', { vcpus: 64, memory_mb: 131_072, free_ram_mb: 131_072, memory_mb_used: 0 }),
        service: { disabled: true },
      },
    })
    const placed = await select({ nova: requestSpec() }, byNova)
    expect(placed.destinations[0].selected.host.name).not.toBe('n4')
    const own = await select({ nova: requestSpec({ force_hosts: ['n4'] }) })
    expect(own.reasons).toContainEqual(expect.objectContaining({ filter: 'ComputeFilter', code: 'host.disabled', hosts: 1 }))
    // for forced hosts, only the checks of Nova's Placement service run, and host names are compared regardless of case
    const forced = await select({ nova: requestSpec({ force_hosts: ['N4'] }) }, byNova)
    expect(forced.reasons).toContainEqual(expect.objectContaining({ filter: 'PlacementStatus', code: 'host.disabled', hosts: 1 }))
    const enabled = await select({ nova: requestSpec({ force_hosts: ['N1'] }) }, byNova)
    expect(enabled.destinations[0].selected.host.name).toBe('n1')
  })

  test('a forced host is refused if it has too few free resources for the claim', async () => {
    const full = await select({ nova: requestSpec({ force_hosts: ['n2'] }, { memory_mb: 60_000 }) }, byNova)
    expect(full).toMatchObject({ __typename: 'NoValidHost' })
    expect(full.reasons).toContainEqual(expect.objectContaining({ filter: 'ResourceClassFilter (claim)', hosts: 1 }))
  })

  test('every decision is explained, and its replay is equal', async () => {
    const uuids = [randomUUID(), randomUUID(), randomUUID()]
    const placed = await select(
      { nova: { spec: requestSpec({ num_instances: 3 }), instance_uuids: uuids } },
      { ...byNova, alternatesPerInstance: 1 },
    )
    expect(placed.destinations).toHaveLength(3)
    const { explainPlacement } = await dataOf(
      api,
      'query ($d: ID!) { explainPlacement(input: { subject: { decisionId: $d } }) { fidelity steps { name entered passed } weighing { weighers { name } } verdicts { nodes { hostName outcome totalWeight } } } }',
      { d: placed.decision.id },
    )
    expect(explainPlacement.fidelity).toBe('REPLAYED')
    expect(explainPlacement.steps.map(({ name }: Json) => name)).toContain('ComputeCapabilitiesFilter')
    const [best] = explainPlacement.verdicts.nodes
    expect([best.hostName, best.outcome]).toEqual([placed.destinations[0].selected.host.name, 'SELECTED'])
  })
})

/** A row of the table compute_nodes in the form of Nova Kilo's resource tracker, in which some columns contain JSON text. */
const row = (name: string) => ({
  ...{ id: 7, service_id: 3, host: name, hypervisor_hostname: name, vcpus: 8, vcpus_used: 0, memory_mb: 16_384, memory_mb_used: 0 },
  ...{ free_ram_mb: 16_384, local_gb: 100, local_gb_used: 0, free_disk_gb: 100, disk_available_least: null, cpu_info: '{}', metrics: '[]' },
  ...{ hypervisor_type: 'QEMU', hypervisor_version: 2_000_000, stats: '{"num_instances": 0}', numa_topology: null, pci_stats: '[]' },
  supported_instances: '[["x86_64", "kvm", "hvm"]]',
})
const dictionaries = (uuid: string, filter_properties: object) => ({
  legacy: {
    request_spec: {
      ...{ image: {}, num_instances: 1, instance_properties: { uuid, project_id: 'kilo', os_type: null } },
      instance_type: { vcpus: 1, memory_mb: 512, root_gb: 1, ephemeral_gb: 0, swap: 0, name: 'm1.tiny', flavorid: '1', extra_specs: {} },
    },
    filter_properties: { force_hosts: ['k1', 'k2'], ...filter_properties },
  },
})

describe('the dictionaries of Juno and Kilo', () => {
  const group = randomUUID()
  const first = randomUUID()
  const apart = { group_updated: true, group_policies: ['anti-affinity'], group_hosts: [] as string[] }
  const hint = { scheduler_hints: { group } }
  const hostOf = (answer: Json) => answer.destinations?.[0].selected.host.name ?? answer

  test('an unknown group that only a hint names is refused with its path', async () => {
    const refused = await select(dictionaries(randomUUID(), hint))
    expect(refused).toMatchObject({ __typename: 'ValidationError' })
    expect(refused.issues[0].path).toEqual(['input', 'spec', 'legacy', 'filter_properties', 'scheduler_hints', 'group'])
    expect(refused.issues[0].message).toContain('group_policies')
  })

  test('rows of compute_nodes are accepted as reports, and members of a group are separated by the fields that setup_instance_group added', async () => {
    const reported = await report({ k1: row('k1'), k2: { ...row('k2'), colour: 'red' } })
    expect(reported).toMatchObject({ appliedCount: 2, results: [{ ignoredFields: [] }, { ignoredFields: ['computeNode.colour'] }] })
    const placed = await select(dictionaries(first, { ...apart, ...hint }))
    const here = hostOf(placed)
    expect(['k1', 'k2']).toContain(here)
    // only the hint is sent, as in Nova Juno; this suffices, because the group has members now
    const second = await select(dictionaries(randomUUID(), hint))
    expect(['k1', 'k2'].filter((name) => name !== here)).toEqual([hostOf(second)])
    // a third member fits on no host, neither under this service's rules nor under Nova's rules
    for (const profile of ['default', 'nova-compat'])
      expect(await select(dictionaries(randomUUID(), hint), { profile })).toMatchObject({ __typename: 'NoValidHost' })
  })

  test('a member stays in its group when it moves, although the dictionaries of a move do not name the group', async () => {
    const { claims } = await dataOf(api, 'query ($q: String!) { claims(query: $q) { nodes { id fence } } }', { q: `instance:${first}` })
    const moved = await select(dictionaries(first, { ...apart, force_hosts: ['n2'] }), { intent: 'COLD_MIGRATE', moveOf: claims.nodes[0] })
    expect(hostOf(moved)).toBe('n2')
  })
})

test("A23: a host that Nova reports has the traits and classes of Placement's data", async () => {
  const extra = { traits: { traits: ['CUSTOM_T'] }, inventories: { VGPU: { total: 1 } } }
  await report({ a1: { compute_node: computeNode('a1'), ...extra } })
  const asked = requestSpec({}, { extra_specs: { 'trait:CUSTOM_T': 'required', 'resources:VGPU': '1' } })
  expect(await select({ nova: asked }, { profile: 'nova-compat' })).toMatchObject({
    destinations: [{ selected: { host: { name: 'a1' } } }],
  })
  // the host's only VGPU is claimed
  expect(await select({ nova: asked }, { profile: 'nova-compat' })).toMatchObject({ __typename: 'NoValidHost' })
})

test('devices that claims of listed instances hold are added to the free devices that Nova counts, and cause no warning', async () => {
  const pools = (count: number) =>
    envelope('PciDevicePoolList', '1.1', {
      objects:
        count === 0 ? [] : [envelope('PciDevicePool', '1.1', { vendor_id: '8086', product_id: '1572', numa_node: null, tags: {}, count })],
    })
  const free = async (count: number, instances: readonly string[]) => {
    const nova = {
      compute_node: computeNode('pools', {
        pci_device_pools: pools(count),
        vcpus_used: instances.length,
        memory_mb_used: 512 + 64 * instances.length,
      }),
      instances: instances.map((uuid) => ({ uuid })),
    }
    const { results } = await report({ pools: nova })
    const { host } = await dataOf(api, '{ host(name: "pools") { warnings { code } pciPools { total used free } } }')
    expect([results[0].__typename, host.warnings]).toEqual(['ResourceStatsApplied', []])
    return host.pciPools
  }
  const place = (uuid: string, count: number) => {
    const pciRequests = [{ count, specs: [{ properties: [{ key: 'vendor_id', value: '8086' }] }] }]
    return select({ gantt: { flavor: { vcpus: 1, memoryMb: 64 }, instanceUuids: [uuid], forceHosts: ['pools'], pciRequests } })
  }
  const [first, second, third] = [randomUUID(), randomUUID(), randomUUID()] as const
  expect(await free(3, [])).toEqual([{ total: 3, used: 0, free: 3 }])
  expect(await place(first, 2)).toMatchObject({ destinations: [{}] })
  expect(await free(1, [first])).toEqual([{ total: 3, used: 2, free: 1 }])
  expect(await place(third, 2)).toMatchObject({ __typename: 'NoValidHost' })
  expect(await place(second, 1)).toMatchObject({ destinations: [{}] })
  // the host reports no free devices; Nova's document then does not contain the pool
  expect(await free(0, [first, second])).toEqual([{ total: 3, used: 3, free: 0 }])
  expect(await place(third, 1)).toMatchObject({ __typename: 'NoValidHost' })
  // the host reports that the first instance is gone, so its devices are free again
  expect(await free(2, [second])).toEqual([{ total: 3, used: 1, free: expect.any(Number) }])
})
