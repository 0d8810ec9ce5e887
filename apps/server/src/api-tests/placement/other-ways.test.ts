import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataOf, type Json, placeWith, startTestService, type TestService } from '../../testing/test-service.ts'

let api: TestService
beforeAll(async () => {
  api = await startTestService()
})
afterAll(async () => {
  expect(api.warnings).toEqual([])
  await api.close()
})

const machine = (vcpus: number) => ({ vcpus, memoryMb: 1_024 * vcpus, cpuAllocationRatio: 1, ramAllocationRatio: 1 })
const flavor = (vcpus: number) => ({ vcpus, memoryMb: 64 })

const EVACUATE = `mutation ($in: HostEvacuateInput!) { hostEvacuate(input: $in) { __typename
  ... on HostEvacuatePayload { placedCount moves { result { __typename
    ... on SelectDestinationsPayload { destinations { selected { host { name } claim { id fence } } } }
    ... on NoValidHost { message decision { explanation { headline } } } } } } } }`
const FORESEE = `mutation ($in: HostEvacuateInput!) { hostEvacuate(input: $in, dryRun: true) { ... on HostEvacuatePreview { placedCount moves { message } } } }`
const RULE = `mutation ($uuid: UUID!, $version: Int!, $policy: GroupPolicy!) {
  serverGroupUpdate(uuid: $uuid, ifVersion: $version, policy: $policy) { __typename } }`

const messageOf = async (spec: object, more: object = {}): Promise<Json> => {
  const PLACE = `mutation ($in: SelectDestinationsInput!) { selectDestinations(input: $in) { __typename ... on NoValidHost { message cause { text } decision { cause { text } explanation { headline } } } ... on ValidationError { issues { message } } } }`
  return (await dataOf(api, PLACE, { in: { idempotencyKey: randomUUID(), spec: { gantt: spec }, ...more } })).selectDestinations
}

describe('E01: if the instances fit in another order, the refusal advises that order', () => {
  beforeAll(async () => {
    await api.report({ 'e01-a': machine(53), 'e01-b': machine(31) })
  })
  const gang = (first: number, other: number) => ({
    flavor: { ...flavor(first), name: 'first' },
    forceHosts: ['e01-a', 'e01-b'],
    gang: [{ name: 'other', instances: 1, flavor: flavor(other) }],
  })

  test('30 and 50 CPUs fit on hosts with 53 and 31 free CPUs only in the other order', async () => {
    const { __typename, message, cause, decision } = await messageOf(gang(30, 50))
    expect(__typename).toBe('NoValidHost')
    expect(message).toMatch(/All instances fit in another order: other, then first\. .*SOLVER considers all of them together\.$/)
    // the answer, the decision and the explanation have the same text
    expect([cause.text, decision.cause.text]).toEqual([decision.explanation.headline, decision.explanation.headline])
    expect(message).toBe(`The 2 instances are not placed. ${cause.text}`)
    expect((await messageOf(gang(50, 30))).__typename).toBe('SelectDestinationsPayload')
  })

  test('a refusal advises no order if the instances fit in no order', async () => {
    expect((await messageOf(gang(32, 52))).message).not.toMatch(/order/)
  })
})

test('several instances of an affinity group are placed on a host that fits all of them, and the explanation says why the best host was not selected', async () => {
  await api.report({ 'all-a': { ...machine(2), memoryMb: 65_536 }, 'all-b': { ...machine(8), memoryMb: 16_384 } })
  const instanceGroup = { uuid: randomUUID(), policy: 'AFFINITY' }
  const spec = { flavor: flavor(1), numInstances: 4, forceHosts: ['all-a', 'all-b'], instanceGroup }
  const placed = await placeWith(api, { claim: { mode: 'CONFIRM' }, spec: { gantt: spec } })
  expect(placed.destinations.map(({ selected }: Json) => selected.host.name)).toEqual(['all-b', 'all-b', 'all-b', 'all-b'])
  const DECISION =
    'query ($id: ID!) { node(id: $id) { ... on Decision { explanation { fidelity selection { pickedRank text } } } } verifyDecision(id: $id) { outcome } }'
  const { node, verifyDecision } = await dataOf(api, DECISION, { id: placed.decision.id })
  expect(node.explanation).toMatchObject({
    fidelity: 'REPLAYED',
    selection: {
      pickedRank: 2,
      text: 'The best of the hosts that fit all instances of the request, because their server group requires one host.',
    },
  })
  expect(verifyDecision.outcome).toBe('SAME')
})

test('Z20: an affinity pair can be evacuated by the steps that the refusal names', async () => {
  await api.report({ 'z20-a': machine(4), 'z20-b': machine(8), 'z20-c': machine(8) })
  const uuid = randomUUID()
  const aggregate = `mutation ($in: AggregateCreateInput!) { aggregateCreate(input: $in) { __typename } }`
  await dataOf(api, aggregate, { in: { name: 'z20', hosts: ['z20-a', 'z20-b', 'z20-c'], availabilityZone: 'z20' } })
  const spec = { flavor: flavor(2), availabilityZone: 'z20', instanceGroup: { uuid, policy: 'AFFINITY' } }
  const first = await placeWith(api, { claim: { mode: 'CONFIRM' }, spec: { gantt: { ...spec, forceHosts: ['z20-a'] } } })
  const second = await placeWith(api, { claim: { mode: 'CONFIRM' }, spec: { gantt: spec } })
  expect([first, second].map((placed) => placed.destinations[0].selected.host.name)).toEqual(['z20-a', 'z20-a'])

  const input = () => ({ host: { host: 'z20-a' }, idempotencyKey: randomUUID() })
  const way = `Server group ${uuid} keeps its 2 members on z20-a together, and no member can leave while another one stays. Move all of them: make its policy SOFT_AFFINITY`
  const refused = (await dataOf(api, EVACUATE, { in: input() })).hostEvacuate
  expect(refused.placedCount).toBe(0)
  for (const { result } of refused.moves) {
    expect(result.message).toContain(way)
    expect(result.message).toBe(`No host can take the instance. ${result.decision.explanation.headline}`)
  }
  const foreseen = (await dataOf(api, FORESEE, { in: input() })).hostEvacuate
  for (const { message } of foreseen.moves) expect(message).toContain(way)

  const rule = async (policy: string): Promise<string> => {
    const { serverGroup } = await dataOf(api, 'query ($uuid: UUID!) { serverGroup(uuid: $uuid) { version } }', { uuid })
    return (await dataOf(api, RULE, { uuid, version: serverGroup.version, policy })).serverGroupUpdate.__typename
  }
  expect(await rule('SOFT_AFFINITY')).toBe('ServerGroupPayload')
  const { placedCount, moves } = (await dataOf(api, EVACUATE, { in: input() })).hostEvacuate
  expect(placedCount).toBe(2)
  const there = moves.map(({ result }: Json) => result.destinations[0].selected)
  expect(new Set(there.map(({ host }: Json) => host.name)).size).toBe(1)
  const claims = there.map(({ claim }: Json) => ({ id: claim.id, fence: claim.fence }))
  await dataOf(api, 'mutation ($c: [ClaimRef!]!) { claimConfirm(claims: $c) { __typename } }', { c: claims })
  expect(await rule('AFFINITY')).toBe('ServerGroupPayload')
})
