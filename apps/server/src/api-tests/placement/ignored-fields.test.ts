import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dataOf, startTestService, type TestService } from '../../testing/test-service.ts'

let api: TestService
beforeAll(async () => {
  api = await startTestService()
  await api.report({ h1: {} })
})
afterAll(() => api.close())

const PLACE = `mutation ($in: SelectDestinationsInput!) { selectDestinations(input: $in) {
  ... on SelectDestinationsPayload { ignoredFields } ... on NoValidHost { ignoredFields } ... on UserError { message } } }`

const ignored = async (spec: object, more: object = {}) =>
  (await dataOf(api, PLACE, { in: { idempotencyKey: randomUUID(), claim: { mode: 'NONE' }, spec, ...more } })).selectDestinations
    .ignoredFields

const extraSpecs = [{ key: 'hw:cpu_policy', value: 'dedicated' }]
const extra_specs = { 'quota:cpu_shares': '1' }
const row = { name: 'm1', vcpus: 1, memory_mb: 64, root_gb: 0, ephemeral_gb: 0, swap: 0, extra_specs }
const object = (name: string, version: string, data: object) => ({
  'nova_object.name': name,
  'nova_object.namespace': 'nova',
  'nova_object.version': version,
  'nova_object.data': data,
})

test.each([
  [
    'A13d: scoped specs in the typed form',
    { gantt: { flavor: { vcpus: 1, memoryMb: 64, extraSpecs } } },
    ['flavor.extraSpecs.hw:cpu_policy'],
  ],
  [
    'an extra spec that no filter reads, in a request that fits on no host',
    { gantt: { flavor: { vcpus: 9_999, memoryMb: 64, extraSpecs } } },
    ['flavor.extraSpecs.hw:cpu_policy'],
  ],
  [
    'a member of a gang',
    {
      gantt: {
        numInstances: 2,
        flavor: { vcpus: 1, memoryMb: 64 },
        gang: [{ instances: 1, flavor: { vcpus: 1, memoryMb: 64, extraSpecs } }],
      },
    },
    ['gang.0.flavor.extraSpecs.hw:cpu_policy'],
  ],
  [
    "Nova's object, beside a field of a later release",
    { nova: object('RequestSpec', '1.14', { num_instances: 1, later: 1, flavor: object('Flavor', '1.2', row) }) },
    ['spec.later', 'spec.flavor.extra_specs.quota:cpu_shares'],
  ],
  [
    "Nova's dictionaries",
    { legacy: { request_spec: { num_instances: 1, instance_type: row, image: {}, instance_properties: {} }, filter_properties: {} } },
    ['request_spec.instance_type.extra_specs.quota:cpu_shares'],
  ],
  [
    "the minimums of an image, which Nova's API has already checked",
    {
      nova: object('RequestSpec', '1.8', {
        ...{ num_instances: 1, flavor: object('Flavor', '1.2', { ...row, root_gb: 1, extra_specs: {} }) },
        image: object('ImageMeta', '1.8', { min_ram: 65, min_disk: 2 }),
      }),
    },
    ['spec.image.min_ram', 'spec.image.min_disk'],
  ],
  [
    "the same in Nova's dictionaries",
    {
      legacy: {
        request_spec: {
          ...{ num_instances: 1, image: { min_ram: '65', min_disk: '2' }, instance_properties: {} },
          instance_type: { ...row, root_gb: 1, extra_specs: {} },
        },
        filter_properties: {},
      },
    },
    ['request_spec.image.min_ram', 'request_spec.image.min_disk'],
  ],
])('fields without effect are reported: %s', async (_, spec, paths) => {
  expect(await ignored(spec)).toEqual(paths)
})

test("a flavor below the image's requirements is refused for a new instance, a resize and a rebuild, and accepted for other intents", async () => {
  await api.report({ h2: {}, h3: {} })
  const flavor = { vcpus: 1, memoryMb: 64 }
  const claimOf = `... on SelectDestinationsPayload { destinations { selected { claim { id fence } } } }
    ... on ValidationError { issues { path } }`
  const call = `mutation ($in: SelectDestinationsInput!) { selectDestinations(input: $in) { __typename ${claimOf} } }`
  const ask = async (intent: string, moveOf: object | null, image: object | null) => {
    const input = { idempotencyKey: randomUUID(), intent, moveOf, claim: { mode: 'RESERVE' }, spec: { gantt: { flavor, image } } }
    return (await dataOf(api, call, { in: input })).selectDestinations
  }
  const small = { minRamMb: 65 }
  const refused = { __typename: 'ValidationError', issues: [{ path: ['input', 'spec', 'gantt', 'image', 'minRamMb'] }] }
  for (const intent of ['EVACUATE', 'LIVE_MIGRATE', 'COLD_MIGRATE', 'RESIZE', 'REBUILD']) {
    const { id, fence } = (await ask('CREATE', null, null)).destinations[0].selected.claim
    const answer = await ask(intent, { id, fence }, small)
    if (['RESIZE', 'REBUILD'].includes(intent)) expect([intent, answer]).toEqual([intent, refused])
    else expect([intent, answer.__typename]).toEqual([intent, 'SelectDestinationsPayload'])
  }
  expect(await ask('CREATE', null, small)).toEqual(refused)
  expect((await ask('UNSHELVE', null, small)).__typename).toBe('SelectDestinationsPayload')
})

