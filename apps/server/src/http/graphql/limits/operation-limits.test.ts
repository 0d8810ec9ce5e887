import { type ExecutionResult, execute, type FieldNode, getIntrospectionQuery, Kind, parse } from 'graphql'
import { beforeAll, describe, expect, test } from 'vitest'
import { createSchema } from '../../../schema/index.ts'
import { limits } from '../../limits.ts'
import { checkShape } from './document-shape.ts'
import { introspectionCost } from './introspection-cost.ts'
import { checkCost } from './operation-cost.ts'

let schema: ReturnType<typeof createSchema>
beforeAll(() => {
  schema = createSchema()
})

/** Checks the shape and the cost of a document like that of a call. Returns its cost, or the rule that refused it. */
function judge(text: string, variables: Record<string, unknown> = {}): number | string {
  try {
    const document = parse(text, { maxTokens: limits.tokens })
    checkShape(document)
    return checkCost(schema, document, undefined, variables)
  } catch (error) {
    return String((error as { extensions?: { rule?: string } }).extensions?.rule ?? error)
  }
}

/** How many objects an answer has, including the root. */
const objectsIn = (value: unknown): number => {
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + objectsIn(item), 0)
  return value === null || typeof value !== 'object' ? 0 : Object.values(value).reduce((sum: number, item) => sum + objectsIn(item), 1)
}

const nestedTypes = (levels: number): string => (levels === 0 ? 'name' : `fields { type { ${nestedTypes(levels - 1)} } }`)

/** Fragments that each spread the next one twice, in two fields. */
const doubling = (on: string, levels: number, field: string): string =>
  `${Array.from({ length: levels }, (_, i) => `fragment f${i} on ${on} { a: ${field} { ...f${i + 1} } b: ${field} { ...f${i + 1} } }`).join(
    ' ',
  )} fragment f${levels} on ${on} { name }`

