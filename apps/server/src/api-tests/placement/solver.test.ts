import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dataOf, type Json, placeWith, startTestService, type TestService } from '../../testing/test-service.ts'

let api: TestService

const CREATE = `mutation ($profile: String!, $input: ProfileVersionInput!) { profileVersionCreate(profile: $profile, input: $input) { __typename
  ... on ProfilePayload { version { scheduler solver { timeLimitMs nodeLimit gap candidates } } }
  ... on ValidationError { issues { path message } } } }`

const DECISION = `query ($id: ID!) { node(id: $id) { ... on Decision { outcome
  solver { status taken why text objective filterObjective bound gap nodes columns rows candidates passing detail }
  receipt: explanation { fidelity selection { text } } } } }`

const create = async (profile: string, more: Record<string, unknown>): Promise<Json> =>
  (
    await dataOf(api, CREATE, {
      profile,
      input: { filters: [{ name: 'ComputeFilter' }], weighers: [{ name: 'RAMWeigher', multiplier: 1 }], note: 'n', ...more },
    })
  ).profileVersionCreate

const decisionOf = async (id: string): Promise<Json> => (await dataOf(api, DECISION, { id })).node

beforeAll(async () => {
  api = await startTestService()
  await api.report({
    large: { vcpus: 8, memoryMb: 8_192, cpuAllocationRatio: 1, ramAllocationRatio: 1 },
    small: { vcpus: 2, memoryMb: 2_048, cpuAllocationRatio: 1, ramAllocationRatio: 1 },
  })
  await create('gangs', { scheduler: 'SOLVER', solver: { timeLimitMs: 20_000 } })
  await create('greedy', {})
})

afterAll(() => api.close())

const flavor = { vcpus: 2, memoryMb: 2_048 }
const gang = [{ name: 'database', instances: 1, flavor: { vcpus: 8, memoryMb: 8_192, extraSpecs: [] } }]
const asked = { spec: { gantt: { flavor, gang } } }

test('a profile can set the solver as its scheduler, with its limits', async () => {
  expect(await create('limited', { scheduler: 'SOLVER', solver: { nodeLimit: 5 } })).toMatchObject({
    version: { scheduler: 'SOLVER', solver: { timeLimitMs: 2_000, nodeLimit: 5, gap: 0.0001, candidates: 100 } },
  })
  expect((await create('wrong', { scheduler: 'SOLVER', solver: { timeLimitMs: 5 } })).issues).toEqual([
    { path: ['input', 'solver', 'timeLimitMs'], message: 'input.solver.timeLimitMs is 5; it must be 10 or more' },
  ])
})

test('the filter scheduler refuses a request with several kinds of instances that fits in only one arrangement', async () => {
  const refused = await placeWith(api, { profile: 'greedy', ...asked })
  expect(refused).toMatchObject({ __typename: 'NoValidHost', placedCount: 1, decision: { outcome: 'NO_VALID_HOST' } })
  expect(await decisionOf(refused.decision.id)).toMatchObject({ solver: null })
  // the reasons are about the database instance, which needs a whole host
  expect(refused.reasons.map(({ text }: Json) => text).join(' ')).toContain('8')
})

test('a comparison counts a request as not solved if the solver would have to be called for it', async () => {
  await create('compared', {})
  await placeWith(api, { profile: 'compared', claim: { mode: 'NONE' } }, { flavor, numInstances: 2 })
  await placeWith(api, { profile: 'compared', claim: { mode: 'NONE' } }, { flavor })
  const parts = { filters: [{ name: 'ComputeFilter' }], weighers: [{ name: 'RAMWeigher', multiplier: -1 }], scheduler: 'SOLVER' }
  const COMPARE = `query ($draft: JSON!) { compareProfiles(baseline: "compared", candidate: { draft: $draft }) {
    total sampled elsewhere leftOut { notReplayable notSolved outOfTime } text } }`
  expect((await dataOf(api, COMPARE, { draft: parts })).compareProfiles).toEqual({
    ...{ total: 2, sampled: 1, elsewhere: 1, leftOut: { notReplayable: 0, notSolved: 1, outOfTime: 0 } },
    text: 'compared@2 against compared@1: 1 of 2 requests were decided again: 0 had the same outcome, 1 went to other hosts, 0 were newly placed, 0 newly failed. Of the other requests, 1 would need a solver.',
  })
})

