import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataOf, type Json, startTestService, type TestService } from '../../testing/test-service.ts'
import { movesOn } from './testing/moves.ts'

let api: TestService

beforeAll(async () => {
  api = await startTestService()
})
afterAll(() => api.close())

const { flavor, place, claimOf, end, freeOf, hosts } = movesOn(() => api)

describe('server groups and moves', () => {
  test('a move with another rule than its group has is refused with the path of the rule, and a move with the same rule is accepted', async () => {
    const names = await hosts(`rule-${randomUUID()}`, 3)
    const uuid = randomUUID()
    const group = { uuid, policy: 'ANTI_AFFINITY', maxServerPerHost: 2 }
    const first = claimOf(await place({ ...flavor(1), instanceUuids: [randomUUID()], forceHosts: names, instanceGroup: group }))
    const move = (instanceGroup: object, intent = 'LIVE_MIGRATE') =>
      place({ ...flavor(1), forceHosts: names, instanceGroup }, { intent, moveOf: first })
    for (const intent of ['LIVE_MIGRATE', 'RESIZE', 'REBUILD']) {
      const other = await move({ uuid, policy: 'SOFT_AFFINITY' }, intent)
      expect(other.issues).toMatchObject([
        { path: ['input', 'spec', 'gantt', 'instanceGroup', 'policy'], message: expect.stringContaining('ANTI_AFFINITY') },
      ])
      const more = await move({ ...group, maxServerPerHost: 3 }, intent)
      expect(more.issues).toMatchObject([
        { path: ['input', 'spec', 'gantt', 'instanceGroup', 'maxServerPerHost'], message: expect.stringContaining('must be 2') },
      ])
    }
    expect(await move({ uuid, policy: 'ANTI_AFFINITY' })).toMatchObject({ __typename: 'SelectDestinationsPayload' })
  })

  const UPDATE = `mutation ($uuid: UUID!, $v: Int!, $policy: GroupPolicy!, $max: Int, $dry: Boolean) {
    serverGroupUpdate(uuid: $uuid, ifVersion: $v, policy: $policy, maxServerPerHost: $max, dryRun: $dry) { __typename
      ... on ServerGroupPayload { dryRun serverGroup { version policy maxServerPerHost } }
      ... on ServerGroupConflict { message hosts { count host { name } } }
      ... on ServerGroupVersionConflict { expected actual } } }`
  const JOIN = `mutation ($c: [ClaimRef!]!, $g: ServerGroupRefInput, $dry: Boolean) {
    claimSetServerGroup(claims: $c, group: $g, dryRun: $dry) { __typename
      ... on ClaimPayload { replayed claim { serverGroup } } ... on ServerGroupConflict { hosts { count host { name } } } ... on UserError { code message } } }`

  test('a dry run shows the result of an edit of a group; an edit with which members would break the rule is refused with the hosts', async () => {
    const [a, b] = await hosts('apart', 2)
    const uuid = randomUUID()
    const group = (max: number) => ({ instanceGroup: { uuid, policy: 'ANTI_AFFINITY', maxServerPerHost: max } })
    for (const host of [a, a, b]) await place({ ...flavor(1), ...group(2), forceHosts: [host] })
    const update = async (args: Record<string, unknown>) =>
      (await dataOf(api, UPDATE, { uuid, v: 1, policy: 'ANTI_AFFINITY', ...args })).serverGroupUpdate
    const conflict = { __typename: 'ServerGroupConflict', hosts: [{ count: 2, host: { name: a } }] }
    expect(await update({ max: 1, dry: true })).toMatchObject(conflict)
    expect(await update({ max: 1 })).toMatchObject(conflict)
    expect(await update({ max: 3, dry: true })).toMatchObject({ dryRun: true, serverGroup: { maxServerPerHost: 3 } })
    expect(await update({ max: 3 })).toEqual({
      __typename: 'ServerGroupPayload',
      dryRun: false,
      serverGroup: { version: 2, policy: 'ANTI_AFFINITY', maxServerPerHost: 3 },
    })
    expect(await update({ max: 4 })).toEqual({ __typename: 'ServerGroupVersionConflict', expected: 1, actual: 2 })
    expect(await place({ ...flavor(1), ...group(3), forceHosts: [a] })).toMatchObject({ __typename: 'SelectDestinationsPayload' })
  })

  test('a claim can join a group if the rule of the group allows it', async () => {
    const [a] = await hosts('join', 1)
    const uuid = randomUUID()
    const rule = { uuid, policy: 'ANTI_AFFINITY' }
    const refs = [claimOf(await place({ ...flavor(1), forceHosts: [a] })), claimOf(await place({ ...flavor(1), forceHosts: [a] }))]
    const join = async (args: Record<string, unknown>) => (await dataOf(api, JOIN, { c: refs, ...args })).claimSetServerGroup
    const [first, second] = await join({ g: rule })
    expect(first).toMatchObject({ __typename: 'ClaimPayload', claim: { serverGroup: uuid } })
    expect(second).toMatchObject({ __typename: 'ServerGroupConflict', hosts: [{ count: 1, host: { name: a } }] })
    expect((await join({ g: rule, dry: true }))[1]).toMatchObject({ __typename: 'ServerGroupConflict' })
    expect((await join({ c: [refs[0]], g: null }))[0]).toMatchObject({ claim: { serverGroup: null } })
    expect((await join({ g: rule }))[1]).toMatchObject({ __typename: 'ServerGroupConflict' })
  })

  test('a moving instance does not conflict with itself, and stays in its group', async () => {
    const [a, b] = await hosts('mover', 2)
    const uuid = randomUUID()
    const group = { instanceGroup: { uuid, policy: 'AFFINITY' } }
    const first = claimOf(await place({ ...flavor(1), ...group, forceHosts: [a] }))
    const moved = await place({ ...flavor(1), forceHosts: [a, b] }, { intent: 'LIVE_MIGRATE', moveOf: first })
    expect(moved.destinations[0].selected.host.name).toBe(b)
    // while the move is open, the group has claims on two hosts, so no host satisfies the affinity rule
    expect(await place({ ...flavor(1), ...group, forceHosts: [a, b] })).toMatchObject({ __typename: 'NoValidHost' })
    await end('claimConfirm', [claimOf(moved)])
    const joined = await place({ ...flavor(1), ...group, forceHosts: [a, b] })
    expect(joined.destinations[0].selected.host.name).toBe(b)
  })
})

