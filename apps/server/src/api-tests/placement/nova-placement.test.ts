import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dataOf, type Json, startTestService, type TestService } from '../../testing/test-service.ts'

/**
 * These tests check conditions on zones, traits and aggregates under Nova's rules, for the profile `nova-compat` and for an operator's
 * profile. They also check that explanations and replays agree with the decision.
 */

let api: TestService
const profiles = ['nova-compat', 'own'] as const

const report = (host: string, full: Json) => ({
  name: { host },
  reporter: { incarnation: randomUUID(), sequence: 1 },
  report: { full: { vcpus: 16, vcpusUsed: 0, memoryMb: 65_536, memoryMbUsed: 0, localGb: 1_000, localGbUsed: 0, ...full } },
})

beforeAll(async () => {
  api = await startTestService()
  const updates = [report('f1-in', { traits: ['CUSTOM_T'] }), report('f1-out', { memoryMb: 262_144 })]
  await dataOf(api, 'mutation ($in: UpdateResourceStatsInput!) { updateResourceStats(input: $in) { appliedCount } }', { in: { updates } })
  await dataOf(api, 'mutation { aggregateCreate(input: { name: "f1z", hosts: ["f1-in"], availabilityZone: "f1z" }) { __typename } }')
  const input = { note: 'as Nova', compat: 'NOVA', filters: [{ name: 'ComputeFilter' }], weighers: [{ name: 'RAMWeigher', multiplier: 1 }] }
  const created = await dataOf(
    api,
    `mutation ($in: ProfileVersionInput!) { profileVersionCreate(profile: "own", input: $in) { __typename ... on ValidationError { issues { message } } } }`,
    { in: input },
  )
  expect(created.profileVersionCreate).toMatchObject({ __typename: 'ProfilePayload' })
})
afterAll(async () => {
  expect(api.warnings).toEqual([])
  await api.close()
})

const SELECT = `mutation ($in: SelectDestinationsInput!) { selectDestinations(input: $in) { __typename
  ... on SelectDestinationsPayload { decision { id } destinations { selected { host { name } } } }
  ... on NoValidHost { message decision { id } reasons { filter code hosts } } } }`

const select = async (profile: string, gantt: Json): Promise<Json> =>
  (await dataOf(api, SELECT, { in: { idempotencyKey: randomUUID(), profile, spec: { gantt } } })).selectDestinations

const small = { vcpus: 1, memoryMb: 64 }

test.each(profiles)('F1 under %s: a request for a zone gets the only host of the zone', async (profile) => {
  const answer = await select(profile, { availabilityZone: 'f1z', flavor: small })
  expect(answer.destinations[0].selected.host.name).toBe('f1-in')
})

test.each(profiles)('F1 under %s: a request for a missing zone is refused', async (profile) => {
  const answer = await select(profile, { availabilityZone: 'no-such-zone', flavor: small })
  expect(answer).toMatchObject({ __typename: 'NoValidHost', reasons: [{ filter: 'PlacementZone', code: 'zone.other', hosts: 2 }] })
})

test.each(profiles)('F1 under %s: a request for a trait gets the host that has it, and is refused if none has it', async (profile) => {
  const asks = (trait: string) => ({ flavor: { ...small, extraSpecs: [{ key: `trait:${trait}`, value: 'required' }] } })
  expect((await select(profile, asks('CUSTOM_T'))).destinations[0].selected.host.name).toBe('f1-in')
  expect(await select(profile, asks('CUSTOM_NOWHERE'))).toMatchObject({
    __typename: 'NoValidHost',
    reasons: [{ filter: 'PlacementTraits', code: 'trait.missing', hosts: 2 }],
  })
})

test('the explanation has the same counts as the decision, and the replay is equal', async () => {
  const { decision } = await select('nova-compat', { availabilityZone: 'f1z', flavor: small })
  const node = await dataOf(
    api,
    `query ($id: ID!) { node(id: $id) { ... on Decision { explanation { steps { name entered passed reasons { code } } } } } }`,
    { id: decision.id },
  )
  expect(node.node.explanation.steps).toContainEqual({ name: 'PlacementZone', entered: 2, passed: 1, reasons: [{ code: 'zone.other' }] })
  const verified = await dataOf(api, 'query ($id: ID!) { verifyDecision(id: $id) { outcome } }', { id: decision.id })
  expect(verified.verifyDecision.outcome).toBe('SAME')
})

test('the settings of Placement’s checks in a profile can be written and read', async () => {
  const placement = { limitTenants: true, tenantsNeedAggregate: true, defaultAvailabilityZone: 'az0' }
  const done = await dataOf(
    api,
    `mutation ($in: ProfileVersionInput!) { profileVersionCreate(profile: "tenants", input: $in) { __typename
      ... on ProfilePayload { version { nova { placement { availabilityZone defaultAvailabilityZone limitTenants tenantsNeedAggregate isolateAggregates imageType } } } } } }`,
    { in: { note: 'as Nova', compat: 'NOVA', filters: [], weighers: [], nova: { placement } } },
  )
  expect(done.profileVersionCreate.version.nova.placement).toEqual({
    availabilityZone: true,
    isolateAggregates: false,
    imageType: false,
    ...placement,
  })
  expect(await select('tenants', { projectId: 'p1', flavor: small })).toMatchObject({
    reasons: [{ filter: 'PlacementTenant', code: 'aggregate.tenant' }],
  })
})
