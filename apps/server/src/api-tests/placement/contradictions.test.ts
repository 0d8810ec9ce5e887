import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataOf, type Json, startTestService, type TestService } from '../../testing/test-service.ts'

let api: TestService
beforeAll(async () => {
  api = await startTestService()
  await api.report({ h1: { numaCells: [{ id: 0, cpuset: [0, 1, 2, 3, 4, 5, 6, 7], memoryMb: 65_536 }] } })
})
afterAll(async () => {
  expect(api.warnings).toEqual([])
  await api.close()
})

const PLACE = `mutation ($in: SelectDestinationsInput!) { selectDestinations(input: $in) { __typename ... on ValidationError { issues { rule path message } } } }`
const REPORT = `mutation ($in: UpdateResourceStatsInput!) { updateResourceStats(input: $in) { results { __typename
  ... on ValidationError { issues { rule path message } } } } }`

const issuesOf = ({ __typename, issues = [] }: Json): unknown =>
  __typename === 'ValidationError' ? issues.map(({ rule, path }: Json) => `${rule} ${path.join('.')}`) : __typename

const place = async (spec: object, idempotencyKey: string = randomUUID()): Promise<unknown> =>
  issuesOf((await dataOf(api, PLACE, { in: { idempotencyKey, spec } })).selectDestinations)

const report = async (form: object): Promise<unknown> => {
  const update = { name: { host: 'u1' }, reporter: { incarnation: randomUUID(), sequence: 1 }, report: form }
  return issuesOf((await dataOf(api, REPORT, { in: { updates: [update] } })).updateResourceStats.results[0])
}

const cellsOf = (...cells: readonly (readonly number[])[]) => cells.map((cpus, id) => ({ id, cpus, memoryMb: 1_024 }))

const object = (name: string, version: string, data: object) => ({
  'nova_object.name': name,
  'nova_object.namespace': 'nova',
  'nova_object.version': version,
  'nova_object.data': data,
})
const novaCell = (id: number, cpuset: readonly number[], pcpuset: readonly number[] = []) =>
  object('InstanceNUMACell', '1.6', { id, cpuset, pcpuset, memory: 1_024, pagesize: null, cpu_policy: null, cpu_thread_policy: null })
const novaSpec = (vcpus: number, ...cells: readonly object[]) =>
  object('RequestSpec', '1.14', {
    flavor: object('Flavor', '1.2', {
      ...{ name: 'm1', flavorid: '1', vcpus, memory_mb: 1_024 * cells.length },
      ...{ root_gb: 0, ephemeral_gb: 0, swap: 0, extra_specs: {} },
    }),
    numa_topology: object('InstanceNUMATopology', '1.3', { cells, emulator_threads_policy: null }),
    num_instances: 1,
    scheduler_hints: {},
  })

describe('B11b, F13: a guest topology that contradicts its flavor or itself is refused with its path', () => {
  test.each<[name: string, spec: object, expected: unknown]>([
    [
      '2 vCPUs, and a dedicated cell of 8 with more memory',
      {
        gantt: {
          flavor: { vcpus: 2, memoryMb: 1_000 },
          numaTopology: { cells: [{ id: 0, cpus: [0, 1, 2, 3, 4, 5, 6, 7], memoryMb: 8_000, cpuPolicy: 'dedicated' }] },
        },
      },
      ['spec.invalid input.spec.gantt.numaTopology.cells.0.cpus', 'spec.invalid input.spec.gantt.numaTopology.cells'],
    ],
    [
      'cpus [0,0,0,1]',
      { gantt: { flavor: { vcpus: 2, memoryMb: 1_024 }, numaTopology: { cells: cellsOf([0, 0, 0, 1]) } } },
      ['spec.invalid input.spec.gantt.numaTopology.cells.0.cpus'],
    ],
    [
      'a member of a gang',
      {
        gantt: {
          flavor: { vcpus: 1, memoryMb: 512 },
          gang: [{ instances: 1, flavor: { vcpus: 2, memoryMb: 1_024 }, numaTopology: { cells: cellsOf([0]) } }],
        },
      },
      ['spec.invalid input.spec.gantt.gang.0.numaTopology.cells'],
    ],
    [
      'in Nova’s form, a CPU in two cells',
      { nova: novaSpec(3, novaCell(0, [0, 1]), novaCell(1, [1, 2])) },
      ['spec.invalid input.spec.nova.numa_topology.cells.1.cpuset'],
    ],
    [
      'in Nova’s form, shared and dedicated CPUs beyond the flavor',
      { nova: novaSpec(2, novaCell(0, [0], [1, 2])) },
      ['spec.invalid input.spec.nova.numa_topology.cells.0.cpuset'],
    ],
    [
      'a thread policy and isolated emulator threads without dedicated CPUs',
      {
        gantt: {
          flavor: { vcpus: 2, memoryMb: 1_024 },
          numaTopology: {
            cells: [{ id: 0, cpus: [0, 1], memoryMb: 1_024, cpuThreadPolicy: 'require' }],
            emulatorThreadsPolicy: 'isolate',
          },
        },
      },
      ['cells.0.cpuThreadPolicy', 'emulatorThreadsPolicy'].map((path) => `spec.invalid input.spec.gantt.numaTopology.${path}`),
    ],
    [
      'a topology that divides its flavor is accepted',
      { gantt: { flavor: { vcpus: 2, memoryMb: 1_024 }, numaTopology: { cells: cellsOf([0, 1]) } } },
      'SelectDestinationsPayload',
    ],
    ['the same in Nova’s form is accepted', { nova: novaSpec(2, novaCell(0, [0, 1])) }, 'SelectDestinationsPayload'],
  ])('%s', async (_name, spec, expected) => {
    expect(await place(spec)).toEqual(expected)
  })
})

