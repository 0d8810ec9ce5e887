import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataOf, type Json, placeWith, startTestService, type TestService } from '../testing/test-service.ts'

let api: TestService

beforeAll(async () => {
  api = await startTestService()
})
afterAll(() => api.close())

const MOVE = `mutation ($in: SelectDestinationsInput!) { selectDestinations(input: $in) { __typename
  ... on SelectDestinationsPayload { replayed decision { id } destinations { instanceUuid
    selected { host { name } claim { id fence state moveOf { id } } } alternates { host { name } } } }
  ... on NoValidHost { decision { id } reasons { filter code hosts } }
  ... on ClaimLost { message claim { id state } }
  ... on ValidationError { issues { path message } }
  ... on UserError { code message path } } }`

const CLAIM = `query ($id: ID!) { claim(id: $id) { id state fence reason host { name } serverGroup moveOf { id } movingTo { id } } }`

const flavor = (vcpus: number) => ({ flavor: { vcpus, memoryMb: 1_024 } })

/** A placement as `spec.gantt` has it, with what the call has beside. */
async function place(gantt: Record<string, unknown>, input: Record<string, unknown> = {}): Promise<Json> {
  return (await dataOf(api, MOVE, { in: { idempotencyKey: randomUUID(), spec: { gantt }, ...input } })).selectDestinations
}

const claimOf = (answer: Json): { id: string; fence: number } => {
  const { id, fence } = answer.destinations[0].selected.claim
  return { id, fence }
}
const read = async (id: string): Promise<Json> => (await dataOf(api, CLAIM, { id })).claim
const end = async (name: string, claims: readonly object[]): Promise<Json> =>
  (
    await dataOf(
      api,
      `mutation ($c: [ClaimRef!]!) { ${name}(claims: $c) { __typename ... on ClaimPayload { replayed claim { state } } } }`,
      { c: claims },
    )
  )[name]
const freeOf = async (host: string): Promise<number> =>
  (
    await dataOf(api, 'query ($name: String!) { host(name: $name) { capacity { resourceClass free } } }', { name: host })
  ).host.capacity.find(({ resourceClass }: Json) => resourceClass === 'VCPU').free

/** Hosts of a test's own; requests are kept to them by naming them. */
async function hosts(prefix: string, count: number, shape: Record<string, unknown> = {}): Promise<string[]> {
  const names = Array.from({ length: count }, (_, i) => `${prefix}-${i + 1}`)
  await api.report(Object.fromEntries(names.map((name) => [name, { vcpus: 8, ...shape }])))
  return names
}

