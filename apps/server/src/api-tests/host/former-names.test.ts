import { afterAll, beforeAll, expect, test } from 'vitest'
import { dataOf, type Json, placeWith, startTestService, type TestService } from '../../testing/test-service.ts'

/**
 * The host `old` was renamed to `new`. `before` and `after` are decisions for this host before and after the renaming. `elsewhere` is a
 * decision for another host.
 */
let api: TestService
let [before, after, elsewhere]: string[] = []

const ask = (query: string, variables?: Record<string, unknown>): Promise<Json> => dataOf(api, query, variables)
const placedOn = async (host: string): Promise<string> => (await placeWith(api, {}, { forceHosts: [host] })).decision.id

beforeAll(async () => {
  api = await startTestService()
  await api.report({ old: {}, other: {} })
  before = await placedOn('old')
  await ask(`mutation { aggregateCreate(input: { name: "fast", hosts: ["old"] }) { __typename } }`)
  await ask(`mutation { hostReplace(host: { host: "old" }, by: { host: "new" }, reason: "renamed") { __typename } }`)
  after = await placedOn('new')
  elsewhere = await placedOn('other')
})
afterAll(() => api.close())

test.each([
  ['a line with the old name', { query: 'host:old' }],
  ['a line with the present name', { query: 'host:new' }],
  ['a pattern of the old name', { query: 'host:ol*' }],
  ['a pattern of the present name', { query: 'host:n*w' }],
  ['a part of the old name', { query: 'ol' }],
  ['a part of the present name', { query: 'NEW' }],
  ['a negated line about others', { query: '-host:other' }],
  ['a filter by the old name', { filter: { host: { eq: 'old' } } }],
  ['a filter by the present name', { filter: { host: { eq: 'new' } } }],
])('decisions from before and after a replacement are found by %s', async (_, found) => {
  const { decisions } = await ask(
    'query ($query: String, $filter: DecisionFilter) { decisions(first: 10, query: $query, filter: $filter) { totalCount nodes { id } } }',
    found,
  )
  expect(decisions.nodes.map(({ id }: Json) => id)).toEqual([after, before])
  expect(decisions.totalCount).toBe(2)
})

test.each(['-host:old', '-host:new', 'host:other'])('a query with %s excludes decisions under both names', async (query) => {
  const { decisions } = await ask('query ($query: String) { decisions(first: 10, query: $query) { nodes { id } } }', { query })
  expect(decisions.nodes).toEqual([{ id: elsewhere }])
})

test.each(['host:old', 'host:new'])('decisions under both names are counted by %s', async (query) => {
  const { decisionCounts } = await ask('query ($query: String) { decisionCounts(query: $query) { decisions } }', { query })
  expect(decisionCounts).toEqual({ decisions: 2 })
})

test.each([
  ['the decision made before the replacement', () => before, { hosts: [{ host: 'new' }] }, 'old'],
  ['the decision made before the replacement', () => before, { hosts: [{ host: 'old', node: 'old' }] }, 'old'],
  ['the decision made before the replacement', () => before, { hosts: [{ host: 'new', node: 'new' }] }, 'old'],
  ['the decision made before the replacement', () => before, { query: 'host:new' }, 'old'],
  ['the decision made before the replacement', () => before, { query: 'ne' }, 'old'],
  ['the decision made after the replacement', () => after, { hosts: [{ host: 'old' }] }, 'new'],
  ['the decision made after the replacement', () => after, { hosts: [{ host: 'old', node: 'old' }, { host: 'new' }] }, 'new'],
  ['the decision made after the replacement', () => after, { query: 'host:old' }, 'new'],
])('the verdict of %s on a host is found under another name of the host: %#', async (_, id, filter, hostName) => {
  const { decision } = await ask(
    'query ($id: ID!, $filter: VerdictFilter) { decision(id: $id) { explanation { verdicts(filter: $filter) { nodes { hostName } } } } }',
    { id: id(), filter },
  )
  expect(decision.explanation.verdicts.nodes).toEqual([{ hostName }])
})

test.each([
  ['before', () => before, 'new', 'old'],
  ['after', () => after, 'old', 'new'],
])('why a host was not selected %s is answered under another of its names', async (_, id, host, hostName) => {
  const { whyNot } = await ask('query ($input: WhyNotInput!) { whyNot(input: $input) { verdict { hostName } wouldPassNow } }', {
    input: { subject: { decisionId: id() }, host: { host } },
  })
  expect(whyNot).toEqual({ verdict: { hostName }, wouldPassNow: true })
})

test('a what-if query can name hosts by their old names', async () => {
  const fitsWith = async (overlay: Json): Promise<number> => {
    const spec = { gantt: { flavor: { vcpus: 16, memoryMb: 65_536 } } }
    return (await ask('query ($input: CapacityInput!) { capacity(input: $input) { fits } }', { input: { spec, overlay } })).capacity.fits
  }
  const added = await fitsWith({ addHosts: [{ likeHost: 'old', count: 2 }] })
  expect(added).toBe((await fitsWith({})) + 2)
  expect(await fitsWith({ removeHosts: ['old', 'new', 'other'] })).toBe(0)
})

test('the aggregates of a host are found under its old name', async () => {
  const { aggregates } = await ask('{ aggregates(first: 5, query: "host:old") { nodes { name } } }')
  expect(aggregates.nodes).toEqual([{ name: 'fast' }])
})

test('the fields that a host must report are found under its old name', async () => {
  const shown = async (host: string) =>
    (await ask(`{ requiredStats(host: { host: "${host}" }) { namespaces { fields { field neededBy { part } } } } }`)).requiredStats
  expect(await shown('old')).toEqual(await shown('new'))
  expect(await shown('old')).not.toEqual(await shown('nobody'))
})
