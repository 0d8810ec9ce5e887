import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataOf, type Json, startTestService, type TestService } from '../../testing/test-service.ts'

// Some placement calls are refused before hosts are evaluated. These tests check that a query about such a call is refused by the same rule
// at the same path.
let api: TestService
const [apart, home, strict] = [randomUUID(), randomUUID(), randomUUID()]
const flavor = { vcpus: 1, memoryMb: 64 }
const machine = { vcpus: 16, vcpusUsed: 0, memoryMb: 65_536, memoryMbUsed: 0, localGb: 1_000, localGbUsed: 0 }

const PLACE = `mutation ($in: SelectDestinationsInput!) { selectDestinations(input: $in) { __typename
  ... on ValidationError { issues { path rule } } ... on SelectDestinationsPayload { decision { id } destinations { selected { host { name } claim { id fence } } } } } }`
const place = async (spec: object, profile: string | null = null, claim: object = { mode: 'CONFIRM' }, more: object = {}): Promise<Json> =>
  (await dataOf(api, PLACE, { in: { idempotencyKey: randomUUID(), claim, profile, spec, ...more } })).selectDestinations

beforeAll(async () => {
  api = await startTestService()
  await api.report({ h1: machine, h2: machine })
  for (const [uuid, policy] of [
    [apart, 'SOFT_AFFINITY'],
    [home, 'SOFT_AFFINITY'],
    [strict, 'ANTI_AFFINITY'],
  ])
    expect((await place({ gantt: { flavor, forceHosts: ['h1'], instanceGroup: { uuid, policy } } })).__typename).toBe(
      'SelectDestinationsPayload',
    )
})
afterAll(async () => {
  expect(api.warnings).toEqual([])
  await api.close()
})

const codesOf = (issues: readonly Json[], root: readonly string[]): readonly string[] =>
  issues.map(({ rule, path }) => {
    const inner = root.every((key, i) => path[i] === key) ? path.slice(root.length) : path
    return `${rule} ${inner.join('.')}`
  })

/** The issues of a refused query, each with its rule and its path relative to the request. */
async function refusalOf(query: string, variables: object, root: readonly string[]): Promise<readonly string[]> {
  const { data, errors } = await api.ask(query, variables as Record<string, unknown>)
  if (errors.length === 0) return [`answered: ${JSON.stringify(data)}`]
  return codesOf((errors[0]?.extensions.issues as readonly Json[] | undefined) ?? [{ rule: errors[0]?.message, path: [] }], root)
}

const EXPLAIN = 'query ($in: ExplainPlacementInput!) { explainPlacement(input: $in) { headline } }'
const WHY_NOT = 'query ($in: WhyNotInput!) { whyNot(input: $in) { headline } }'
const SIMULATE = 'query ($in: SimulateInput!) { simulate(input: $in) { placed failed } }'
const TENANT = 'query ($spec: SpecInput!, $profile: String) { tenantExplanation(spec: $spec, profile: $profile) { headline } }'

const calls = (['CREATE', 'PROBE'] as const).map((intent): [string, Door] => [
  `selectDestinations, ${intent}`,
  async (spec, profile) => {
    const claim = { mode: intent === 'PROBE' ? 'NONE' : 'CONFIRM' }
    const { __typename, issues = [] } = await place(spec, profile, claim, { intent })
    return __typename === 'ValidationError' ? codesOf(issues, ['input', 'spec']) : [`answered: ${__typename}`]
  },
])

type Door = (spec: object, profile: string | null) => Promise<readonly string[]>

const doors: readonly (readonly [string, Door])[] = [
  ...calls,
  ['simulate', (spec, profile) => refusalOf(SIMULATE, { in: { requests: [{ spec }], profile } }, ['input', 'requests', '0', 'spec'])],
  [
    'capacity',
    (spec, profile) =>
      refusalOf('query ($in: CapacityInput!) { capacity(input: $in) { fits } }', { in: { spec, profile } }, ['input', 'spec']),
  ],
  [
    'whatWouldFit',
    (spec, profile) =>
      refusalOf('query ($in: WhatWouldFitInput!) { whatWouldFit(input: $in) { fits } }', { in: { spec, profile } }, ['input', 'spec']),
  ],
  ['explainPlacement', (spec, profile) => refusalOf(EXPLAIN, { in: { subject: { spec }, profile } }, ['input', 'subject', 'spec'])],
  [
    'whyNot',
    (spec, profile) => refusalOf(WHY_NOT, { in: { subject: { spec }, host: { host: 'h1' }, profile } }, ['input', 'subject', 'spec']),
  ],
  ['tenantExplanation', (spec, profile) => refusalOf(TENANT, { spec, profile }, ['spec'])],
]