describe('a migration', () => {
  test('holds both ends until it is confirmed; then the source has ended in the same step', async () => {
    const [a, b] = await hosts('live', 2)
    const first = claimOf(await place({ ...flavor(4), instanceUuids: [randomUUID()], forceHosts: [a] }, { claim: { mode: 'CONFIRM' } }))
    const key = randomUUID()
    const input = { intent: 'LIVE_MIGRATE', moveOf: first, idempotencyKey: key }
    const moved = await place({ ...flavor(4), forceHosts: [a, b] }, input)
    expect(moved).toMatchObject({ __typename: 'SelectDestinationsPayload', replayed: false })
    expect(moved.destinations[0].selected).toMatchObject({ host: { name: b }, claim: { state: 'RESERVED', moveOf: { id: first.id } } })
    expect([await freeOf(a as string), await freeOf(b as string)]).toEqual([4, 4])
    expect(await read(first.id)).toMatchObject({ state: 'CONFIRMED', movingTo: { id: claimOf(moved).id } })
    expect((await end('claimConfirm', [claimOf(moved)]))[0]).toMatchObject({ claim: { state: 'CONFIRMED' } })
    expect([await freeOf(a as string), await freeOf(b as string)]).toEqual([8, 4])
    expect(await read(first.id)).toMatchObject({ state: 'RELEASED', reason: 'moved', movingTo: null })
    expect(await read(claimOf(moved).id)).toMatchObject({ moveOf: null })
    // the source is gone, and the same call still gets the same answer
    expect(await place({ ...flavor(4), forceHosts: [a, b] }, input)).toMatchObject({ replayed: true, decision: moved.decision })
  })

  test('is reverted by releasing its destination, and its source can move again', async () => {
    const [a, b] = await hosts('revert', 2)
    const spec = { ...flavor(2), forceHosts: [a, b] }
    const first = claimOf(await place({ ...flavor(2), instanceUuids: [randomUUID()], forceHosts: [a] }))
    const moved = claimOf(await place(spec, { intent: 'COLD_MIGRATE', moveOf: first }))
    expect(await place(spec, { intent: 'COLD_MIGRATE', moveOf: first })).toMatchObject({ __typename: 'ClaimLost', code: 'CLAIM_LOST' })
    await end('claimRelease', [moved])
    expect(await read(first.id)).toMatchObject({ state: 'RESERVED', movingTo: null })
    expect([await freeOf(a as string), await freeOf(b as string)]).toEqual([6, 8])
    expect(await place(spec, { intent: 'COLD_MIGRATE', moveOf: first })).toMatchObject({ __typename: 'SelectDestinationsPayload' })
  })

  test('never stays on its host: without another there is no valid host, and the reason says so', async () => {
    const [a] = await hosts('alone', 1)
    const first = claimOf(await place({ ...flavor(2), forceHosts: [a] }))
    const refused = await place({ ...flavor(2), forceHosts: [a] }, { intent: 'LIVE_MIGRATE', moveOf: first })
    expect(refused).toMatchObject({ __typename: 'NoValidHost', code: 'NO_VALID_HOST' })
    expect(refused.reasons.map(({ code }: Json) => code)).toContain('host.excluded')
  })

  test('with an old fence, of an ended claim, or of nothing, is lost', async () => {
    const [a, b] = await hosts('lost', 2)
    const spec = { ...flavor(1), forceHosts: [a, b] }
    const first = claimOf(await place({ ...flavor(1), forceHosts: [a] }))
    expect(await place(spec, { intent: 'EVACUATE', moveOf: { ...first, fence: first.fence - 1 } })).toMatchObject({
      __typename: 'ClaimLost',
    })
    await end('claimRelease', [first])
    expect(await place(spec, { intent: 'EVACUATE', moveOf: first })).toMatchObject({
      __typename: 'ClaimLost',
      claim: { state: 'RELEASED' },
    })
  })
})

describe('a question about a move', () => {
  test('of another time takes away its own claim only where that is there: what has ended holds nothing', async () => {
    const [a, b] = await hosts('asked', 2)
    const spec = { ...flavor(6), forceHosts: [a, b] }
    const early = (await place({ ...flavor(1), forceHosts: [b] }, { claim: { mode: 'NONE' } })).decision.id
    const before = (await dataOf(api, 'query ($id: ID!) { decision(id: $id) { fleetRevision } }', { id: early })).decision.fleetRevision
    const first = claimOf(await place({ ...flavor(4), forceHosts: [a] }, { claim: { mode: 'CONFIRM' } }))
    // where it is, others leave it no room to grow
    await place({ ...flavor(4), forceHosts: [a] }, { claim: { mode: 'CONFIRM' } })
    const moved = await place(spec, { intent: 'RESIZE', moveOf: first })
    expect(moved.destinations[0].selected.host.name).toBe(b)
    await end('claimConfirm', [claimOf(moved)])
    await place({ ...flavor(2), forceHosts: [a] }, { claim: { mode: 'CONFIRM' } })
    expect(await freeOf(a as string)).toBe(2)

    const ask = async (at: string | null): Promise<Json> =>
      dataOf(
        api,
        `query ($id: ID!, $at: Revision, $host: String!) {
          whyNot(input: { subject: { decisionId: $id }, at: $at, host: { host: $host } }) {
            wouldPassNow explanation { fidelity }
            verdict { checks { filter facts { actual } } }
            nowRefusedBy { filter facts { required actual } } } }`,
        { id: moved.decision.id, at, host: a },
      )
    const core = (checks: Json) => checks.find(({ filter }: Json) => filter === 'CoreFilter')
    const { whyNot } = await ask(null)
    expect([whyNot.explanation.fidelity, core(whyNot.verdict.checks).facts[0].actual]).toEqual(['REPLAYED', '4'])
    expect([whyNot.wouldPassNow, core(whyNot.nowRefusedBy)]).toEqual([
      false,
      { filter: 'CoreFilter', facts: [{ required: '6', actual: '2' }] },
    ])
    // after the claim ended, and before it was there
    const { revision } = (await dataOf(api, 'query ($id: ID!) { claim(id: $id) { revision } }', { id: first.id })).claim
    expect(core((await ask(revision)).whyNot.verdict.checks).facts[0].actual).toBe('4')
    const { explanation, verdict } = (await ask(before)).whyNot
    expect([explanation.fidelity, core(verdict.checks).facts]).toEqual(['APPROXIMATE', []])
  })
})