test('an affinity hint is reported as ignored only if the profile has no filter that reads it', async () => {
  const spec = { gantt: { flavor: { vcpus: 1, memoryMb: 64 }, schedulerHints: [{ key: 'near_volume', values: [randomUUID()] }] } }
  const version = (profile: string, filters: readonly string[]) =>
    dataOf(
      api,
      'mutation ($profile: String!, $in: ProfileVersionInput!) { profileVersionCreate(profile: $profile, input: $in) { __typename ... on UserError { message } } }',
      {
        profile,
        in: { filters: filters.map((name) => ({ name })), weighers: [], note: 'a test' },
      },
    )
  await version('far', ['RamFilter'])
  await version('near', ['RamFilter', 'VolumeAffinityFilter'])
  expect(await ignored(spec, { profile: 'far' })).toEqual(['schedulerHints.near_volume'])
  expect(await ignored(spec, { profile: 'near' })).toEqual([])
})

test('the answer of a call, its decision and a simulation name the hints that no document locates', async () => {
  const hints = (...keys: readonly string[]) => keys.map((key) => ({ key, values: [randomUUID()] }))
  const spec = { gantt: { flavor: { vcpus: 1, memoryMb: 64 }, schedulerHints: hints('near_volume', 'reservation') } }
  const FIELDS = 'ignoredFields unlocatedFields'
  const { selectDestinations } = await dataOf(
    api,
    `mutation ($in: SelectDestinationsInput!) { selectDestinations(input: $in) { ... on SelectDestinationsPayload { ${FIELDS} decision { ${FIELDS} } }
      ... on NoValidHost { ${FIELDS} decision { ${FIELDS} } } } }`,
    { in: { idempotencyKey: randomUUID(), claim: { mode: 'NONE' }, spec } },
  )
  const expected = {
    ignoredFields: ['schedulerHints.near_volume', 'schedulerHints.reservation'],
    unlocatedFields: ['schedulerHints.near_volume'],
  }
  expect(selectDestinations).toEqual({ ...expected, decision: expected })
  const SIMULATE = `query ($in: SimulateInput!) { simulate(input: $in) { decisions { ${FIELDS} } } }`
  expect((await dataOf(api, SIMULATE, { in: { requests: [{ spec }] } })).simulate.decisions).toEqual([expected])
})

test('the decision and a simulation report the same ignored fields as the call', async () => {
  const flavor = { ...row, extra_specs }
  const spec = {
    nova: object('RequestSpec', '1.14', { num_instances: 1, later: 1, availability_zone: 'nova', flavor: object('Flavor', '1.2', flavor) }),
  }
  const paths = ['spec.later', 'spec.flavor.extra_specs.quota:cpu_shares']
  const { selectDestinations } = await dataOf(
    api,
    `mutation ($in: SelectDestinationsInput!) { selectDestinations(input: $in) { ... on SelectDestinationsPayload { decision { ignoredFields } }
      ... on NoValidHost { decision { ignoredFields } } } }`,
    { in: { idempotencyKey: randomUUID(), claim: { mode: 'NONE' }, spec } },
  )
  expect(selectDestinations.decision.ignoredFields).toEqual(paths)
  const { simulate } = await dataOf(api, 'query ($in: SimulateInput!) { simulate(input: $in) { decisions { ignoredFields } } }', {
    in: { requests: [{ spec, count: 2 }] },
  })
  expect(simulate.decisions).toEqual([{ ignoredFields: paths }, { ignoredFields: paths }])
})

test('the answer contains the explanation if the call selects it, and the argument `explain` is deprecated', async () => {
  const { selectDestinations } = await dataOf(
    api,
    `mutation ($in: SelectDestinationsInput!) { selectDestinations(input: $in) { ... on SelectDestinationsPayload {
      decision { explanation { fidelity headline verdicts(first: 1) { nodes { hostName outcome } } } } } } }`,
    { in: { idempotencyKey: randomUUID(), claim: { mode: 'NONE' }, spec: { gantt: { flavor: { vcpus: 1, memoryMb: 64 } } } } },
  )
  expect(selectDestinations.decision.explanation).toMatchObject({
    fidelity: 'REPLAYED',
    headline: expect.stringContaining('h1'),
    verdicts: { nodes: [{ hostName: 'h1', outcome: 'SELECTED' }] },
  })
  const { __type } = await dataOf(
    api,
    '{ __type(name: "SelectDestinationsInput") { inputFields(includeDeprecated: true) { name deprecationReason } } }',
    {},
  )
  const explain = __type.inputFields.find(({ name }: { readonly name: string }) => name === 'explain')
  expect(explain.deprecationReason).toContain('decision { explanation { ... } }')
})