describe('introspection has its own depth limit and shares every other limit', () => {
  test.each<[string, string]>([
    ['of GraphiQL', getIntrospectionQuery()],
    [
      'of code generators, with every field',
      getIntrospectionQuery({
        descriptions: true,
        specifiedByUrl: true,
        directiveIsRepeatable: true,
        schemaDescription: true,
        inputValueDeprecation: true,
        oneOf: true,
      }),
    ],
    ['without descriptions', getIntrospectionQuery({ descriptions: false })],
    ['one type', '{ __type(name: "Host") { name fields { name type { name kind ofType { name kind ofType { name } } } } } }'],
    ['names alone', '{ __typename __schema { queryType { name } types { name kind } } }'],
  ])('the query %s is accepted, and far enough below the limit for the schema to grow', (_name, text) => {
    expect(judge(text)).toEqual(expect.any(Number))
    expect(judge(text)).toBeLessThanOrEqual(8_000)
  })

  test.each([
    '{ __schema { types { name fields(includeDeprecated: true) { name args(includeDeprecated: true) { name type { name } } type { name ofType { name } } } } } }',
    '{ __type(name: "Host") { interfaces { name } possibleTypes { name } fields(includeDeprecated: true) { ...F ...F } } } fragment F on __Field { type { name } }',
    getIntrospectionQuery({ inputValueDeprecation: true }),
  ])('the cost of introspection is the count of objects in its answer, including deprecated ones: %.60s', (text) => {
    const { data } = execute({ schema, document: parse(text) }) as ExecutionResult
    // the cost of a fragment that is spread twice is counted twice, but its fields are answered once
    expect(judge(text.replace('...F ...F', '...F'))).toBe(objectsIn(data) - 1)
  })

  test.each<[string, string, string]>([
    [
      'nested fragments that once used up the memory of a replica',
      `{ __schema { types { ...f0 } } } ${Array.from({ length: 9 }, (_, i) => `fragment f${i} on __Type { fields { type { ...f${i + 1} } } possibleTypes { ...f${i + 1} } interfaces { ...f${i + 1} } }`).join(' ')} fragment f9 on __Type { name kind }`,
      'limit.introspection_depth',
    ],
    ['types of fields of types, to the allowed depth', `{ __schema { types { ${nestedTypes(6)} } } }`, 'limit.cost'],
    ['one type, and everything reached from it', `{ __type(name: "Query") { ${nestedTypes(8)} } }`, 'limit.introspection_depth'],
    [
      'the standard query twice',
      `{ a: __schema { ...S } b: __schema { ...S } } ${getIntrospectionQuery()
        .replace(/query IntrospectionQuery \{\s*__schema \{/, 'fragment S on __Schema {')
        .replace(/\}\s*\}/, '}')}`,
      'limit.',
    ],
    ['31 aliases of __typename', `{ viewer { ${Array.from({ length: 31 }, (_, i) => `a${i}: __typename`).join(' ')} } }`, 'limit.aliases'],
    [
      'aliases within __schema',
      `{ __schema { ${Array.from({ length: 31 }, (_, i) => `a${i}: types { name }`).join(' ')} } }`,
      'limit.aliases',
    ],
    ['fragments that double', `{ __schema { types { ...f0 } } } ${doubling('__Type', 12, 'ofType')}`, 'limit.'],
    ['directives on its fields', `{ __schema { ${'... @include(if: true) { description } '.repeat(51)} } }`, 'limit.directives'],
    ['many root fields', `{ ${Array.from({ length: 11 }, (_, i) => `a${i}: __typename`).join(' ')} }`, 'limit.root_fields'],
    ['behind an alias', `{ hosts: __schema { types { ${nestedTypes(6)} } } }`, 'limit.cost'],
    ['in a fragment on the root', `{ ...a } fragment a on Query { __schema { types { ${nestedTypes(6)} } } }`, 'limit.cost'],
    ['of a mutation', `mutation { __schema { types { ${nestedTypes(6)} } } }`, 'limit.cost'],
  ])('%s is refused', (_name, text, rule) => expect(judge(text)).toContain(rule))

  test('`__type` has the same cost with the name in a variable as with a literal name', () => {
    const cost = judge('{ __type(name: "Host") { fields { type { ofType { fields { name type { name } } } } } } }')
    const text = 'query ($n: String! = "Host") { __type(name: $n) { fields { type { ofType { fields { name type { name } } } } } } }'
    expect([judge(text), judge(text, { n: 'Host' }), judge(text, { n: 'Nothing' })]).toEqual([cost, cost, 1])
    expect(cost).toBeGreaterThan(100)
  })

  test('counting a cost above the limit takes no longer than counting an allowed one', () => {
    const document = parse(`{ __schema { types { ${nestedTypes(6)} } } }`)
    const [operation] = document.definitions
    const field = operation?.kind === Kind.OPERATION_DEFINITION ? (operation.selectionSet.selections[0] as FieldNode) : undefined
    const work = { looks: 0 }
    expect(() => introspectionCost(schema, field as FieldNode, new Map(), {}, work)).toThrow('parts of the schema')
    expect(work.looks).toBeLessThanOrEqual(limits.cost + 1)
  })
})

