import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { dataOf, type Json, startTestService, type TestService } from '../../testing/test-service.ts'

let api: TestService
beforeEach(async () => {
  api = await startTestService()
  await api.report({ a: {}, b: {} })
})
afterEach(() => api.close())

const SELECT = `mutation ($in: SelectDestinationsInput!) { selectDestinations(input: $in) { __typename
  ... on SelectDestinationsPayload { destinations { selected { host { name } claim { id fence } } } }
  ... on NoValidHost { message decision { id } } ... on ValidationError { issues { path message } } ... on UserError { message } } }`
const EVACUATE = `mutation ($in: HostEvacuateInput!) { hostEvacuate(input: $in) { __typename
  ... on HostEvacuatePayload { moves { result { __typename
    ... on SelectDestinationsPayload { destinations { selected { host { name } claim { id fence } } } }
    ... on NoValidHost { message decision { id } } ... on ValidationError { issues { path message } } ... on UserError { message } } } }
  ... on UserError { message } } }`

const instance = '00000000-0000-4000-8000-000000000005'
const group = '00000000-0000-4000-8000-000000000007'
const wire = (name: string, version: string, data: Json): Json => ({
  'nova_object.name': name,
  'nova_object.namespace': 'nova',
  'nova_object.version': version,
  'nova_object.data': data,
})
const size = { name: 'm1', vcpus: 1, memory_mb: 1_024, root_gb: 1, ephemeral_gb: 0, swap: 0, extra_specs: {} }
const nova = (data: Json = {}): Json => ({
  nova: wire('RequestSpec', '1.14', { flavor: wire('Flavor', '1.2', size), num_instances: 1, instance_uuid: instance, ...data }),
})
const legacy = (filter_properties: Json = {}): Json => ({
  legacy: {
    request_spec: {
      ...{ instance_properties: { uuid: instance, project_id: 'p' }, instance_type: size, num_instances: 1, image: {} },
      instance_uuids: [instance],
    },
    filter_properties,
  },
})
const typed = (more: Json = {}): Json => ({ gantt: { flavor: { vcpus: 1, memoryMb: 1_024 }, instanceUuids: [instance], ...more } })

async function select(profile: string, spec: Json, more: Json = {}): Promise<Json> {
  const input = { idempotencyKey: randomUUID(), claim: { mode: 'CONFIRM' }, profile, spec, ...more }
  return (await dataOf(api, SELECT, { in: input })).selectDestinations
}

const chosen = (answer: Json): Json => answer.destinations?.[0].selected.host.name ?? answer

/** Evacuates a host that has one claim, and confirms the move. Returns the destination, or the answer if there is none. */
async function evacuate(host: string, profile: string): Promise<Json> {
  const { moves, ...failed } = (await dataOf(api, EVACUATE, { in: { host: { host }, idempotencyKey: randomUUID(), profile } })).hostEvacuate
  if (moves === undefined) return failed
  const [{ result }] = moves
  await confirm(result)
  return chosen(result)
}

async function confirm({ destinations = [] }: Json): Promise<void> {
  const claims = destinations.map(({ selected: { claim } }: Json) => ({ id: claim.id, fence: claim.fence }))
  await dataOf(api, 'mutation ($c: [ClaimRef!]!) { claimConfirm(claims: $c) { __typename } }', { c: claims })
}

const tried = (host: string) => wire('ComputeNode', '1.19', { host, hypervisor_hostname: host })
const retried = (host: string) =>
  wire('SchedulerRetries', '1.1', { num_attempts: 2, hosts: wire('ComputeNodeList', '1.1', { objects: [tried(host)] }) })

async function createProfile(): Promise<void> {
  const create =
    'mutation ($p: String!, $i: ProfileVersionInput!) { profileVersionCreate(profile: $p, input: $i) { __typename ... on ValidationError { issues { message } } } }'
  const input = { compat: 'NOVA', filters: [{ name: 'RetryFilter' }], weighers: [], note: 'n' }
  expect((await dataOf(api, create, { p: 'retry', i: input })).profileVersionCreate).toMatchObject({ __typename: 'ProfilePayload' })
}

