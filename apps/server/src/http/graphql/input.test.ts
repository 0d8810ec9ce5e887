import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { byExtent } from '../../../../../testing/extent.ts'
import { codeOf, startTestService, type TestService } from '../../testing/test-service.ts'

let api: TestService
beforeAll(async () => {
  api = await startTestService()
  await api.report({ h1: {} })
})
afterAll(async () => {
  expect(api.warnings).toEqual([])
  await api.close()
})

describe('values that do not fit their types', () => {
  const PLACE = 'mutation ($in: SelectDestinationsInput!) { selectDestinations(input: $in) { __typename ... on UserError { path } } }'
  const counts =
    'query { decisions(first: 1) { totalCount } requestSpecs(first: 1) { totalCount } claims(first: 1) { totalCount } hosts(first: 1) { totalCount asOf } }'
  const good = { idempotencyKey: 'k', spec: { gantt: { flavor: { vcpus: 1, memoryMb: 512 } } } }

  test.each([
    ['an unknown field', { ...good, bogus: 1 }, ['in', 'bogus']],
    ['a missing field', { spec: good.spec }, ['in', 'idempotencyKey']],
    ['null where something must be', { ...good, spec: { gantt: { flavor: null } } }, ['in', 'spec', 'gantt', 'flavor']],
    ['NaN as text', { ...good, alternatesPerInstance: 'NaN' }, ['in', 'alternatesPerInstance']],
    [
      'more than 2^53 - 1',
      { ...good, spec: { gantt: { flavor: { vcpus: 2 ** 53 + 2, memoryMb: 1 } } } },
      ['in', 'spec', 'gantt', 'flavor', 'vcpus'],
    ],
    ['a wrong enum value', { ...good, intent: 'MAYBE' }, ['in', 'intent']],
    ['a malformed duration', { ...good, deadline: '10 s' }, ['in', 'deadline']],
    ['no field of a one-of input', { ...good, spec: {} }, ['in', 'spec']],
    [
      'a text of 1 MiB for a UUID',
      { ...good, spec: { gantt: { ...good.spec.gantt, instanceUuids: ['x'.repeat(1 << 20)] } } },
      ['in', 'spec', 'gantt', 'instanceUuids', '0'],
    ],
  ])('%s in the variables is reported with its path', async (_name, input, path) => {
    const answer = await api.ask(PLACE, { in: input })
    expect([answer.status, codeOf(answer)]).toEqual([400, 'GRAPHQL_VALIDATION_FAILED'])
    const issue = answer.errors.find(({ extensions }) => JSON.stringify(extensions.path) === JSON.stringify(path))
    expect(issue?.extensions).toMatchObject({ path, found: expect.any(String), allowed: expect.any(String) })
    expect(answer.text.length).toBeLessThan(3_000)
  })

  test.each([
    [
      'an unknown field',
      `mutation { selectDestinations(input: { bogus: 1, idempotencyKey: "k", spec: {} }) { __typename } }`,
      ['selectDestinations', 'input', 'bogus'],
    ],
    ['a wrong number', `{ hosts(first: "many") { totalCount } }`, ['hosts', 'first']],
    ['a wrong enum value', `{ claims(states: [GONE]) { totalCount } }`, ['claims', 'states', '0']],
  ])('%s in the document is reported with its path', async (_name, document, path) => {
    for (let twice = 0; twice < 2; twice++) {
      const answer = await api.ask(document)
      expect([answer.status, codeOf(answer)]).toEqual([400, 'GRAPHQL_VALIDATION_FAILED'])
      expect(String(answer.errors[0]?.extensions.path)).toMatch(new RegExp(`^${path}(,|$)`))
    }
  })

  test.each([
    ['a malformed cursor', '{ hosts(after: "???") { totalCount } }', ['hosts', 'after']],
    ['a page of 501', '{ hosts(first: 501) { totalCount } }', ['hosts', 'first']],
    ['a page of -1', '{ decisions(first: -1) { totalCount } }', ['decisions', 'first']],
    ['a malformed id', '{ decision(id: "???") { id } }', ['id']],
    ['a malformed global id', '{ node(id: "Rm9vOjE") { id } }', ['id']],
    ['an unknown term', '{ hosts(query: "colour:red") { totalCount } }', ['query']],
    [
      'a decision that does not exist',
      `{ explainPlacement(input: { subject: { decisionId: "${randomUUID()}" } }) { text } }`,
      ['input', 'subject', 'decisionId'],
    ],
    [
      'a request that is not valid',
      '{ explainPlacement(input: { subject: { spec: { gantt: { flavor: { vcpus: -1, memoryMb: 1 } } } } }) { text } }',
      ['input', 'subject', 'spec', 'gantt', 'flavor', 'vcpus'],
    ],
    ['no reports', 'mutation { updateResourceStats(input: { updates: [] }) { appliedCount } }', ['input', 'updates']],
  ])('%s is reported with its path', async (_name, document, path) => {
    const answer = await api.ask(document)
    expect([answer.status, codeOf(answer)]).toEqual([400, 'GRAPHQL_VALIDATION_FAILED'])
    expect(answer.errors[0]?.extensions).toMatchObject({ path, found: expect.any(String), allowed: expect.any(String) })
  })

  test('a cursor of another list or filter is refused', async () => {
    await api.report({ h2: {} })
    const { data } = await api.ask('{ hosts(first: 1) { pageInfo { endCursor } } }')
    const after = (data as unknown as { hosts: { pageInfo: { endCursor: string } } }).hosts.pageInfo.endCursor
    expect((await api.ask('query ($a: String) { hosts(after: $a) { totalCount } }', { a: after })).status).toBe(200)
    expect((await api.ask('query ($a: String) { hosts(after: $a, query: "h") { totalCount } }', { a: after })).status).toBe(400)
    expect((await api.ask('query ($a: String) { claims(after: $a) { totalCount } }', { a: after })).status).toBe(400)
  })

  /** Any JSON value, and invalid values that callers may send. */
  const anything = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.constantFrom(
      -1,
      2 ** 53 + 2,
      1e300,
      'NaN',
      '\u0000',
      '\ud800',
      'x'.repeat(1 << 20),
      null,
      [],
      {},
      { ['__proto__']: 1 },
      '9.9',
      true,
    ),
  )
  const places = [
    ['idempotencyKey'],
    ['intent'],
    ['claim'],
    ['claim', 'ttl'],
    ['alternatesPerInstance'],
    ['profile'],
    ['minRevision'],
    ['deadline'],
    ['surprise'],
    ['spec'],
    ['spec', 'nova'],
    ...[
      'version',
      'instanceUuids',
      'numInstances',
      'availabilityZone',
      'flavor',
      'image',
      'instanceGroup',
      'numaTopology',
      'gpus',
      'requestedResources',
      'forceHosts',
      'schedulerHints',
      'surprise',
    ].map((name) => ['spec', 'gantt', name]),
    ...['name', 'vcpus', 'memoryMb', 'rootGb', 'extraSpecs'].map((name) => ['spec', 'gantt', 'flavor', name]),
  ]

  test('any input gets a typed answer and never causes an internal error, and refused input stores nothing', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...places), anything, async (place, value) => {
        const before = (await api.ask(counts)).text
        const answer = await api.ask(PLACE, { in: put({ ...good, idempotencyKey: randomUUID() }, place, value) })
        const isFault = answer.status === 400 && codeOf(answer) === 'GRAPHQL_VALIDATION_FAILED'
        const ending = (answer.data as unknown as { selectDestinations?: { __typename: string } } | null)?.selectDestinations?.__typename
        expect(isFault || ending !== undefined, answer.text.slice(0, 500)).toBe(true)
        expect(answer.text.length).toBeLessThan(20_000)
        if (isFault || ending === 'ValidationError') expect((await api.ask(counts)).text).toBe(before)
      }),
      { numRuns: byExtent(50, 150) },
    )
  })

  test('any report gets a typed answer, and an invalid report stores nothing', async () => {
    const UPDATE = 'mutation ($u: [ResourceStatsInput!]!) { updateResourceStats(input: { updates: $u }) { results { __typename } } }'
    const full = { vcpus: 4, vcpusUsed: 0, memoryMb: 1_024, memoryMbUsed: 0, localGb: 10, localGbUsed: 0 }
    const report = { name: { host: 'odd' }, reporter: { incarnation: randomUUID(), sequence: 1 }, report: { full } }
    const spots = [
      ['name', 'host'],
      ['name', 'node'],
      ['reporter', 'sequence'],
      ['reporter', 'incarnation'],
      ['observedAt'],
      ['report'],
      ['report', 'full', 'vcpus'],
      ['report', 'full', 'traits'],
      ['report', 'full', 'instances'],
      ['report', 'full', 'cpuAllocationRatio'],
      ['report', 'full', 'numaCells'],
      ['report', 'full', 'surprise'],
    ]
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...spots), anything, async (spot, value) => {
        const answer = await api.ask(UPDATE, { u: [put(report, spot, value)] })
        expect(
          answer.status === 200 || (answer.status === 400 && codeOf(answer) === 'GRAPHQL_VALIDATION_FAILED'),
          answer.text.slice(0, 500),
        ).toBe(true)
      }),
      { numRuns: byExtent(30, 100) },
    )
    expect((await fetch(new URL('/ready', api.url))).status).toBe(200)
  })
})

/** A copy of an object with a value at a path. */
function put(root: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value
  const members = root !== null && typeof root === 'object' ? (root as Record<string, unknown>) : {}
  return { ...members, [key]: put(members[key], rest, value) }
}