describe('an image value that Nova’s rules cannot read is invalid for profiles with these rules, but not for other profiles', () => {
  const flavor = { vcpus: 1, memoryMb: 64 }
  const withImage = (image: object, more: object = {}) => ({ gantt: { flavor, image, ...more } })
  const ofNova = { 'nova_object.data': { hw_architecture: 'zzz' }, 'nova_object.name': 'ImageMetaProps', 'nova_object.version': '1.12' }
  const spec = novaSpec(1, novaCell(0, [0]))
  const data = { ...spec['nova_object.data'], image: object('ImageMeta', '1.8', { properties: ofNova }) }

  test.each<[string, object, string]>([
    ['an architecture', withImage({ architecture: 'zzz' }), 'gantt.image.architecture'],
    ['an architecture together with a forced host', withImage({ architecture: 'zzz' }, { forceHosts: ['h1'] }), 'gantt.image.architecture'],
    [
      'an architecture by its older name',
      withImage({ properties: [{ key: 'architecture', value: 'zzz' }] }),
      'gantt.image.properties.architecture',
    ],
    ['a hypervisor', withImage({ properties: [{ key: 'img_hv_type', value: 'zzz' }] }), 'gantt.image.properties.img_hv_type'],
    ['an architecture in Nova’s form', { nova: { ...spec, 'nova_object.data': data } }, 'nova.image.properties.hw_architecture'],
  ])('%s', async (_situation, given, path) => {
    const input = { idempotencyKey: randomUUID(), spec: given }
    const issues = issuesOf((await dataOf(api, PLACE, { in: { ...input, profile: 'nova-compat' } })).selectDestinations)
    expect(issues).toEqual([`call.invalid input.spec.${path}`])
    const elsewhere = issuesOf((await dataOf(api, PLACE, { in: { ...input, profile: 'default' } })).selectDestinations)
    expect(elsewhere).not.toEqual(issues)
  })
})

describe('a rule of a server group that would not be enforced is refused with its path', () => {
  const flavor = { vcpus: 1, memoryMb: 64 }
  const uuid = randomUUID()
  const spec = novaSpec(1, novaCell(0, [0]))
  const withGroup = (group: object) => ({
    nova: {
      ...spec,
      'nova_object.data': { ...spec['nova_object.data'], instance_group: object('InstanceGroup', '1.11', { uuid, ...group }) },
    },
  })
  const legacyWith = (group_policies: readonly string[]) => ({
    legacy: {
      request_spec: {
        ...{ num_instances: 1, image: {}, instance_properties: {} },
        instance_type: { name: 'm1', vcpus: 1, memory_mb: 64, root_gb: 0, ephemeral_gb: 0, swap: 0, extra_specs: {} },
      },
      filter_properties: { group_updated: true, group_uuid: uuid, group_policies, group_hosts: [] },
    },
  })

  test.each<[string, object, readonly string[] | string]>([
    [
      'members per host with AFFINITY (ServerGroups: max_server_per_host is of anti-affinity alone)',
      { gantt: { flavor, instanceGroup: { uuid, policy: 'AFFINITY', maxServerPerHost: 2 } } },
      ['gantt.instanceGroup.maxServerPerHost'],
    ],
    [
      'the same in Nova’s form',
      withGroup({ policy: 'affinity', _rules: { max_server_per_host: '2' } }),
      ['nova.instance_group._rules.max_server_per_host'],
    ],
    ['a second policy', legacyWith(['affinity', 'anti-affinity']), ['legacy.filter_properties.group_policies.1']],
    ['a second policy of an older object', withGroup({ policies: ['affinity', 'anti-affinity'] }), ['nova.instance_group.policies.1']],
    ['one policy, written twice, is accepted', legacyWith(['anti-affinity', 'anti-affinity']), 'SelectDestinationsPayload'],
    [
      'a list of policies in addition to the valid one is accepted',
      withGroup({ uuid: randomUUID(), policy: 'anti-affinity', policies: ['anti-affinity'] }),
      'SelectDestinationsPayload',
    ],
  ])('%s', async (_situation, given, paths) => {
    expect(await place(given)).toEqual(typeof paths === 'string' ? paths : paths.map((path) => `call.invalid input.spec.${path}`))
  })
})