const legacy = (filter_properties: object) => ({
  legacy: {
    request_spec: {
      ...{ num_instances: 1, image: {}, instance_properties: { project_id: 'p' } },
      instance_type: { name: 'm1', vcpus: 1, memory_mb: 64, root_gb: 0, ephemeral_gb: 0, swap: 0, extra_specs: {} },
    },
    filter_properties,
  },
})
const object = (name: string, version: string, data: object) => ({
  'nova_object.name': name,
  'nova_object.namespace': 'nova',
  'nova_object.version': version,
  'nova_object.data': data,
})
const nova = (more: object) => ({
  nova: object('RequestSpec', '1.14', {
    flavor: object('Flavor', '1.2', {
      name: 'm1',
      flavorid: '1',
      vcpus: 1,
      memory_mb: 64,
      root_gb: 0,
      ephemeral_gb: 0,
      swap: 0,
      extra_specs: {},
    }),
    ...{ num_instances: 1, scheduler_hints: {}, ...more },
  }),
})
const gang = [
  { instances: 1, flavor },
  { instances: 1, flavor: { vcpus: 2, memoryMb: 128 } },
]

const refusedCalls: readonly (readonly [string, object, string | null, readonly string[]])[] = [
  [
    'a zone and a host in the field of the zone, as users of Nova’s API write it',
    { gantt: { flavor, availabilityZone: 'nova:h2' } },
    null,
    ['call.invalid gantt.availabilityZone'],
  ],
  [
    'a zone, a host and a node in the field of the zone, in Nova’s form',
    nova({ availability_zone: 'nova:h2:h2' }),
    'nova-compat',
    ['call.invalid nova.availability_zone'],
  ],
  [
    'B8, F10: an image that needs more than the flavor has',
    { gantt: { flavor: { ...flavor, rootGb: 1 }, image: { minRamMb: 65, minDiskGb: 2 } } },
    null,
    ['spec.invalid gantt.image.minRamMb', 'spec.invalid gantt.image.minDiskGb'],
  ],
  [
    'a server group with another policy than its members have',
    { gantt: { flavor, instanceGroup: { uuid: strict, policy: 'AFFINITY' } } },
    null,
    ['claim.group_mismatch gantt.instanceGroup.policy'],
  ],
  [
    'a server group with another maxServerPerHost than its members have',
    { gantt: { flavor, instanceGroup: { uuid: strict, policy: 'ANTI_AFFINITY', maxServerPerHost: 3 } } },
    null,
    ['claim.group_mismatch gantt.instanceGroup.maxServerPerHost'],
  ],
  [
    'a server group that must be kept apart from a group with which it shares a host',
    { gantt: { flavor, instanceGroup: { uuid: home, policy: 'SOFT_AFFINITY', apartFrom: [apart] } } },
    null,
    ['claim.group_mismatch gantt.instanceGroup.apartFrom'],
  ],
  [
    'another policy in Nova’s form',
    nova({ instance_group: object('InstanceGroup', '1.11', { uuid: strict, policy: 'affinity' }) }),
    null,
    ['claim.group_mismatch nova.instance_group.policy'],
  ],
  [
    'another policy in the dictionaries of Nova',
    legacy({ group_updated: true, group_uuid: strict, group_policies: ['affinity'], group_hosts: [] }),
    null,
    ['claim.group_mismatch legacy.filter_properties.group_policies'],
  ],
  [
    'a server group without members that only a hint names',
    legacy({ scheduler_hints: { group: randomUUID() } }),
    null,
    ['call.invalid legacy.filter_properties.scheduler_hints.group'],
  ],
  ['a gang under a profile of Nova', { gantt: { flavor, gang } }, 'nova-compat', ['call.invalid input.profile']],
  [
    'an image that Nova’s rules cannot read',
    { gantt: { flavor, image: { architecture: 'zzz' } } },
    'nova-compat',
    ['call.invalid gantt.image.architecture'],
  ],
  [
    'a group of resources',
    { gantt: { flavor: { ...flavor, extraSpecs: [{ key: 'resources1:VGPU', value: '1' }] } } },
    null,
    ['call.granular_group gantt.flavor.extraSpecs.resources1:VGPU'],
  ],
  [
    'a topology that does not divide its flavor',
    { gantt: { flavor, numaTopology: { cells: [{ id: 0, cpus: [0, 0], memoryMb: 64 }] } } },
    null,
    ['spec.invalid gantt.numaTopology.cells.0.cpus'],
  ],
  [
    'a hint that is nested too deep',
    { gantt: { flavor, schedulerHints: [{ key: 'query', values: ['['.repeat(17)] }] } },
    null,
    ['call.too_large gantt.schedulerHints.query.0'],
  ],
  [
    'maxServerPerHost with AFFINITY',
    { gantt: { flavor, instanceGroup: { uuid: randomUUID(), policy: 'AFFINITY', maxServerPerHost: 2 } } },
    null,
    ['call.invalid gantt.instanceGroup.maxServerPerHost'],
  ],
  ['a profile that does not exist', { gantt: { flavor } }, 'no-such', ['profile.unknown input.profile']],
]

