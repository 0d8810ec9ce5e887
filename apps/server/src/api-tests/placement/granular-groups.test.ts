import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataOf, type Json, startTestService, type TestService } from '../../testing/test-service.ts'

let api: TestService
beforeAll(async () => {
  api = await startTestService()
  const machine = {
    vcpus: 16,
    vcpusUsed: 0,
    memoryMb: 65_536,
    memoryMbUsed: 0,
    localGb: 1_000,
    localGbUsed: 0,
    traits: ['CUSTOM_EVERYWHERE'],
  }
  await api.report({ plain: machine, gpus: { ...machine, memoryMb: 4_096, inventories: [{ resourceClass: 'VGPU', total: 8 }] } })
})
afterAll(async () => {
  expect(api.warnings).toEqual([])
  await api.close()
})

const PLACE = `mutation ($in: SelectDestinationsInput!) { selectDestinations(input: $in) { __typename
  ... on ValidationError { issues { path rule message } }
  ... on SelectDestinationsPayload { ignoredFields destinations { selected { host { name } claim { resources { resourceClass amount } } } } } } }`

const place = async (spec: object): Promise<Json> =>
  (await dataOf(api, PLACE, { in: { idempotencyKey: randomUUID(), claim: { mode: 'CONFIRM' }, spec } })).selectDestinations

/** The forms in which callers can write a request whose flavor has these extra specs. `at` is the path of the extra specs in errors. */
const spellings: Readonly<
  Record<string, (extraSpecs: Record<string, string>) => { readonly spec: object; readonly at: readonly string[] }>
> = {
  typed: (extraSpecs) => ({
    spec: { gantt: { flavor: { vcpus: 1, memoryMb: 64, extraSpecs: pairsOf(extraSpecs) } } },
    at: ['gantt', 'flavor', 'extraSpecs'],
  }),
  'a member of a gang': (extraSpecs) => ({
    spec: {
      gantt: {
        instanceUuids: [randomUUID(), randomUUID(), randomUUID()],
        flavor: { vcpus: 1, memoryMb: 64 },
        gang: [
          { instances: 1, flavor: { vcpus: 1, memoryMb: 64 } },
          { instances: 1, flavor: { vcpus: 1, memoryMb: 64, extraSpecs: pairsOf(extraSpecs) } },
        ],
      },
    },
    at: ['gantt', 'gang', '1', 'flavor', 'extraSpecs'],
  }),
  "Nova's object": (extra_specs) => ({ spec: { nova: novaSpec(extra_specs) }, at: ['nova', 'flavor', 'extra_specs'] }),
  "Nova's dictionaries": (extra_specs) => ({
    spec: {
      legacy: {
        request_spec: {
          num_instances: 1,
          instance_type: { ...sizes, extra_specs },
          image: {},
          instance_properties: { uuid: randomUUID(), numa_topology: null, pci_requests: null },
        },
        filter_properties: {},
      },
    },
    at: ['legacy', 'request_spec', 'instance_type', 'extra_specs'],
  }),
}

const sizes = { name: 'm1', vcpus: 1, memory_mb: 64, root_gb: 0, ephemeral_gb: 0, swap: 0 }
const pairsOf = (record: Record<string, string>) => Object.entries(record).map(([key, value]) => ({ key, value }))
const novaSpec = (extra_specs: Record<string, string>) => ({
  'nova_object.name': 'RequestSpec',
  'nova_object.namespace': 'nova',
  'nova_object.version': '1.14',
  'nova_object.data': {
    num_instances: 1,
    instance_uuid: randomUUID(),
    flavor: {
      'nova_object.name': 'Flavor',
      'nova_object.namespace': 'nova',
      'nova_object.version': '1.2',
      'nova_object.data': { ...sizes, extra_specs },
    },
  },
})