test('for a used idempotency key, an invalid request is a conflict and not an error, because an older release may have accepted it', async () => {
  const key = randomUUID()
  const flavor = { vcpus: 1, memoryMb: 1_024 }
  expect(await place({ gantt: { flavor } }, key)).toBe('SelectDestinationsPayload')
  const odd = [
    { numaTopology: { cells: cellsOf([0, 0]) } },
    { flavor: { ...flavor, extraSpecs: [{ key: 'resources1:VGPU', value: '1' }] } },
  ]
  for (const more of odd) {
    expect(await place({ gantt: { flavor, ...more } }, key)).toBe('IdempotencyConflict')
    expect(await place({ gantt: { flavor, ...more } })).toHaveLength(1)
  }
})

const machine = { vcpus: 8, vcpusUsed: 0, memoryMb: 65_536, memoryMbUsed: 0, localGb: 1_024, localGbUsed: 0 }
const node = {
  'nova_object.name': 'ComputeNode',
  'nova_object.version': '1.19',
  'nova_object.data': {
    ...{ host: 'u1', vcpus: 8, vcpus_used: 0, memory_mb: 65_536, memory_mb_used: 0, free_ram_mb: 65_536, local_gb: 1_024 },
    ...{ local_gb_used: 0, free_disk_gb: 1_024, cpu_allocation_ratio: 1, ram_allocation_ratio: 1, disk_allocation_ratio: 1 },
  },
}

describe('min_unit above max_unit is refused with its path', () => {
  const inventory = (minUnit: number, maxUnit: number | null) => ({
    resourceClass: 'CUSTOM_FPGA',
    total: 8,
    minUnit,
    ...(maxUnit && { maxUnit }),
  })
  test.each<[name: string, form: object, expected: unknown]>([
    [
      'a minimum of 4 and a maximum of 2',
      { full: { ...machine, inventories: [inventory(4, 2)] } },
      ['stats.invalid input.updates.0.report.full.inventories.0.minUnit'],
    ],
    [
      'a minimum above the maximum of the second class only',
      { full: { ...machine, inventories: [{ resourceClass: 'CUSTOM_A', total: 1 }, inventory(9, 8)] } },
      ['stats.invalid input.updates.0.report.full.inventories.1.minUnit'],
    ],
    ['an equal minimum and maximum are accepted', { full: { ...machine, inventories: [inventory(2, 2)] } }, 'ResourceStatsApplied'],
    ['a missing maximum is accepted', { full: { ...machine, inventories: [inventory(2, null)] } }, 'ResourceStatsApplied'],
  ])('%s', async (_name, form, expected) => {
    expect(await report(form)).toEqual(expected)
  })
})

