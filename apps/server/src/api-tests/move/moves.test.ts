import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataOf, type Json, placeWith, startTestService, type TestService } from '../../testing/test-service.ts'
import { movesOn } from './testing/moves.ts'

let api: TestService

beforeAll(async () => {
  api = await startTestService()
})
afterAll(() => api.close())

const { flavor, place, claimOf, read, end, freeOf, hosts } = movesOn(() => api)

describe('the migration of an instance', () => {
  test('a migration holds resources on source and destination until it is confirmed, and the confirmation ends the source claim', async () => {
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
    // after the source claim has ended, a repeated call gets the same answer
    expect(await place({ ...flavor(4), forceHosts: [a, b] }, input)).toMatchObject({ replayed: true, decision: moved.decision })
  })

  test('releasing the destination claim reverts a migration, and the source claim can move again', async () => {
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

  test('a migration is refused if no other host fits, and the reason says that it may not stay on its host', async () => {
    const [a] = await hosts('alone', 1)
    const first = claimOf(await place({ ...flavor(2), forceHosts: [a] }))
    const refused = await place({ ...flavor(2), forceHosts: [a] }, { intent: 'LIVE_MIGRATE', moveOf: first })
    expect(refused).toMatchObject({ __typename: 'NoValidHost', code: 'NO_VALID_HOST' })
    expect(refused.reasons.map(({ code }: Json) => code)).toContain('host.excluded')
  })

  test('a migration with an old fence, of an ended claim or of a missing claim is refused as lost', async () => {
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

describe('a query about a move', () => {
  test("a query about a move at a moment ignores the instance's own claim only if the claim existed at that moment", async () => {
    const [a, b] = await hosts('asked', 2)
    const spec = { ...flavor(6), forceHosts: [a, b] }
    const early = (await place({ ...flavor(1), forceHosts: [b] }, { claim: { mode: 'NONE' } })).decision.id
    const before = (await dataOf(api, 'query ($id: ID!) { decision(id: $id) { fleetRevision } }', { id: early })).decision.fleetRevision
    const first = claimOf(await place({ ...flavor(4), forceHosts: [a] }, { claim: { mode: 'CONFIRM' } }))
    // a second instance uses the remaining CPUs of the host, so the first instance cannot grow there
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
    // the query is made for a moment after the claim ended, and then for a moment before the claim existed
    const { revision } = (await dataOf(api, 'query ($id: ID!) { claim(id: $id) { revision } }', { id: first.id })).claim
    expect(core((await ask(revision)).whyNot.verdict.checks).facts[0].actual).toBe('4')
    const { explanation, verdict } = (await ask(before)).whyNot
    expect([explanation.fidelity, core(verdict.checks).facts]).toEqual(['APPROXIMATE', []])
  })
})

describe('the resize of an instance', () => {
  test('a resize in place claims only the additional amounts, and a confirmed resize to a smaller size releases amounts', async () => {
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

  test('after a resize in place, the claim holds no additional amounts once the host reports, even if its report is unchanged', async () => {
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

  test('a resized instance moves to another host if its own host has too few free resources', async () => {
    const [a, b] = await hosts('elsewhere', 2)
    const first = claimOf(await place({ ...flavor(4), forceHosts: [a] }))
    await place({ ...flavor(3), forceHosts: [a] })
    const resized = await place({ ...flavor(6), forceHosts: [a, b] }, { intent: 'RESIZE', moveOf: first })
    expect(resized.destinations[0].selected.host.name).toBe(b)
  })
})

test('a probe and a rebuild claim nothing, and a rebuild is checked only on its own host', async () => {
  const [a, b] = await hosts('rebuild', 2)
  const instance = randomUUID()
  const first = claimOf(await place({ ...flavor(8), instanceUuids: [instance], forceHosts: [a] }, { claim: { mode: 'CONFIRM' } }))
  const rebuilt = await place({ ...flavor(8), forceHosts: [a, b] }, { intent: 'REBUILD', moveOf: first })
  expect(rebuilt.destinations).toMatchObject([{ instanceUuid: instance, selected: { host: { name: a }, claim: null } }])
  const probed = await place({ ...flavor(8), forceHosts: [b] }, { intent: 'PROBE' })
  expect(probed.destinations).toMatchObject([{ selected: { host: { name: b }, claim: null } }])
  expect([await freeOf(a as string), await freeOf(b as string)]).toEqual([0, 8])
})

describe('a rebuild stays on its host, and is refused if the host does not meet the conditions of the request', () => {
  const destination = (host?: string, node?: string) => ({ requestedDestination: { host, node } })

  test.each<[string, (own: string, other: string) => Record<string, unknown>, boolean]>([
    ['its own host', (own) => destination(own), true],
    ['its own node', (own) => destination(undefined, own), true],
    ['a requested host that is not its own', (_own, other) => destination(other), false],
    ['its own host and a node of a different name', (own, other) => destination(own, other), false],
    ['other hosts by force', (_own, other) => ({ forceHosts: [other] }), false],
  ])('a rebuild with %s', async (_situation, asked, stays) => {
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
  ['a move of several instances', { intent: 'LIVE_MIGRATE', moveOf: 'claim' }, { numInstances: 2 }, 'numInstances'],
  ['a move of another instance', { intent: 'LIVE_MIGRATE', moveOf: 'claim' }, { instanceUuids: [randomUUID()] }, 'instanceUuids'],
])('a call with %s is refused with the path of the wrong field', async (_name, input, gantt, field) => {
  const [a] = await hosts(`bad-${randomUUID()}`, 1)
  const moveOf = 'moveOf' in input ? { moveOf: claimOf(await place({ ...flavor(1), forceHosts: [a] })) } : {}
  const answer = await place({ ...flavor(1), ...gantt }, { ...input, ...moveOf })
  expect(answer).toMatchObject({ __typename: 'ValidationError', code: 'INVALID' })
  expect(answer.issues[0].path).toContain(field)
})

test('an alternate is claimed without evaluating other hosts, and every filter still applies to it', async () => {
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
  // the request of the decision excludes this host, so the host is refused
  const [other] = await hosts('not-an-alternate', 1)
  expect(await create({ host: { host: other } })).toMatchObject({ __typename: 'ValidationError', code: 'INVALID' })
})

test('an operator can revoke a claim whatever its fence is, and the holder gets the reason', async () => {
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

test('every decision of a move is replayed bit for bit', async () => {
  const [a, b] = await hosts('bits', 2)
  const first = claimOf(await placeWith(api, {}, { forceHosts: [a] }))
  const moved = await place({ ...flavor(2), forceHosts: [a, b] }, { intent: 'RESIZE', moveOf: first })
  const EXPLAIN = `query ($id: ID!) { decision(id: $id) { explanation { fidelity headline steps { name entered passed } } } }`
  const { explanation } = (await dataOf(api, EXPLAIN, { id: moved.decision.id })).decision
  expect(explanation.fidelity).toBe('REPLAYED')
  expect(explanation.steps.length).toBeGreaterThan(0)
})