describe.each(Object.entries(spellings))('a flavor in the form %s', (_, spell) => {
  test.each([
    ['A13a; Nova ResourceRequest.XS_KEYPAT: a numbered group of resources', 'resources1:VGPU', '1'],
    ['A13a; Placement granular.yaml: the traits of a numbered group', 'trait1:CUSTOM_FAST', 'required'],
    ['a named group of resources', 'resources_GPU:VGPU', '1'],
    ['the traits of a named group', 'trait_GPU:CUSTOM_FAST', 'forbidden'],
    ['a name without an underscore', 'resourcesNet-1:NET_BW_EGR_KILOBIT_PER_SEC', '1000'],
    ['an amount of 0 in a group', 'resources2:VGPU', '0'],
    ['the policy of groups', 'group_policy', 'isolate'],
    ['groups of one subtree', 'same_subtree', '_GPU,_NET'],
    ['groups of one subtree, named', 'same_subtree1', '_GPU,_NET'],
  ])('a flavor with %s is refused, and the message names the key', async (_situation, key, value) => {
    const { spec, at } = spell({ [key]: value })
    const answer = await place(spec)
    expect(answer).toMatchObject({ __typename: 'ValidationError' })
    expect(answer.issues).toContainEqual({
      path: ['input', 'spec', ...at, key],
      rule: 'call.granular_group',
      message: expect.stringContaining(
        'must be left out: numbered and named groups of resources need several resource providers on one host',
      ),
    })
  })
})

test('F3: an amount without a group is claimed, and a refusal names all keys of a group', async () => {
  const { spec } = (spellings.typed as (typeof spellings)[string])({ 'resources:VGPU': '1' })
  expect(await place(spec)).toMatchObject({
    destinations: [
      { selected: { host: { name: 'gpus' }, claim: { resources: expect.arrayContaining([{ resourceClass: 'VGPU', amount: 1 }]) } } },
    ],
  })
  const both = (spellings.typed as (typeof spellings)[string])({ 'resources1:VGPU': '9', trait1: 'x', 'trait1:CUSTOM_X': 'required' })
  expect((await place(both.spec)).issues.map(({ path }: Json) => path.at(-1))).toEqual(['resources1:VGPU', 'trait1:CUSTOM_X'])
})

test.each(['trait1:CUSTOM_FAST', 'trait_A:CUSTOM_FAST'])('an image with the property %s of a granular group is refused', async (key) => {
  const image = { properties: pairsOf({ [key]: 'required' }) }
  const answer = await place({ gantt: { flavor: { vcpus: 1, memoryMb: 64 }, image } })
  expect(answer.issues).toMatchObject([{ path: ['input', 'spec', 'gantt', 'image', 'properties', key], rule: 'call.granular_group' }])
})

const group = (data: object) => ({
  'nova_object.name': 'RequestGroup',
  'nova_object.namespace': 'nova',
  'nova_object.version': '1.3',
  'nova_object.data': data,
})
const novaWith = (data: object) => {
  const spec = novaSpec({})
  return { nova: { ...spec, 'nova_object.data': { ...spec['nova_object.data'], ...data } } }
}
const legacyWith = (image: object) => ({
  legacy: {
    request_spec: { num_instances: 1, instance_type: { ...sizes, extra_specs: {} }, image, instance_properties: { uuid: randomUUID() } },
    filter_properties: {},
  },
})
const typed = { flavor: { vcpus: 1, memoryMb: 64 } }
const vgpus = { amounts: [{ resourceClass: 'VGPU', amount: 1 }] }