test('a simulation calls the solver for each request on the state that the earlier requests left, and shows which arrangement was used', async () => {
  const SIMULATE = `query ($in: SimulateInput!) { simulate(input: $in) { placed failed solved { taken why decisions }
    decisions { outcome destinations { hostName } solver { taken why status gap } } } }`
  const requests = [{ ...asked, count: 3 }]
  const simulate = async (profile: string): Promise<Json> =>
    (await dataOf(api, SIMULATE, { in: { profile, deadline: 'PT60S', requests } })).simulate
  expect(await simulate('greedy')).toMatchObject({ placed: 0, solved: [], decisions: [{ solver: null }, {}, {}] })
  const { placed, failed, solved, decisions } = await simulate('gangs')
  expect([placed, failed]).toEqual([2, 4])
  // the first decision fills the hosts, so the solver finds no arrangement in the two later decisions
  expect(solved).toEqual([
    { taken: 'FILTER', why: 'INFEASIBLE', decisions: 2 },
    { taken: 'SOLVER', why: null, decisions: 1 },
  ])
  expect(decisions).toMatchObject([
    { outcome: 'PLACED', destinations: [{ hostName: 'small' }, { hostName: 'large' }], solver: { status: 'OPTIMAL', gap: 0 } },
    { outcome: 'NO_VALID_HOST', solver: { status: 'INFEASIBLE' } },
    { outcome: 'NO_VALID_HOST', solver: { status: 'INFEASIBLE' } },
  ])
})

test('the solver places the request, the decision shows how, and a retry with the same key gets the same answer', async () => {
  const idempotencyKey = randomUUID()
  const placed = await placeWith(api, { profile: 'gangs', idempotencyKey, ...asked })
  expect(placed.destinations.map(({ selected }: Json) => selected.host.name)).toEqual(['small', 'large'])
  expect(await decisionOf(placed.decision.id)).toMatchObject({
    outcome: 'PLACED',
    solver: { status: 'OPTIMAL', taken: 'SOLVER', why: null, gap: 0, filterObjective: null, passing: 2, detail: null },
    receipt: {
      fidelity: 'REPLAYED',
      selection: { text: 'A host of the best arrangement of all instances that the solver found.' },
    },
  })
  const { verifyDecision } = await dataOf(api, 'query ($id: ID!) { verifyDecision(id: $id) { outcome fidelity } }', {
    id: placed.decision.id,
  })
  expect(verifyDecision).toEqual({ outcome: 'SAME', fidelity: 'REPLAYED' })
  const { explainPlacement } = await dataOf(
    api,
    'query ($id: ID!) { explainPlacement(input: { subject: { decisionId: $id } }) { text(format: MARKDOWN) } }',
    { id: placed.decision.id },
  )
  expect(explainPlacement.text).toContain("## Solver\n\n- OPTIMAL: the solver's arrangement was used. ")
  expect(explainPlacement.text).toMatch(
    /- Objective \S+, by filter none; bound \S+, gap 0 %\.\n- \d+ nodes, of at most 10000 in 20000 ms\./,
  )
  expect(explainPlacement.text).toContain('## Gang\n\n- of flavor: small\n- database: large')
  const again = await placeWith(api, { profile: 'gangs', idempotencyKey, ...asked })
  expect([again.replayed, again.decision.id]).toEqual([true, placed.decision.id])
})

test('if no arrangement exists, the filter scheduler refuses the request, and the decision says that the solver found none', async () => {
  const refused = await placeWith(api, { profile: 'gangs', ...asked })
  expect(refused.__typename).toBe('NoValidHost')
  expect((await decisionOf(refused.decision.id)).solver).toMatchObject({
    status: 'INFEASIBLE',
    taken: 'FILTER',
    why: 'INFEASIBLE',
    objective: null,
  })
  // the filter scheduler refuses with the same reasons on the same state
  const greedy = await placeWith(api, { profile: 'greedy', ...asked })
  expect(refused.reasons.length).toBeGreaterThan(0)
  expect([refused.message, refused.reasons]).toEqual([greedy.message, greedy.reasons])
})

test.each([
  [
    { profile: 'gangs', allOrNothing: false },
    { path: ['input', 'allOrNothing'], message: 'input.allOrNothing is false; it must be true: a gang is placed whole or not at all' },
  ],
  [
    { profile: 'nova-compat' },
    {
      path: ['input', 'profile'],
      message:
        'input.profile is "nova-compat"; it must be a profile without compat: nova for a gang, because Nova supports one flavor per request',
    },
  ],
])('a request with several kinds of instances and %j is refused with a message', async (more, issue) => {
  expect((await placeWith(api, { ...more, ...asked })).issues).toMatchObject([issue])
})

test('a query that supports only one kind of instances refuses a request with several kinds, with a message', async () => {
  const { errors } = await api.ask('query ($input: CapacityInput!) { capacity(input: $input) { __typename } }', { input: asked })
  expect(errors[0]?.message).toBe(
    'input.spec.gantt.gang is a list of 1; it must be an empty list: capacity is counted for one kind of instances, so give each kind of the gang as a spec of its own',
  )
  const { decision } = await placeWith(api, { profile: 'greedy', ...asked })
  const input = { decisionId: decision.id }
  const ofDecision = await api.ask('query ($input: CapacityInput!) { capacity(input: $input) { __typename } }', { input })
  expect(ofDecision.errors[0]?.message).toMatch(
    /^input\.decisionId is "[\w-]+"; it must be the id of a decision about one kind of instances: capacity is counted for one kind/,
  )
})