describe('an instance that was evacuated can return to a host that it left', () => {
  test.each<[what: string, profile: string, spec: Json]>([
    ['typed', 'default', typed({ forceHosts: ['a'] })],
    ['typed', 'nova-compat', typed({ forceHosts: ['a'] })],
    ['a RequestSpec', 'nova-compat', nova({ force_hosts: ['a'] })],
    ['a RequestSpec', 'default', nova({ force_hosts: ['a'] })],
    ['a RequestSpec that ignored a host for one operation', 'nova-compat', nova({ ignore_hosts: ['b'] })],
    ['a RequestSpec after an attempt on the other host', 'retry', nova({ retry: retried('b') })],
    ['dictionaries', 'nova-compat', legacy({ force_hosts: ['a'] })],
    ['dictionaries after an attempt on the other host', 'retry', legacy({ retry: { num_attempts: 2, hosts: [['b', 'b']] } })],
    [
      'dictionaries with the hosts of a server group at that time',
      'nova-compat',
      legacy({ group_updated: true, group_policies: ['anti-affinity'], group_uuid: group, group_hosts: ['b'] }),
    ],
    [
      'a RequestSpec with the hosts of a server group at that time',
      'nova-compat',
      nova({
        instance_group: wire('InstanceGroup', '1.11', {
          ...{ uuid: group, policy: 'anti-affinity', policies: ['anti-affinity'], members: [], hosts: ['b'], _rules: {} },
        }),
      }),
    ],
    [
      'typed, with the hosts of a server group at that time',
      'default',
      typed({ instanceGroup: { uuid: group, policy: 'ANTI_AFFINITY', hosts: ['b'] } }),
    ],
  ])('%s, profile %s', async (_what, profile, spec) => {
    if (profile === 'retry') await createProfile()
    expect(chosen(await select(profile, spec))).toBe('a')
    const visited: Json[] = []
    for (const host of ['a', 'b', 'a']) visited.push(await evacuate(host, profile))
    expect(visited).toEqual(['b', 'a', 'b'])
  })

  test('hosts that the caller of the typed form excludes stay excluded in every move', async () => {
    await api.report({ c: { memoryMb: 1_048_576 } })
    expect(chosen(await select('default', typed({ ignoreHosts: ['c'], forceHosts: ['a'] })))).toBe('a')
    for (const [host, next] of [
      ['a', 'b'],
      ['b', 'a'],
    ] as const)
      expect(await evacuate(host, 'default')).toBe(next)
  })

  test('a further attempt on an alternate adds nothing to later moves', async () => {
    const input = { idempotencyKey: randomUUID(), claim: { mode: 'CONFIRM' }, alternatesPerInstance: 1, spec: typed() }
    const query = SELECT.replace('SelectDestinationsPayload {', 'SelectDestinationsPayload { decision { id }').replace(
      'selected {',
      'alternates { host { name } } selected {',
    )
    const { decision, destinations } = (await dataOf(api, query, { in: input })).selectDestinations
    const [{ selected, alternates }] = destinations
    const [first, second] = [selected.host.name, alternates[0].host.name]
    const CLAIM = `mutation ($in: ClaimCreateInput!) { claimCreate(input: $in) { __typename
      ... on SelectDestinationsPayload { destinations { selected { host { name } claim { id fence } } } } ... on UserError { message } } }`
    const asked = { decisionId: decision.id, host: { host: second }, idempotencyKey: randomUUID(), mode: 'CONFIRM' }
    const moved = (await dataOf(api, CLAIM, { in: asked })).claimCreate
    expect(chosen(moved)).toBe(second)
    await confirm(moved)
    expect(await evacuate(second, 'default')).toBe(first)
  })
})

const UPDATE = `mutation ($uuid: UUID!, $v: Int!, $policy: GroupPolicy!, $max: Int) {
  serverGroupUpdate(uuid: $uuid, ifVersion: $v, policy: $policy, maxServerPerHost: $max) { __typename } }`
const novaGroup = (policy: string, rules: Json = {}): Json =>
  nova({
    instance_group: wire('InstanceGroup', '1.11', {
      ...{ uuid: group, policy, policies: [policy], members: [instance], hosts: [], _rules: rules },
    }),
  })
const novaGroupOf = (uuid: string, policy: string, rules: Json = {}): Json => {
  const { nova: document } = novaGroup(policy, rules)
  return { nova: { ...document, 'nova_object.data': { ...document['nova_object.data'], instance_uuid: uuid } } }
}
const other = '00000000-0000-4000-8000-000000000006'

describe.each([
  ['nova-compat', 'Nova'],
  ['default', 'Nova'],
  ['nova-compat', 'typed'],
  ['default', 'typed'],
] as const)('a move follows the present rule of its group: profile %s, form %s', (profile, form) => {
  const member = (uuid: string, policy: string, most: number | null): Json =>
    form === 'Nova'
      ? novaGroupOf(uuid, policy, most === null ? {} : { max_server_per_host: String(most) })
      : typed({
          ...{ instanceUuids: [uuid] },
          instanceGroup: { uuid: group, policy: policy.toUpperCase().replace('-', '_'), ...(most !== null && { maxServerPerHost: most }) },
        })

  test('AFFINITY became SOFT_AFFINITY', async () => {
    const [first, second] = [
      await select(profile, member(instance, 'affinity', null)),
      await select(profile, member(other, 'affinity', null)),
    ]
    const host = chosen(first)
    expect(chosen(second)).toBe(host)
    await dataOf(api, UPDATE, { uuid: group, v: 1, policy: 'SOFT_AFFINITY' })
    expect(await evacuate(host, profile)).toBe(host === 'a' ? 'b' : 'a')
  })

  test('ANTI_AFFINITY got more members on one host', async () => {
    const [first, second] = [
      await select(profile, member(instance, 'anti-affinity', 1)),
      await select(profile, member(other, 'anti-affinity', 1)),
    ]
    expect([chosen(first), chosen(second)].sort()).toEqual(['a', 'b'])
    await dataOf(api, UPDATE, { uuid: group, v: 1, policy: 'ANTI_AFFINITY', max: 2 })
    expect(await evacuate('a', profile)).toBe('b')
  })
})

