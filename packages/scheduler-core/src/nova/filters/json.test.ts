import { expect, test } from 'vitest'
import { type Given, reasonOf, verdictOf } from '../testing/judge.ts'
import { jsonFilter } from './json.ts'

const asks = (...query: string[]): Given['request'] => ({ schedulerHints: { query } })
const host: Given['host'] = { freeRamMb: 4096, vcpusTotal: 16, stats: { gpu: 'yes', n: '3' }, cellUuid: 'c' }

test.each<[string, string, string]>([
  ['a comparison that holds', '[">=", "$free_ram_mb", 4096]', 'passes'],
  ['a comparison that does not hold', '["<", "$free_ram_mb", 4096]', 'query.no_match'],
  ['the first value is compared with each other value', '["<", 1, 2, 3]', 'passes'],
  ['all comparisons must hold', '["<", 2, 3, 1]', 'query.no_match'],
  ['a comparison with a single value', '["=", 5]', 'query.no_match'],
  ['an argument without a value is left out', '["=", "$nosuch", "", null, 5, 5]', 'passes'],
  ['an argument that is false is not left out', '["=", "$nosuch", false, 0]', 'passes'],
  ['true and 1.0 equal 1', '["=", true, 1, 1.0]', 'passes'],
  ['a number does not equal its digits as text', '["=", "$stats.n", 3]', 'query.no_match'],
  ['a path into a dictionary', '["=", "$stats.gpu", "yes"]', 'passes'],
  ['a path into the service', '["=", "$service.disabled", false]', 'passes'],
  ['a path into a number', '["=", "$vcpus_total.x", 1]', 'raises AttributeError'],
  ['a path that ends early', '["=", "$limits.x.y", 1]', 'query.no_match'],
  ['text is ordered by its characters', '["<", "B", "a", "\\ud83d\\ude00"]', 'passes'],
  ['text beyond the first plane comes last', '["<", "\\uffff", "\\ud83d\\ude00"]', 'passes'],
  ['an address is not a text', '["=", "$host_ip", "192.0.2.10"]', 'query.no_match'],
  ['an address and a text have no order', '["<", "$host_ip", "a"]', 'raises TypeError'],
  ['text and number have no order', '["<", "a", 1]', 'raises TypeError'],
  ['values without an order are an error even after a failed comparison', '["<", 2, 1, "a"]', 'raises TypeError'],
  ['a list of objects is a list', '[">=", "$aggregates", ["not"]]', 'passes'],
  ['in', '["in", "$host", "h0", "h1"]', 'passes'],
  ['not in', '["in", "$host", "h0"]', 'query.no_match'],
  ['`and` without arguments', '["and"]', 'passes'],
  ['`or` without arguments', '["or"]', 'query.no_match'],
  ['`or` of empty arguments', '["or", 0, "", {}]', 'query.no_match'],
  ['`not` returns a list, of which one true item is enough', '["not", true, false]', 'passes'],
  ['`not` without arguments', '["not"]', 'query.no_match'],
  ['a list of results counts as true inside of a query', '["and", ["not", true]]', 'passes'],
  ['queries in queries', '["and", [">", "$vcpus_total", 8], ["not", ["=", "$host", "h2"]]]', 'passes'],
  ['an empty list', '[]', 'passes'],
  ['an empty dictionary', '{}', 'passes'],
  ['nothing', 'null', 'passes'],
  ['a query that is text is a list of its letters', '"=aa"', 'passes'],
  ['a query that is text whose first letter is not an operator', '"xa"', 'raises KeyError'],
  ['an unknown operator', '["!=", 1, 2]', 'raises KeyError'],
  ['an operator that is a number', '[1, 2]', 'raises KeyError'],
  ['an operator that is a list', '[["=", 1, 1]]', 'raises TypeError'],
  ['a list within a query is a query, so its first item must be an operator', '["in", 1, [1, 2]]', 'raises KeyError'],
  ['a dictionary', '{"=": 1}', 'raises KeyError'],
  ['a number', '5', 'raises TypeError'],
  ['no JSON', '{not json', 'raises JSONDecodeError'],
  ['no text', '', 'passes'],
])('%s', (_name, query, verdict) => expect(verdictOf(jsonFilter, { request: asks(query), host })).toBe(verdict))

test('a hint `query` with two strings is an error, and a hint without strings is ignored', () => {
  expect(verdictOf(jsonFilter, { request: asks('[]', '[]') })).toBe('raises TypeError')
  expect(verdictOf(jsonFilter, { request: asks() })).toBe('passes')
})

test("the reason of a refusal has the query and the host's values of its attributes", () => {
  const query = '["or", ["<", "$free_ram_mb", 1], ["=", "$stats.gpu", "no"], ["=", "$free_ram_mb", 2]]'
  const reason = { need: query, have: 'free_ram_mb = 4096, stats.gpu = yes', source: 'hint query' }
  expect(reasonOf(jsonFilter, { request: asks(query), host })).toMatchObject(reason)
})