describe('the work of checking a document is linear in its length', () => {
  const chain = (levels: number, line: (next: string) => string): string =>
    `{ ...f0 } ${Array.from({ length: levels }, (_, i) => `fragment f${i} on Query { ${line(`...f${i + 1}`)} }`).join(' ')} fragment f${levels} on Query { viewer { scopes } }`
  test.each<[string, string]>([
    ['fragments that spread the next one twice', chain(45, (next) => `${next} ${next}`)],
    ['fragments that spread the next one in two places', chain(45, (next) => `${next} ... { ${next} }`)],
    ['a thousand spreads of one fragment', `{ ${'... { ...a } '.repeat(800)} } fragment a on Query { viewer { scopes } }`],
    ['fragments that double in fields', `{ __schema { types { ...f0 } } } ${doubling('__Type', 45, 'ofType')}`],
    [
      'fragments in a circle of many',
      `{ ...f0 } ${Array.from({ length: 45 }, (_, i) => `fragment f${i} on Query { ...f${(i + 1) % 45} ...f${(i + 7) % 45} }`).join(' ')}`,
    ],
    [
      'fragments that nobody spreads',
      Array.from({ length: 45 }, (_, i) => `fragment f${i} on Query { ...f${i + 1} ...f${i + 1} }`).join(' ') +
        ' fragment f45 on Query { __typename }',
    ],
  ])('%s', (_name, text) => {
    const document = parse(text, { maxTokens: limits.tokens })
    const work = { steps: 0 }
    try {
      checkShape(document, work)
    } catch (error) {
      expect(error).toMatchObject({ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } })
    }
    expect(work.steps).toBeGreaterThan(0)
    expect(work.steps).toBeLessThanOrEqual(limits.tokens)
  })

  test.each<[string, string, string]>([
    ['fragments that double', chain(40, (next) => `${next} ${next}`), 'limit.fields'],
    [
      'one field two thousand times in fragments',
      `{ ${'... { ...a } '.repeat(800)} } fragment a on Query { a: __typename b: __typename viewer { scopes } }`,
      'limit.aliases',
    ],
    ['the same field again and again', `{ viewer { ${'scopes '.repeat(31)} } }`, 'limit.repeats'],
    [
      'very many fragments',
      `{ viewer { ${[...Array(51).keys()].map((i) => `...f${i}`).join(' ')} } } ${[...Array(51).keys()].map((i) => `fragment f${i} on Viewer { scopes }`).join(' ')}`,
      'limit.fragments',
    ],
    ['the same fragment again and again', `{ ${'...a '.repeat(31)} } fragment a on Query { viewer { scopes } }`, 'limit.repeats'],
    ['a fragment within itself', '{ ...a } fragment a on Query { viewer { scopes } ...a }', 'document.valid'],
    [
      'fragments in a circle that no operation spreads',
      '{ viewer { scopes } } fragment a on Query { ...b } fragment b on Query { ...a }',
      'document.valid',
    ],
    [
      'directives of variables',
      `query (${Array.from({ length: 51 }, (_, i) => `$v${i}: Int @a`).join(' ')}) { viewer { scopes } }`,
      'limit.directives',
    ],
    [
      'depth by fragments',
      '{ ...a } fragment a on Query { hosts { nodes { ...b } } } fragment b on Host { aggregates { nodes { hosts { nodes { aggregates { nodes { hosts { nodes { aggregates { nodes { uuid } } } } } } } } } } }',
      'limit.depth',
    ],
  ])('%s: refused', (_name, text, rule) => expect(judge(text)).toBe(rule))

  test('every operation of a document must be within the shape limits, and the cost is checked only for the one that runs', () => {
    expect(judge('query A { viewer { scopes } } query B { hosts(first: 500) { nodes { claims(first: 500) { nodes { id } } } } }')).toBe(0)
  })
})

describe('the cost is computed from the values that will be used', () => {
  const pages = (variables: string, outer: string, inner: string): string =>
    `query ${variables} { hosts(first: ${outer}) { nodes { claims(first: ${inner}) { nodes { id } } } } }`
  test.each<[string, string, Record<string, unknown>]>([
    ['numbers in the document', pages('', '500', '500'), {}],
    ['variables', pages('($n: Int)', '$n', '$n'), { n: 500 }],
    ['defaults of variables', pages('($n: Int = 500)', '$n', '$n'), {}],
    ['defaults of variables that are given as undefined', pages('($n: Int = 500)', '$n', '$n'), { n: undefined }],
    ['one default, one number', pages('($n: Int! = 500)', '$n', '500'), { other: 1 }],
    [
      'defaults in fragments',
      `query ($n: Int = 500) { hosts(first: $n) { nodes { ...C } } } fragment C on Host { claims(first: $n) { nodes { id } } }`,
      {},
    ],
    [
      'defaults of arguments within a page',
      pages('($n: Int = 500)', '$n', '$n').replace('claims(first: $n)', 'claims { nodes { host { name } } } recentDecisions'),
      {},
    ],
    [
      'a page for each of many reports',
      'mutation ($in: UpdateResourceStatsInput!) { updateResourceStats(input: $in) { results { ... on ResourceStatsApplied { host { claims(first: 100) { nodes { id } } } } } } }',
      { in: { updates: Array.from({ length: 1_000 }, () => ({})) } },
    ],
    [
      'an explanation for each of many ids',
      'query ($ids: [ID!]! = [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59,60,61,62,63,64,65,66,67,68,69,70,71,72,73,74,75,76,77,78,79,80,81,82,83,84,85,86,87,88,89,90,91,92,93,94,95,96,97,98,99,100]) { nodes(ids: $ids) { ... on Decision { explanation { text } } } }',
      {},
    ],
    [
      'a page for each host of a call',
      'mutation ($h: [ResourceNameInput!]!) { hostSetStatus(hosts: $h, status: ENABLED, reason: "x") { ... on HostSetStatusPayload { hosts { claims(first: 500) { nodes { id } } } } } }',
      { h: Array.from({ length: 100 }, () => ({})) },
    ],
    ['a number that is not allowed for a page', '{ hosts(first: 99999999) { nodes { name } } }', {}],
  ])('%s', (_name, text, variables) => expect(judge(text, variables)).toBe('limit.cost'))

  test.each<[string, string, Record<string, unknown>, number]>([
    ['a given value counts instead of the default', pages('($n: Int = 500)', '$n', '1'), { n: 2 }, 2 * (1 + 1 + (1 + 1))],
    ['null is the default of the argument', '{ hosts(first: null) { nodes { name } } }', {}, 50 * 2],
    ['an explicit null counts as null', 'query ($n: Int = 3) { hosts(first: $n) { nodes { name } } }', { n: null }, 50 * 2],
    ['an argument that is not given has its default', '{ hosts { nodes { name } } }', {}, 50 * 2],
  ])('%s', (_name, text, variables, cost) => expect(judge(text, variables)).toBe(cost))
})