test('a TTL is reported as ignored if nothing is reserved', async () => {
  const spec = { gantt: { flavor: { vcpus: 1, memoryMb: 64 } } }
  const ttl = 'PT5M'
  expect(await ignored(spec, { claim: { mode: 'NONE', ttl } })).toEqual(['claim.ttl'])
  expect(await ignored(spec, { claim: { mode: 'CONFIRM', ttl } })).toEqual(['claim.ttl'])
  expect(await ignored(spec, { claim: { mode: 'RESERVE', ttl }, intent: 'PROBE' })).toEqual(['claim.ttl'])
  expect(await ignored(spec, { claim: { mode: 'RESERVE', ttl } })).toEqual([])
  expect(await ignored(spec, { claim: { mode: 'NONE' } })).toEqual([])
})

test('extra specs without a scope are reported as ignored under Nova’s rules until a host reports a stat with that name', async () => {
  const extra_specs = { in_tree: 'x', member_of1: 'x', group: 'x', free_ram_mb: '>= 1' }
  const flavor = { ...row, extra_specs }
  const specs = [
    { nova: object('RequestSpec', '1.14', { num_instances: 1, flavor: object('Flavor', '1.2', flavor) }) },
    { legacy: { request_spec: { num_instances: 1, instance_type: flavor, image: {}, instance_properties: {} }, filter_properties: {} } },
  ]
  const unread = async () => {
    const paths: string[][] = []
    for (const spec of specs) paths.push(await ignored(spec, { profile: 'nova-compat' }))
    return paths.map((of) => of.map((path) => path.replace(/^.*extra_specs\./, '')))
  }
  expect(await unread()).toEqual(specs.map(() => ['in_tree', 'member_of1', 'group']))
  const node = object('ComputeNode', '1.19', {
    ...{ host: 'n1', vcpus: 8, vcpus_used: 0, memory_mb: 65_536, memory_mb_used: 0, free_ram_mb: 65_536, local_gb: 100, local_gb_used: 0 },
    ...{ free_disk_gb: 100, cpu_allocation_ratio: 1, ram_allocation_ratio: 1, disk_allocation_ratio: 1, stats: { group: 'x' } },
  })
  const update = { name: { host: 'n1' }, reporter: { incarnation: randomUUID(), sequence: 1 }, report: { nova: node } }
  const REPORT = `mutation ($in: UpdateResourceStatsInput!) { updateResourceStats(input: $in) { results { __typename } } }`
  expect((await dataOf(api, REPORT, { in: { updates: [update] } })).updateResourceStats.results).toEqual([
    { __typename: 'ResourceStatsApplied' },
  ])
  expect(await unread()).toEqual(specs.map(() => ['in_tree', 'member_of1']))
})

test('the headline of a placed request names the parts of the request that nothing reads', async () => {
  const headlineOf = async (spec: object, more: object = {}): Promise<string> =>
    (
      await dataOf(api, 'query ($in: ExplainPlacementInput!) { explainPlacement(input: $in) { headline } }', {
        in: { subject: { spec: { gantt: { numInstances: 2, flavor: { vcpus: 1, memoryMb: 64, ...spec }, ...more } } } },
      })
    ).explainPlacement.headline
  const placed = await headlineOf({})
  expect(placed).toMatch(/^h\d was selected for instance 1 of 2: the best of \d hosts that passed, of \d\.$/)
  expect(await headlineOf({ extraSpecs })).toBe(
    `${placed} Nothing in the profile default reads flavor.extraSpecs.hw:cpu_policy of the request.`,
  )
  const schedulerHints = [{ key: 'near_volume', values: [randomUUID()] }]
  expect(await headlineOf({ extraSpecs }, { schedulerHints })).toBe(
    `${placed} Nothing in the profile default reads flavor.extraSpecs.hw:cpu_policy of the request. No recent document locates what is named by schedulerHints.near_volume of the request.`,
  )
  const many = Array.from({ length: 5 }, (_, i) => ({ key: `quota:${i}`, value: '1' }))
  expect(await headlineOf({ extraSpecs: many })).toMatch(/flavor\.extraSpecs\.quota:2 and 2 more fields of the request\.$/)
})