describe('the request of a claim for a move (moveSpec)', () => {
  const CLAIM = 'query ($id: ID!) { claim(id: $id) { moveSpec } }'
  const moveSpecOf = async ({ destinations }: Json): Promise<Json> =>
    (await dataOf(api, CLAIM, { id: destinations[0].selected.claim.id })).claim.moveSpec
  const cell = '00000000-0000-4000-8000-000000000040'
  const image = wire('ImageMeta', '1.8', {
    ...{ id: 'i', disk_format: 'raw' },
    properties: wire('ImageMetaProps', '1.34', { traits_required: ['CUSTOM_W'] }),
  })

  test('a RequestSpec keeps the conditions that only a document has, and names no host', async () => {
    await api.report({ w: { traits: ['CUSTOM_W'] } })
    const destination = wire('Destination', '1.4', {
      ...{ host: 'w', allow_cross_cell_move: true, cell: wire('CellMapping', '1.1', { uuid: cell }) },
    })
    const kept = { image, retry: retried('b'), force_hosts: ['w'], ignore_hosts: ['a'] }
    const placed = await select('nova-compat', nova({ ...kept, requested_destination: destination }))
    expect(chosen(placed)).toBe('w')
    const { nova: document, ...others } = await moveSpecOf(placed)
    expect(others).toEqual({})
    expect(document['nova_object.data']).toMatchObject({
      ...{ image, retry: null, force_hosts: [], ignore_hosts: [], num_instances: 1, instance_uuid: instance },
      requested_destination: {
        'nova_object.data': { cell: { 'nova_object.data': { uuid: cell } } },
      },
    })
    // older feature levels read null as a condition that no host meets
    expect(document['nova_object.data'].requested_destination['nova_object.data']).not.toHaveProperty('host')
  })

  test('a RequestSpec of two instances is reduced to the instance of the claim, and the move is accepted', async () => {
    await api.report({ c: {} })
    const { nova: spec } = nova({ num_instances: 2 })
    const placed = await select('nova-compat', { nova: { spec, instance_uuids: [instance, other] } })
    const [, { selected }] = placed.destinations
    const moveSpec = await moveSpecOf({ destinations: [{ selected }] })
    expect(moveSpec.nova['nova_object.data']).toMatchObject({ num_instances: 1, instance_uuid: other })
    const moveOf = { id: selected.claim.id, fence: selected.claim.fence }
    const moved = await select('nova-compat', moveSpec, { intent: 'LIVE_MIGRATE', moveOf })
    expect(moved.destinations).toHaveLength(1)
  })

  test('dictionaries keep their form, and name no host', async () => {
    const properties = { force_hosts: ['a'], retry: { num_attempts: 2, hosts: [['b', 'b']] }, scheduler_hints: { different_host: [other] } }
    const { legacy: document, ...others } = await moveSpecOf(await select('nova-compat', legacy(properties)))
    expect(others).toEqual({})
    expect(document.filter_properties).toMatchObject({ force_hosts: [], retry: null, scheduler_hints: { different_host: [other] } })
  })

  test.each([
    ['typed', typed({ instanceGroup: { uuid: group, policy: 'AFFINITY', hosts: ['a'] } })],
    ['a RequestSpec', novaGroup('affinity')],
  ])('%s: it has the present rule of the group, and the move is accepted', async (_form, spec) => {
    const placed = await select('nova-compat', spec)
    await dataOf(api, UPDATE, { uuid: group, v: 1, policy: 'SOFT_AFFINITY' })
    const [{ selected }] = placed.destinations
    const moveOf = { id: selected.claim.id, fence: selected.claim.fence }
    const moved = await select('nova-compat', await moveSpecOf(placed), { intent: 'LIVE_MIGRATE', moveOf })
    expect(chosen(moved)).toBe(chosen(placed) === 'a' ? 'b' : 'a')
    await confirm(moved)
    // hosts to ignore that the service added for the first move are not in the request of the next one
    expect(JSON.stringify(await moveSpecOf(moved))).not.toMatch(/"(ignore_hosts|ignoreHosts)":\["/)
  })
})