describe('a resize', () => {
  test('in place takes only the difference, and gives back what it no longer needs', async () => {
    const [a] = await hosts('grow', 1)
    const instance = randomUUID()
    const first = claimOf(await place({ ...flavor(5), instanceUuids: [instance], forceHosts: [a] }, { claim: { mode: 'CONFIRM' } }))
    const grown = await place({ ...flavor(8), forceHosts: [a] }, { intent: 'RESIZE', moveOf: first })
    expect(grown).toMatchObject({ __typename: 'SelectDestinationsPayload', destinations: [{ instanceUuid: instance }] })
    expect(await freeOf(a as string)).toBe(0)
    await end('claimConfirm', [claimOf(grown)])
    const shrunk = claimOf(await place({ ...flavor(2), forceHosts: [a] }, { intent: 'RESIZE', moveOf: claimOf(grown) }))
    expect(await freeOf(a as string)).toBe(0)
    await end('claimConfirm', [shrunk])
    expect(await freeOf(a as string)).toBe(6)
    const tooMuch = await place({ ...flavor(9), forceHosts: [a] }, { intent: 'RESIZE', moveOf: shrunk })
    expect(tooMuch).toMatchObject({ __typename: 'NoValidHost' })
    expect(await freeOf(a as string)).toBe(6)
  })

  test('in place leaves nothing held once the host reports after it, also where the report says the same again', async () => {
    const [a, instance, incarnation] = [`reported-${randomUUID()}`, randomUUID(), randomUUID()]
    const report = async (sequence: number, vcpusUsed: number) => {
      const full = { vcpus: 8, vcpusUsed, memoryMb: 65_536, memoryMbUsed: 0, localGb: 1_024, localGbUsed: 0, instances: [instance] }
      const updates = [{ name: { host: a }, reporter: { incarnation, sequence }, report: { full } }]
      const REPORT = 'mutation ($u: [ResourceStatsInput!]!) { updateResourceStats(input: { updates: $u }) { appliedCount } }'
      expect((await dataOf(api, REPORT, { u: updates })).updateResourceStats.appliedCount).toBe(1)
    }
    await report(1, 0)
    const first = claimOf(await place({ ...flavor(4), instanceUuids: [instance], forceHosts: [a] }, { claim: { mode: 'CONFIRM' } }))
    await report(2, 4)
    const grown = claimOf(await place({ ...flavor(7), forceHosts: [a] }, { intent: 'RESIZE', moveOf: first }))
    await report(3, 7)
    await end('claimConfirm', [grown])
    expect(await freeOf(a)).toBe(-2)
    const { revision } = api.service.replica.fleet.place
    await report(4, 7)
    expect(await freeOf(a)).toBe(1)
    await report(5, 7)
    expect(api.service.replica.fleet.place.revision).toBe(revision + 1)
  })

  test('goes elsewhere where its host has no room', async () => {
    const [a, b] = await hosts('elsewhere', 2)
    const first = claimOf(await place({ ...flavor(4), forceHosts: [a] }))
    await place({ ...flavor(3), forceHosts: [a] })
    const resized = await place({ ...flavor(6), forceHosts: [a, b] }, { intent: 'RESIZE', moveOf: first })
    expect(resized.destinations[0].selected.host.name).toBe(b)
  })
})

test('a probe and a rebuild claim nothing; a rebuild is asked of its own host only', async () => {
  const [a, b] = await hosts('rebuild', 2)
  const instance = randomUUID()
  const first = claimOf(await place({ ...flavor(8), instanceUuids: [instance], forceHosts: [a] }, { claim: { mode: 'CONFIRM' } }))
  const rebuilt = await place({ ...flavor(8), forceHosts: [a, b] }, { intent: 'REBUILD', moveOf: first })
  expect(rebuilt.destinations).toMatchObject([{ instanceUuid: instance, selected: { host: { name: a }, claim: null } }])
  const probed = await place({ ...flavor(8), forceHosts: [b] }, { intent: 'PROBE' })
  expect(probed.destinations).toMatchObject([{ selected: { host: { name: b }, claim: null } }])
  expect([await freeOf(a as string), await freeOf(b as string)]).toEqual([0, 8])
})