describe('unit rules that allow no amount are refused with their path', () => {
  const rows: readonly (readonly [name: string, units: readonly [min: number, max: number | null, step: number], field: string | null])[] =
    [
      ['no multiple of the step between the minimum and the maximum', [5, 7, 4], 'step'],
      ['a step above the maximum', [1, 2, 3], 'step'],
      ['a step that skips the only amount between them', [3, 3, 2], 'step'],
      ['a minimum above the maximum, whatever the step is', [4, 2, 3], 'min'],
      ['one multiple of the step is sufficient', [5, 8, 4], null],
      ['a step equal to the maximum is accepted', [1, 4, 4], null],
      ['a missing maximum is accepted', [5, null, 4], null],
      ['a total below every amount is accepted, since totals change', [16, null, 16], null],
      ['a maximum that is the total, below the step, is accepted too', [1, 8, 16], null],
    ]
  const typed = { min: 'minUnit', max: 'maxUnit', step: 'stepSize' }
  const ofPlacement = { min: 'min_unit', max: 'max_unit', step: 'step_size' }
  const inventory = (names: typeof typed, [min, max, step]: (typeof rows)[number][1]) => ({
    ...{ total: 8, [names.min]: min, [names.step]: step },
    ...(max !== null && { [names.max]: max }),
  })
  type Units = (typeof rows)[number][1]
  const list = (units: Units) => [
    { resourceClass: 'CUSTOM_A', total: 1 },
    { resourceClass: 'CUSTOM_X', ...inventory(typed, units) },
  ]
  const byClass = (units: Units) => ({ CUSTOM_A: { total: 1 }, CUSTOM_X: inventory(ofPlacement, units) })
  const forms: readonly (readonly [name: string, path: string, fields: Record<string, string>, form: (units: Units) => object])[] = [
    ['a typed report', 'full.inventories.1', typed, (units) => ({ full: { ...machine, inventories: list(units) } })],
    [
      'a typed report of an older version',
      'full.inventories.1',
      typed,
      (units) => ({ full: { ...machine, version: '1.0', inventories: list(units) } }),
    ],
    [
      'a report of Nova',
      'nova.inventories.CUSTOM_X',
      ofPlacement,
      (units) => ({ nova: { compute_node: node, inventories: byClass(units) } }),
    ],
    [
      'what Placement answers',
      'nova.inventories.inventories.CUSTOM_X',
      ofPlacement,
      (units) => ({ nova: { compute_node: node, inventories: { inventories: byClass(units), resource_provider_generation: 1 } } }),
    ],
  ]
  describe.each(forms)('%s', (_name, path, fields, form) => {
    test.each(rows)('%s', async (_row, units, field) => {
      expect(await report(form(units))).toEqual(
        field === null ? 'ResourceStatsApplied' : [`stats.invalid input.updates.0.report.${path}.${fields[field]}`],
      )
    })
  })

  test('the refusal states the expected value and the value that was found', async () => {
    const update = (form: object) => ({ name: { host: 'u1' }, reporter: { incarnation: randomUUID(), sequence: 1 }, report: form })
    const messages = async (form: object) =>
      (await dataOf(api, REPORT, { in: { updates: [update(form)] } })).updateResourceStats.results[0].issues.map(
        ({ message }: Json) => message,
      )
    expect(await messages({ full: { ...machine, inventories: list([5, 7, 4]) } })).toEqual([
      'input.updates.0.report.full.inventories.1.stepSize is 4; it must have a multiple between minUnit, 5, and maxUnit, 7: otherwise no amount is allowed',
    ])
    expect(await messages({ nova: { compute_node: node, inventories: byClass([5, 7, 4]) } })).toEqual([
      expect.stringContaining('step_size is 4; it must have a multiple between min_unit, 5, and max_unit, 7'),
    ])
  })
})

describe('a trait that flavors cannot require is refused with its path', () => {
  const names = ['custom_t', 'CUSTOM-T', 'CUSTOM T', '1_CPU', '_T', 'T', 'CUSTOM_T', 'HW_CPU_X86_AVX2']
  const forms: readonly (readonly [name: string, path: string, form: (traits: readonly string[]) => object])[] = [
    ['a typed report', 'full.traits', (traits) => ({ full: { ...machine, traits } })],
    ['a typed report of an older version', 'full.traits', (traits) => ({ full: { ...machine, version: '1.0', traits } })],
    ['a report of Nova', 'nova.traits', (traits) => ({ nova: { compute_node: node, traits } })],
    ['what Placement answers', 'nova.traits.traits', (traits) => ({ nova: { compute_node: node, traits: { traits } } })],
  ]

  test.each(forms)('%s', async (_name, path, form) => {
    for (const trait of names) {
      const asked = await place({
        gantt: { flavor: { vcpus: 1, memoryMb: 64, extraSpecs: [{ key: `trait:${trait}`, value: 'required' }] } },
      })
      const mayAsk = !Array.isArray(asked)
      expect(await report(form(['HW_A', trait])), trait).toEqual(
        mayAsk ? 'ResourceStatsApplied' : [`stats.invalid input.updates.0.report.${path}.1`],
      )
    }
  })
})