test.each(['n', 'constructor', 'toString', '__proto__', 'hasOwnProperty'])(
  'a default value is used whatever the name of its variable: $%s',
  (name) => {
    expect(judge(`query ($${name}: Int = 500) { hosts(first: $${name}) { nodes { claims(first: $${name}) { nodes { id } } } } }`)).toBe(
      'limit.cost',
    )
    expect(judge(`query ($${name}: Int) { hosts(first: $${name}) { nodes { name } } }`)).toEqual(expect.any(Number))
  },
)

describe('a document that is sent again with other variables costs what it costs when it is sent for the first time', () => {
  const sizes = [undefined, null, 1, 3, 50, 5, 'x', 3, [1, 2], 0, -1]
  test.each<[string, string, readonly Record<string, unknown>[]]>([
    [
      'the size of a page',
      'query($n: Int = 7) { hosts(first: $n) { edges { node { name } } } decisions(first: 10) { edges { node { id } } } }',
      sizes.map((n) => (n === undefined ? {} : { n })),
    ],
    [
      'the items of an input',
      'mutation($i: SelectDestinationsInput!) { selectDestinations(input: $i) { ... on SelectDestinationsPayload { destinations { selected { reportAge } } } } }',
      [
        {},
        { i: {} },
        { i: { spec: { gantt: { numInstances: 40 } } } },
        { i: { spec: { gantt: { instanceUuids: Array(9).fill('') } } } },
        { i: [{}, {}] },
        {},
      ],
    ],
    [
      'the name of a type',
      'query($n: String!) { __type(name: $n) { fields { name } } }',
      [{ n: 'Host' }, { n: 'Query' }, { n: 'None' }, { n: 'Host' }],
    ],
    [
      'many fields',
      `query($n: Int = 7) { ${['a', 'b', 'c', 'd', 'e']
        .map((alias) => `${alias}: host(id: "h") { ${'claims(first: $n) { nodes { id } } '.repeat(24)} }`)
        .join(' ')} }`,
      [{ n: 1 }, { n: 2 }, { n: 1 }],
    ],
  ])('%s', (_name, text, calls) => {
    const document = parse(text)
    const again = (variables: Record<string, unknown>): number | string => {
      try {
        return checkCost(schema, document, undefined, variables)
      } catch (error) {
        return String((error as { extensions?: { rule?: string } }).extensions?.rule ?? error)
      }
    }
    const costs = calls.map((variables) => judge(text, variables))
    expect(new Set(costs).size).toBeGreaterThan(1)
    expect(calls.map(again)).toEqual(costs)
    expect(calls.toReversed().map(again)).toEqual(costs.toReversed())
  })
})