/** The path of the profile, for queries in which that path is not `input.profile`. */
const profileAt: Readonly<Record<string, string>> = { tenantExplanation: 'profile' }

describe.each(refusedCalls)('%s', (_situation, spec, profile, expected) => {
  test.each(doors)('%s', async (door, ask) => {
    const at = profileAt[door]
    expect(await ask(spec, profile)).toEqual(at === undefined ? expected : expected.map((text) => text.replace('input.profile', at)))
  })
})

describe('a query about an edited fleet is refused by the rules of that fleet', () => {
  test('if the overlay removes the only member of a group, the group can get another policy', async () => {
    const uuid = randomUUID()
    const made = await place({ gantt: { flavor, instanceGroup: { uuid, policy: 'SOFT_AFFINITY' } } })
    const asked = { spec: { gantt: { flavor, instanceGroup: { uuid, policy: 'SOFT_ANTI_AFFINITY' } } } }
    const overlay = { releaseClaims: [made.destinations[0].selected.claim.id] }
    const at = ['input', 'requests', '0', 'spec']
    expect(await refusalOf(SIMULATE, { in: { requests: [asked] } }, at)).toEqual(['claim.group_mismatch gantt.instanceGroup.policy'])
    expect(await refusalOf(SIMULATE, { in: { requests: [asked], overlay } }, at)).toEqual([
      'answered: {"simulate":{"placed":1,"failed":0}}',
    ])
  })

  test('a request is refused if earlier requests of the simulation created its group with another rule', async () => {
    const uuid = randomUUID()
    const requests = ['SOFT_AFFINITY', 'SOFT_ANTI_AFFINITY'].map((policy) => ({
      spec: { gantt: { flavor, instanceGroup: { uuid, policy } } },
    }))
    expect(await refusalOf(SIMULATE, { in: { requests } }, ['input', 'requests', '1', 'spec'])).toEqual([
      'claim.group_mismatch gantt.instanceGroup.policy',
    ])
  })

  test('a request that names a group only in a hint gets the rule of the existing group', async () => {
    const spec = legacy({ scheduler_hints: { group: strict } })
    const input = { spec, overlay: { disableHosts: ['h2'] } }
    const { capacity } = await dataOf(api, 'query ($in: CapacityInput!) { capacity(input: $in) { fits } }', { in: input })
    expect(capacity).toEqual({ fits: 0 })
    const { explainPlacement } = await dataOf(api, EXPLAIN.replace('headline', 'hostCount steps { name passed }'), {
      in: { subject: { spec } },
    })
    expect(JSON.stringify(explainPlacement)).toContain('"passed":1')
  })
})

test('a dry run of an evacuation returns for each claim the refusal that the evacuation would return', async () => {
  const CREATE = `mutation ($profile: String!, $input: ProfileVersionInput!) { profileVersionCreate(profile: $profile, input: $input) { __typename } }`
  await dataOf(api, CREATE, {
    profile: 'any-image',
    input: { filters: [{ name: 'ComputeFilter' }], weighers: [{ name: 'RAMWeigher', multiplier: 1 }], note: 'n' },
  })
  await api.report({ source: machine })
  await place({ gantt: { flavor, forceHosts: ['source'], image: { architecture: 'zzz' } } }, 'any-image')
  const EVACUATE = `mutation ($in: HostEvacuateInput!, $dryRun: Boolean!) { hostEvacuate(input: $in, dryRun: $dryRun) {
    ... on HostEvacuatePreview { moves { message } } ... on HostEvacuatePayload { moves { result { ... on UserError { message } } } } } }`
  const evacuate = async (dryRun: boolean): Promise<readonly Json[]> => {
    const input = { host: { host: 'source' }, profile: 'nova-compat', idempotencyKey: randomUUID() }
    return (await dataOf(api, EVACUATE, { in: input, dryRun })).hostEvacuate.moves
  }
  const [foreseen] = await evacuate(true)
  const [done] = await evacuate(false)
  expect(foreseen?.message).toContain("be a value that Nova's image objects take")
  expect(foreseen?.message).toBe(done?.result.message)
})