describe('a rebuild stays, within what the caller allows', () => {
  const destination = (host?: string, node?: string) => ({ requestedDestination: { host, node } })

  test.each<[string, (own: string, other: string) => Record<string, unknown>, boolean]>([
    ['its own host', (own) => destination(own), true],
    ['its own node', (own) => destination(undefined, own), true],
    ['another host', (_own, other) => destination(other), false],
    ['another node of its own host', (own, other) => destination(own, other), false],
    ['other hosts by force', (_own, other) => ({ forceHosts: [other] }), false],
  ])('%s', async (_situation, asked, stays) => {
    const [a = '', b = ''] = await hosts(`rebuild-${randomUUID()}`, 2)
    const first = claimOf(await place({ ...flavor(1), instanceUuids: [randomUUID()], forceHosts: [a] }, { claim: { mode: 'CONFIRM' } }))
    for (const profile of ['default', 'nova-compat']) {
      const answer = await place({ ...flavor(1), ...asked(a, b) }, { intent: 'REBUILD', moveOf: first, profile })
      expect([profile, answer.__typename]).toEqual([profile, stays ? 'SelectDestinationsPayload' : 'NoValidHost'])
    }
  })
})

test.each<[string, Record<string, unknown>, Record<string, unknown>, string]>([
  ['a move without its claim', { intent: 'RESIZE' }, {}, 'moveOf'],
  ['a claim without a move', { moveOf: 'claim' }, {}, 'moveOf'],
  ['several instances', { intent: 'LIVE_MIGRATE', moveOf: 'claim' }, { numInstances: 2 }, 'numInstances'],
  ['another instance', { intent: 'LIVE_MIGRATE', moveOf: 'claim' }, { instanceUuids: [randomUUID()] }, 'instanceUuids'],
])('%s is refused with its place', async (_name, input, gantt, field) => {
  const [a] = await hosts(`bad-${randomUUID()}`, 1)
  const moveOf = 'moveOf' in input ? { moveOf: claimOf(await place({ ...flavor(1), forceHosts: [a] })) } : {}
  const answer = await place({ ...flavor(1), ...gantt }, { ...input, ...moveOf })
  expect(answer).toMatchObject({ __typename: 'ValidationError', code: 'INVALID' })
  expect(answer.issues[0].path).toContain(field)
})