describe('resources that are requested in addition to the flavor', () => {
  test.each<[string, object, readonly string[]]>([
    [
      'typed groups with suffixes, whose amounts would otherwise be added',
      {
        gantt: {
          ...typed,
          requestedResources: [
            { suffix: '1', ...vgpus },
            { suffix: '2', ...vgpus },
          ],
        },
      },
      ['gantt.requestedResources.0.suffix', 'gantt.requestedResources.1.suffix'],
    ],
    [
      'a group of a member of a gang',
      {
        gantt: {
          ...typed,
          instanceUuids: [randomUUID(), randomUUID()],
          gang: [{ instances: 1, ...typed, requestedResources: [{ amounts: [] }, { suffix: '_A', ...vgpus }] }],
        },
      },
      ['gantt.gang.0.requestedResources.1.suffix'],
    ],
    [
      'a port of Neutron (RequestGroup.from_port_request)',
      novaWith({
        requested_resources: [group({ requester_id: randomUUID(), resources: { NET_BW_EGR_KILOBIT_PER_SEC: 1 }, use_same_provider: true })],
      }),
      ['nova.requested_resources.0.use_same_provider'],
    ],
    [
      'a group without use_same_provider, which is true by default in Nova’s object (RequestGroup.__init__)',
      novaWith({ requested_resources: [group({ resources: {} }), group({ resources: { VGPU: 1 } })] }),
      ['nova.requested_resources.1'],
    ],
    [
      'a group with a name (ResourceRequest._add_request_group)',
      novaWith({ requested_resources: [group({ requester_id: 'device_profile_0', resources: { FPGA: 1 }, use_same_provider: false })] }),
      ['nova.requested_resources.0.requester_id'],
    ],
    [
      'groups of one subtree',
      novaWith({
        request_level_params: {
          ...group({ same_subtree: [['_A', '_B']], root_required: [], root_forbidden: [] }),
          'nova_object.name': 'RequestLevelParams',
        },
      }),
      ['nova.request_level_params.same_subtree'],
    ],
    [
      'a group among the properties of an image, in the dictionaries',
      legacyWith({ properties: { 'resources1:VGPU': '1', 'trait_A:CUSTOM_X': 'required', architecture: 'x86_64' } }),
      ['resources1:VGPU', 'trait_A:CUSTOM_X'].map((key) => `legacy.request_spec.image.properties.${key}`),
    ],
  ])('%s is refused, with the path of its key', async (_situation, spec, paths) => {
    const answer = await place(spec)
    expect(answer).toMatchObject({ __typename: 'ValidationError' })
    expect(answer.issues.map(({ path, rule }: Json) => `${rule} ${path.slice(2).join('.')}`)).toEqual(
      paths.map((path) => `call.granular_group ${path}`),
    )
  })

  test('amounts for the host as a whole are added to the amounts of the flavor', async () => {
    const resources = [{ resourceClass: 'VGPU', amount: 1 }]
    for (const spec of [
      novaWith({ requested_resources: [group({ requester_id: null, resources: { VGPU: 1 }, use_same_provider: false })] }),
      { gantt: { ...typed, requestedResources: [vgpus] } },
    ]) {
      const answer = await place(spec)
      expect(answer.destinations).toMatchObject([
        { selected: { host: { name: 'gpus' }, claim: { resources: expect.arrayContaining(resources) } } },
      ])
    }
  })
})

describe('every field of a group for the host as a whole (Nova objects/request.py RequestGroup 1.3) is used, refused with its path, or listed as ignored', () => {
  const whole = { requester_id: null, use_same_provider: false, resources: {} }
  const [aggregate, provider] = [randomUUID(), randomUUID()]
  test.each<[string, object, unknown]>([
    ['resources', { resources: { VGPU: 9 } }, 'NoValidHost'],
    ['required_traits', { required_traits: ['CUSTOM_NOWHERE'] }, 'NoValidHost'],
    ['forbidden_traits', { forbidden_traits: ['CUSTOM_EVERYWHERE'] }, 'NoValidHost'],
    ['aggregates', { aggregates: [[aggregate]] }, 'NoValidHost'],
    ['forbidden_aggregates', { forbidden_aggregates: [aggregate] }, ['call.invalid nova.requested_resources.0.forbidden_aggregates']],
    ['in_tree', { in_tree: provider }, ['call.invalid nova.requested_resources.0.in_tree']],
    [
      'use_same_provider',
      { use_same_provider: true, resources: { VGPU: 1 } },
      ['call.granular_group nova.requested_resources.0.use_same_provider'],
    ],
    ['requester_id', { requester_id: 'a', resources: { VGPU: 1 } }, ['call.granular_group nova.requested_resources.0.requester_id']],
    ['provider_uuids', { provider_uuids: [provider] }, { ignored: ['spec.requested_resources.0.provider_uuids'] }],
    ['nothing at all', { in_tree: null, forbidden_aggregates: [], provider_uuids: [], aggregates: [] }, { ignored: [] }],
  ])('%s', async (_field, asked, expected) => {
    const spec = novaWith({ requested_resources: [group({ ...whole, ...asked })] })
    const { __typename, issues, ignoredFields } = await place(spec)
    const refused = issues?.map(({ path, rule }: Json) => `${rule} ${path.slice(2).join('.')}`)
    expect(refused ?? (ignoredFields === undefined ? __typename : { ignored: ignoredFields })).toEqual(expected)
  })
})

test('a query about a request is refused for the same reason as a call with the request', async () => {
  const { spec } = (spellings.typed as (typeof spellings)[string])({ 'resources1:VGPU': '1' })
  const { status, text } = await api.ask('query ($input: CapacityInput!) { capacity(input: $input) { fits } }', { input: { spec } })
  expect([status, text]).toEqual([400, expect.stringContaining('resources1:VGPU')])
})