test('a host is evacuated in one call, and each move takes the effects of the earlier moves into account', async () => {
  const [from, ...to] = await hosts('evac', 3, { vcpus: 4 })
  const uuid = randomUUID()
  const everywhere = { forceHosts: [from, ...to] }
  const group = { instanceGroup: { uuid, policy: 'ANTI_AFFINITY', maxServerPerHost: 2 } }
  for (const vcpus of [2, 2]) await place({ ...flavor(vcpus), ...group, forceHosts: [from] }, { claim: { mode: 'CONFIRM' } })
  await place({ ...flavor(3), forceHosts: [to[0]] })
  expect(everywhere.forceHosts).toHaveLength(3)
  const EVACUATE = `mutation ($in: HostEvacuateInput!) { hostEvacuate(input: $in) { __typename
    ... on HostEvacuatePayload { placedCount moves { claim { id } result { __typename
      ... on SelectDestinationsPayload { replayed destinations { selected { host { name } claim { id fence } } } } } } } } }`
  const evacuate = async (key: string) => (await dataOf(api, EVACUATE, { in: { host: { host: from }, idempotencyKey: key } })).hostEvacuate
  await api.ask('mutation ($h: [ResourceNameInput!]!) { hostSetStatus(hosts: $h, status: MAINTENANCE, reason: "test") { __typename } }', {
    h: [{ host: from }],
  })
  const FORESEE = `mutation ($in: HostEvacuateInput!) { hostEvacuate(input: $in, dryRun: true) { __typename
    ... on HostEvacuatePreview { placedCount moves { claim { id } destination { name } message reasons { code } } } } }`
  const foreseen = (await dataOf(api, FORESEE, { in: { host: { host: from }, idempotencyKey: 'preview' } })).hostEvacuate
  expect(foreseen.moves.map(({ message }: Json) => message)).toEqual([null, null])
  const done = await evacuate('evacuation')
  expect(foreseen).toMatchObject({
    __typename: 'HostEvacuatePreview',
    placedCount: 2,
    moves: done.moves.map(({ claim }: Json) => ({ claim })),
  })
  // the requests of the two moves are equal, so a conflict can exchange their destinations; therefore the destinations are sorted
  const selectedOf = ({ result }: Json): string => result.destinations[0].selected.host.name
  expect(foreseen.moves.map(({ destination }: Json) => destination.name).sort()).toEqual(done.moves.map(selectedOf).sort())
  expect(done).toMatchObject({ __typename: 'HostEvacuatePayload' })
  expect(done.moves).toHaveLength(2)
  expect(done.moves.every(({ result }: Json) => result.__typename === 'SelectDestinationsPayload')).toBe(true)
  const again = await evacuate('evacuation')
  expect(again.moves.map(({ result }: Json) => result.replayed)).toEqual([true, true])
  expect(again.moves.map(({ result }: Json) => result.destinations)).toEqual(done.moves.map(({ result }: Json) => result.destinations))
  // claims with an open move cannot be evacuated from their destination, and the answer lists these claims
  const [arriving] = done.moves[0].result.destinations
  const onward = await dataOf(api, EVACUATE, { in: { host: { host: arriving.selected.host.name }, idempotencyKey: 'onward' } })
  const expected = { claim: { id: arriving.selected.claim.id }, result: { __typename: 'ClaimLost' } }
  expect(onward.hostEvacuate.moves).toContainEqual(expected)
  const foreseenOnward = await dataOf(api, FORESEE, { in: { host: { host: arriving.selected.host.name }, idempotencyKey: 'preview' } })
  const openMove = foreseenOnward.hostEvacuate.moves.find(({ claim }: Json) => claim.id === arriving.selected.claim.id)
  expect(openMove).toMatchObject({ destination: null, message: expect.stringContaining('open move') })
  await end(
    'claimConfirm',
    done.moves.map(({ result }: Json) => claimOf(result)),
  )
  expect(await freeOf(from as string)).toBe(4)
  expect((await evacuate('nothing left')).moves).toEqual([])
})

