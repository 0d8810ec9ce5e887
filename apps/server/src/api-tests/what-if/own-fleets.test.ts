import { Fleet } from '@gantt/scheduler-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { dataOf, type Json, placeWith, startTestService, type TestService } from '../../testing/test-service.ts'

/** Records the calls of `Fleet.apply`. That method applies an entry without yielding. */
const applied = vi.spyOn(Fleet.prototype, 'apply')

let api: TestService
let uuid: string
let decision: string
let second: string
let begun: number

const ask = (document: string, variables?: Record<string, unknown>): Promise<Json> => dataOf(api, document, variables)

beforeAll(async () => {
  api = await startTestService()
  await api.report({ one: {}, two: {} })
  const { aggregateCreate } = await ask(
    'mutation { aggregateCreate(input: { name: "fast", hosts: ["one"] }) { ... on AggregatePayload { aggregate { uuid } } } }',
  )
  uuid = aggregateCreate.aggregate.uuid
  begun = Number((await ask('{ fleet { asOf } }')).fleet.asOf)
  decision = (await placeWith(api, {}, { flavor: { vcpus: 1, memoryMb: 1_024 } })).decision.id
  second = (await placeWith(api, {}, { flavor: { vcpus: 1, memoryMb: 1_024 } })).decision.id
  await api.report({ one: {} })
})
afterAll(async () => {
  applied.mockRestore()
  expect(api.warnings).toEqual([])
  await api.close()
})

test('a replica applies each entry of the log in one step', () => {
  expect(new Set(applied.mock.contexts).size).toBe(1)
})

test.each<[string, (named: { uuid: string; decision: string; begun: number }) => [document: string, variables?: Record<string, unknown>]]>([
  [
    'a simulation on an edited fleet',
    () => [
      `{ simulate(input: { requests: [{ spec: { gantt: { flavor: { vcpus: 1, memoryMb: 64 } } } }],
        overlay: { addHosts: [{ likeHost: "one", count: 3 }], removeHosts: ["two"] } }) { placed } }`,
    ],
  ],
  ['hosts at a revision', ({ begun: at }) => ['query ($at: Moment) { hosts(first: 5, at: $at) { totalCount } }', { at: String(at) }]],
  [
    'an explanation at a revision',
    (named) => [
      'query ($in: ExplainPlacementInput!) { explainPlacement(input: $in) { headline } }',
      { in: { subject: { decisionId: named.decision }, at: String(named.begun + 1) } },
    ],
  ],
  [
    'a comparison of profiles',
    () => [
      '{ compareProfiles(baseline: "default", candidate: { draft: { filters: [{ name: "ComputeFilter" }], weighers: [] } }) { sampled } }',
    ],
  ],
  [
    'the dry run of an edit of an aggregate',
    (named) => [
      `mutation ($uuid: UUID!) { aggregateUpdate(uuid: $uuid, ifVersion: 1, input: { addHosts: ["two"] }, dryRun: true) {
        ... on AggregatePayload { impact { hostsAffected } warnings { __typename } replay { sampled } } } }`,
      { uuid: named.uuid },
    ],
  ],
  [
    'the dry run of hostSetUsedFrom',
    () => [
      `mutation { hostSetUsedFrom(hosts: [{ host: "one" }], usedFrom: CLAIMS, reason: "x", dryRun: true) { __typename
        ... on HostSetUsedFromPayload { impact { hostsAffected } } } }`,
    ],
  ],
  ['the dry run of a healing', () => ['mutation { replicaHeal(dryRun: true) { __typename } }']],
])('a query yields while it applies entries to its own fleet: %s', async (_name, questionOf) => {
  const living = new Set(applied.mock.contexts)
  const inSteps = vi.spyOn(Fleet.prototype, 'applyInSteps')
  const answer = await ask(...questionOf({ uuid, decision, begun }))
  expect(JSON.stringify(answer)).not.toContain('UserError')
  const own = inSteps.mock.contexts.filter((fleet) => !living.has(fleet))
  inSteps.mockRestore()
  expect(own.length).toBeGreaterThan(0)
  expect(new Set(applied.mock.contexts)).toEqual(living)
})

/** How many fleets of the past each query needs at least. */
test.each<
  [string, number, (named: { decision: string; second: string; begun: number }) => [document: string, variables?: Record<string, unknown>]]
>([
  ['hosts at a revision', 1, ({ begun: at }) => ['query ($at: Moment) { hosts(first: 5, at: $at) { totalCount } }', { at: String(at) }]],
  [
    'an explanation',
    1,
    (named) => [
      'query ($in: ExplainPlacementInput!) { explainPlacement(input: $in) { headline } }',
      { in: { subject: { decisionId: named.decision } } },
    ],
  ],
  [
    'why a host was not chosen',
    2,
    (named) => [
      'query ($in: WhyNotInput!) { whyNot(input: $in) { headline wouldPassNow } }',
      { in: { subject: { decisionId: named.decision }, host: { host: 'two' } } },
    ],
  ],
  ['the verification of a decision', 1, (named) => ['query ($id: ID!) { verifyDecision(id: $id) { outcome } }', { id: named.decision }]],
  [
    'a comparison of decisions',
    2,
    (named) => ['query ($a: ID!, $b: ID!) { compareDecisions(a: $a, b: $b) { text } }', { a: named.decision, b: named.second }],
  ],
  [
    'a comparison of profiles',
    1,
    () => [
      '{ compareProfiles(baseline: "default", candidate: { draft: { filters: [{ name: "ComputeFilter" }], weighers: [] } }) { sampled } }',
    ],
  ],
  [
    'the unused parts of a profile',
    1,
    () => [
      '{ unusedParts(baseline: "default", candidate: { draft: { filters: [{ name: "ComputeFilter" }], weighers: [] } }) { decided } }',
    ],
  ],
])('a query gives back the fleets that it got from the past: %s', async (_name, fleets, questionOf) => {
  const givenUp = vi.spyOn(Object.getPrototypeOf(new Fleet().hosts), 'giveUpColumns')
  try {
    await ask(...questionOf({ decision, second, begun }))
    await expect.poll(() => new Set(givenUp.mock.contexts).size).toBeGreaterThanOrEqual(fleets)
  } finally {
    givenUp.mockRestore()
  }
})