describe('a server group', () => {
  test('a move keeps the rule of its group: another one is refused with its path, and the same one is taken', async () => {
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

  test('is edited with a preview; an edit that members would break is refused with the hosts', async () => {
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

  test('takes a claim in where its rule allows it', async () => {
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

  test('a mover does not stand in its own way, and its group follows it', async () => {
    const [a, b] = await hosts('mover', 2)
    const uuid = randomUUID()
    const group = { instanceGroup: { uuid, policy: 'AFFINITY' } }
    const first = claimOf(await place({ ...flavor(1), ...group, forceHosts: [a] }))
    const moved = await place({ ...flavor(1), forceHosts: [a, b] }, { intent: 'LIVE_MIGRATE', moveOf: first })
    expect(moved.destinations[0].selected.host.name).toBe(b)
    // while both ends are held, nobody can tell where the group will live
    expect(await place({ ...flavor(1), ...group, forceHosts: [a, b] })).toMatchObject({ __typename: 'NoValidHost' })
    await end('claimConfirm', [claimOf(moved)])
    const joined = await place({ ...flavor(1), ...group, forceHosts: [a, b] })
    expect(joined.destinations[0].selected.host.name).toBe(b)
  })
})

test('a whole host is evacuated in one call whose picks see each other', async () => {
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
  // the two are alike: one that has to be decided once more, as something else came between, takes the other's place
  const selectedOf = ({ result }: Json): string => result.destinations[0].selected.host.name
  expect(foreseen.moves.map(({ destination }: Json) => destination.name).sort()).toEqual(done.moves.map(selectedOf).sort())
  expect(done).toMatchObject({ __typename: 'HostEvacuatePayload' })
  expect(done.moves).toHaveLength(2)
  expect(done.moves.every(({ result }: Json) => result.__typename === 'SelectDestinationsPayload')).toBe(true)
  const again = await evacuate('evacuation')
  expect(again.moves.map(({ result }: Json) => result.replayed)).toEqual([true, true])
  expect(again.moves.map(({ result }: Json) => result.destinations)).toEqual(done.moves.map(({ result }: Json) => result.destinations))
  // where they go to cannot be emptied without them: who asks is told of the moves that are open
  const [arriving] = done.moves[0].result.destinations
  const onward = await dataOf(api, EVACUATE, { in: { host: { host: arriving.selected.host.name }, idempotencyKey: 'onward' } })
  const expected = { claim: { id: arriving.selected.claim.id }, result: { __typename: 'ClaimLost' } }
  expect(onward.hostEvacuate.moves).toContainEqual(expected)
  const foreseenOnward = await dataOf(api, FORESEE, { in: { host: { host: arriving.selected.host.name }, idempotencyKey: 'preview' } })
  const told = foreseenOnward.hostEvacuate.moves.find(({ claim }: Json) => claim.id === arriving.selected.claim.id)
  expect(told).toMatchObject({ destination: null, message: expect.stringContaining('open move') })
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

  /** A gang of one instance of 6 vCPUs and one of 1, on one host. */
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

  test('where their host is emptied', async () => {
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

  test('where a claim is made by their decision', async () => {
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
      issues: [{ message: expect.stringContaining('be given: the instances of the decision, a gang, are of several sizes') }],
    })
  })
})

test('an alternate is claimed without a search, and every filter still has its say', async () => {
  const [a, b] = await hosts('alternate', 2)
  const instance = randomUUID()
  const CREATE = `mutation ($in: ClaimCreateInput!) { claimCreate(input: $in) { __typename
    ... on SelectDestinationsPayload { destinations { instanceUuid selected { host { name } claim { id fence state } } } } ... on UserError { code message } } }`
  const first = await place({ ...flavor(6), instanceUuids: [instance], forceHosts: [a, b] })
  const alternate = first.destinations[0].alternates[0].host.name
  const create = async (more: Record<string, unknown> = {}) =>
    (await dataOf(api, CREATE, { in: { decisionId: first.decision.id, host: { host: alternate }, idempotencyKey: randomUUID(), ...more } }))
      .claimCreate
  const created = await create({ moveOf: claimOf(first) })
  expect(created.destinations).toMatchObject([
    { instanceUuid: instance, selected: { host: { name: alternate }, claim: { state: 'RESERVED' } } },
  ])
  await end('claimConfirm', [claimOf(created)])
  expect(await read(claimOf(first).id)).toMatchObject({ state: 'RELEASED', reason: 'moved' })
  expect(await create()).toMatchObject({ __typename: 'NoValidHost', code: 'NO_VALID_HOST' })
  expect(await create({ instanceUuid: randomUUID() })).toMatchObject({ __typename: 'ValidationError' })
  // what the request kept out is not let in by the way
  const [other] = await hosts('not-an-alternate', 1)
  expect(await create({ host: { host: other } })).toMatchObject({ __typename: 'ValidationError', code: 'INVALID' })
})

test('operators revoke a claim whatever its fence is; its holder learns it', async () => {
  const [a] = await hosts('revoke', 1)
  const claim = claimOf(await place({ ...flavor(3), forceHosts: [a] }))
  const REVOKE = `mutation ($ids: [ID!]!) { claimRevoke(ids: $ids, reason: "rack 4 burns") { __typename ... on ClaimPayload { replayed claim { state reason } } } }`
  const revoke = async () => (await dataOf(api, REVOKE, { ids: [claim.id] })).claimRevoke[0]
  expect(await revoke()).toEqual({ __typename: 'ClaimPayload', replayed: false, claim: { state: 'REVOKED', reason: 'rack 4 burns' } })
  expect(await revoke()).toMatchObject({ replayed: true })
  expect(await freeOf(a as string)).toBe(8)
  expect((await end('claimConfirm', [claim]))[0]).toMatchObject({ __typename: 'ClaimLost' })
  expect((await api.ask(REVOKE, { ids: [claim.id] }, await api.keyWith('CLAIM'))).errors[0]?.extensions.code).toBe('FORBIDDEN')
})

test('every decision of a move is made again to the bit', async () => {
  const [a, b] = await hosts('bits', 2)
  const first = claimOf(await placeWith(api, {}, { forceHosts: [a] }))
  const moved = await place({ ...flavor(2), forceHosts: [a, b] }, { intent: 'RESIZE', moveOf: first })
  const EXPLAIN = `query ($id: ID!) { decision(id: $id) { explanation { fidelity headline steps { name entered passed } } } }`
  const { explanation } = (await dataOf(api, EXPLAIN, { id: moved.decision.id })).decision
  expect(explanation.fidelity).toBe('REPLAYED')
  expect(explanation.steps.length).toBeGreaterThan(0)
})