describe('the instances of a gang keep their sizes', () => {
  const SIZES = `query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Claim { instanceUuid resources { resourceClass amount } } } }`
  const small = { name: 'small', instances: 1, flavor: { vcpus: 1, memoryMb: 64, extraSpecs: [] } }

  /** Places a gang of two instances on one host: one with 6 vCPUs and one with 1 vCPU. */
  async function gangOn(host: string): Promise<{ readonly decision: string; readonly instances: readonly [string, string] }> {
    const instances = [randomUUID(), randomUUID()] as const
    const asked = { ...flavor(6), instanceUuids: instances, numInstances: 2, gang: [small], forceHosts: [host] }
    const placed = await place(asked, { claim: { mode: 'CONFIRM' } })
    expect(placed).toMatchObject({ __typename: 'SelectDestinationsPayload', destinations: [{ instanceUuid: instances[0] }, {}] })
    return { decision: placed.decision.id, instances }
  }
  const sizesOf = async (ids: readonly string[]): Promise<Record<string, number>> => {
    const { nodes } = await dataOf(api, SIZES, { ids })
    const vcpus = ({ resources }: Json): number => resources.find(({ resourceClass }: Json) => resourceClass === 'VCPU').amount
    return Object.fromEntries(nodes.map((claim: Json) => [claim.instanceUuid, vcpus(claim)]))
  }

  test('instances of a gang keep their sizes when their host is evacuated', async () => {
    const [from = ''] = await hosts('gang-evac', 2)
    const { instances } = await gangOn(from)
    await api.ask('mutation ($h: [ResourceNameInput!]!) { hostSetStatus(hosts: $h, status: MAINTENANCE, reason: "test") { __typename } }', {
      h: [{ host: from }],
    })
    const EVACUATE = `mutation ($in: HostEvacuateInput!) { hostEvacuate(input: $in) { ... on HostEvacuatePayload { moves { result {
      ... on SelectDestinationsPayload { destinations { selected { claim { id } } } } } } } } }`
    const { moves } = (await dataOf(api, EVACUATE, { in: { host: { host: from }, idempotencyKey: randomUUID() } })).hostEvacuate
    const chosen = moves.map(({ result }: Json) => result.destinations[0].selected)
    expect(await sizesOf(chosen.map(({ claim }: Json) => claim.id))).toEqual({ [instances[0]]: 6, [instances[1]]: 1 })
  })

  test("an instance of a gang keeps its size when a claim is created from the gang's decision", async () => {
    const [host = ''] = await hosts('gang-claim', 1)
    const { decision, instances } = await gangOn(host)
    const CLAIMS = `query ($h: String!) { host(name: $h) { claims(first: 5) { nodes { id fence instanceUuid } } } }`
    for (const { id, fence } of (await dataOf(api, CLAIMS, { h: host })).host.claims.nodes) await end('claimRelease', [{ id, fence }])
    const CREATE = `mutation ($in: ClaimCreateInput!) { claimCreate(input: $in) { __typename
      ... on SelectDestinationsPayload { destinations { selected { claim { id } } } } ... on ValidationError { issues { message } } } }`
    const create = async (instanceUuid: string | null): Promise<Json> =>
      (await dataOf(api, CREATE, { in: { idempotencyKey: randomUUID(), decisionId: decision, host: { host }, instanceUuid } })).claimCreate
    const made = [await create(instances[0]), await create(instances[1])]
    const ids = made.map(({ destinations }: Json) => destinations[0].selected.claim.id)
    expect(await sizesOf(ids)).toEqual({ [instances[0]]: 6, [instances[1]]: 1 })
    expect(await create(null)).toMatchObject({
      __typename: 'ValidationError',
      issues: [{ message: expect.stringContaining('be given, because the instances of the decision (a gang) have several sizes') }],
    })
  })
})
