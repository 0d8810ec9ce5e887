import { request } from 'node:http'
import { getIntrospectionQuery } from 'graphql'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { scalarRules } from '../schema/types/scalars.ts'
import { codeOf, startTestService, type TestService } from '../testing/test-service.ts'
import { limits } from './limits.ts'

let api: TestService
beforeAll(async () => {
  api = await startTestService()
  await api.report({ h1: {} })
})
afterAll(async () => {
  expect(api.warnings).toEqual([])
  await api.close()
})

/** Sends this body with these headers, without checks by a client library. */
function send(
  body: string | Buffer,
  headers: Record<string, string>,
  { method = 'POST', chunked = false } = {},
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const size = chunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(Buffer.byteLength(body)) }
    const call = request(api.url, { method, headers: { ...size, ...headers } }, (response) => {
      let text = ''
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
    call.on('error', reject)
    call.end(body)
  })
}

describe('the limits of a call', () => {
  const nested = (depth: number): string => (depth === 0 ? 'name' : `aggregates { nodes { hosts { nodes { ${nested(depth - 1)} } } } }`)
  test.each([
    ['depth', `{ hosts { nodes { ${nested(3)} } } }`, 'limit.depth'],
    ['aliases', `{ viewer { ${Array.from({ length: 31 }, (_, i) => `a${i}: scopes`).join(' ')} } }`, 'limit.aliases'],
    ['root fields', `{ ${Array.from({ length: 11 }, (_, i) => `a${i}: viewer { scopes }`).join(' ')} }`, 'limit.root_fields'],
    ['directives', `{ viewer { ${'... @include(if: true) { scopes } '.repeat(51)} } }`, 'limit.directives'],
    [
      'bulk data',
      `{ fleet { ${Array.from({ length: 20 }, (_, i) => `c${i}: columns(names: [STATE]) { count }`).join(' ')} } }`,
      'limit.cost',
    ],
    ['cost of states of the past', '{ decisions(first: 100) { nodes { destinations { selected { reportAge } } } } }', 'limit.cost'],
    ['cost', '{ hosts(first: 500) { nodes { claims(first: 500) { nodes { id } } } } }', 'limit.cost'],
  ])('too much %s is refused before anything runs', async (_name, document, rule) => {
    const answer = await api.ask(document)
    expect(answer.status).toBe(400)
    expect(answer.data ?? null).toBeNull()
    expect(answer.errors[0]?.extensions).toMatchObject({ rule, requestId: expect.any(String) })
  })

  test('too many tokens are refused while the document is parsed', async () => {
    const answer = await api.ask(`{ viewer { ${'scopes '.repeat(limits.tokens)} } }`)
    expect([answer.status, codeOf(answer)]).toEqual([400, 'GRAPHQL_PARSE_FAILED'])
  })

  test('fragments that spread each other in a circle are refused', async () => {
    const answer = await api.ask('{ hosts { nodes { ...a } } } fragment a on Host { ...b } fragment b on Host { ...a }')
    expect(answer.status).toBe(400)
  })

  const json = { 'content-type': 'application/json', authorization: 'Bearer the-admin-key-of-tests' }
  test.each([
    ['with its length in a header', false],
    ['in chunks', true],
  ])('a body above the limit, %s, gets the status 413', async (_name, chunked) => {
    const { status, text } = await send(JSON.stringify({ query: `# ${'x'.repeat(limits.bodyBytes)}` }), json, { chunked })
    expect(status).toBe(413)
    expect(JSON.parse(text).errors[0].extensions.rule).toBe('limit.body')
  })

  test.each([
    ['text/plain', '{"query":"{ viewer { scopes } }"}', { 'content-type': 'text/plain' }, 415],
    ['a form', 'query=1', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
    ['multipart', '--x', { 'content-type': 'multipart/form-data; boundary=x' }, 415],
    ['an empty list', '[]', {}, 400],
    ['no JSON', '{"query":', {}, 400],
    ['null', 'null', {}, 400],
    ['no query', '{}', {}, 400],
    ['variables that are a list', '{"query":"{ viewer { scopes } }","variables":[1]}', {}, 400],
  ])('%s is refused', async (_name, body, headers, status) => {
    const answer = await send(body, { ...json, ...headers })
    expect(answer.status).toBe(status)
    expect(JSON.parse(answer.text).errors[0].extensions).toMatchObject({ retryable: false, requestId: expect.any(String) })
  })

  test('GET is refused', async () => {
    const response = await fetch(`${api.url}?query=mutation{__typename}`, { headers: json })
    expect(response.status).toBe(405)
  })
})

describe('calls that could delay all other calls are refused before they run', () => {
  const hosts = (filter: unknown) => api.ask('query ($f: HostFilter) { hosts(filter: $f) { totalCount } }', { f: filter })
  const deep = (levels: number): unknown => (levels === 0 ? { name: { eq: 'h1' } } : { not: deep(levels - 1) })

  test('a filter with too many parts is refused', async () => {
    const answer = await hosts({ or: Array.from({ length: 5_000 }, () => ({ name: { contains: 'z' } })) })
    expect([answer.status, codeOf(answer)]).toEqual([400, 'GRAPHQL_VALIDATION_FAILED'])
    expect(answer.errors[0]?.extensions.allowed).toBe('a filter of at most 100 parts')
  })

  test('a list with too many items is refused, and one with the allowed count is accepted', async () => {
    const create = 'mutation ($input: AggregateCreateInput!) { aggregateCreate(input: $input, dryRun: true) { __typename } }'
    const many = Array.from({ length: 18_750 }, (_, i) => `h${i}`)
    expect(codeOf(await api.ask(create, { input: { name: 'of many', hosts: many } }))).toBeUndefined()
    const answer = await api.ask(create, { input: { name: 'x', hosts: Array.from({ length: 100_001 }, () => 'h') } })
    expect(answer.errors[0]?.message).toContain('input.hosts is a list of 100001; it must be a list of at most 100000')
  })

  test('too many values in short lists are refused, and an allowed count of values is not', async () => {
    const cells = Array.from({ length: 1_000 }, () => ({ siblings: Array.from({ length: 124 }, () => [1]) }))
    const answer = await api.ask('query ($i: [JSON!]) { viewer { scopes } }', { i: cells })
    expect([answer.status, codeOf(answer), answer.errors[0]?.extensions]).toEqual([
      400,
      'GRAPHQL_VALIDATION_FAILED',
      expect.objectContaining({ rule: 'limit.values', allowed: 'at most 250000', found: 'more than 250000' }),
    ])
    expect(answer.errors[0]?.message).toContain('Send them in several calls.')
    const within = await api.ask('query ($i: [JSON!]) { viewer { scopes } }', { i: cells.slice(1) })
    expect(within.text).not.toContain('limit.values')
  })

  test('variables nested too deeply are refused', async () => {
    const answer = await hosts(deep(3_000))
    expect([answer.status, codeOf(answer), answer.errors[0]?.extensions.rule]).toEqual([400, 'GRAPHQL_VALIDATION_FAILED', 'limit.depth'])
  })

  test('a document nested too deeply is refused', async () => {
    const answer = await api.ask(`{ nodes(ids: ${'['.repeat(2_400)}${']'.repeat(2_400)}) { id } }`)
    expect([answer.status, codeOf(answer), answer.errors[0]?.extensions.rule]).toEqual([400, 'GRAPHQL_VALIDATION_FAILED', 'limit.depth'])
  })

  test.each<[string, string]>([
    ['a list', `{ __type(name: "${')'.repeat(4_800)}") { name } nodes(ids: ${'['.repeat(2_400)}${']'.repeat(2_400)}) { id } }`],
    ['fragments', `{ __type(name: "${'}'.repeat(6_400)}") { name } viewer { ${'...{'.repeat(1_600)} scopes ${'}'.repeat(1_600)} } }`],
  ])('%s nested too deeply behind a text of closing brackets is refused', async (_name, document) => {
    const answer = await api.ask(document)
    expect([answer.status, codeOf(answer), answer.errors[0]?.extensions.rule]).toEqual([400, 'GRAPHQL_VALIDATION_FAILED', 'limit.depth'])
  })

  test('brackets in a text are not nesting', async () => {
    const answer = await api.ask(`{ __type(name: "${'('.repeat(65)}") { name } }`)
    expect(answer.data).toEqual({ __type: null })
  })

  const report = (nova: string): string =>
    `mutation ($x: JSON!) { updateResourceStats(input: { updates: [{ name: { host: "h1" }, reporter: { incarnation: "6f1c7f0e-6f0e-4d5a-9c3e-0d8f5f0b2a11", sequence: 9 }, report: { nova: ${nova} } }] }) { results { __typename } } }`
  const greek = 'Ω'.repeat(1_900_000)
  test.each<[string, string, unknown, string]>([
    [
      'a text in 99 parts of a filter',
      `query ($x: String) { hosts(filter: { or: [${'{ name: { contains: $x } } '.repeat(99)}] }) { totalCount } }`,
      greek,
      'limit.text',
    ],
    [
      'a text in 99 parts of the filter of a stream',
      `subscription ($x: String) { hostChanged(filter: { or: [${'{ name: { contains: $x } } '.repeat(99)}] }) { revision } }`,
      greek,
      'limit.text',
    ],
    [
      'an id in 480 claims',
      `mutation ($x: ID!) { claimRelease(claims: [${'{ id: $x, fence: 1 } '.repeat(480)}]) { __typename } }`,
      'A'.repeat(4_100_000),
      'limit.text',
    ],
    ['a text 2,000 times in a report', report(`[${'$x '.repeat(2_000)}]`), greek, 'limit.text'],
    ['a list 1,500 times in a report', report(`[${'$x '.repeat(1_500)}]`), Array.from({ length: 99_000 }, () => 0), 'limit.values'],
    [
      'a text in fragments of fragments',
      `query ($x: String) { a: hosts { ...A } b: hosts { ...A } }
        fragment A on HostConnection { nodes { ...B } edges { node { ...B } } } fragment B on Host { claims(after: $x) { totalCount } }`,
      'x'.repeat(2_000_000),
      'limit.text',
    ],
  ])('%s is refused before the variables are read', async (_name, document, x, rule) => {
    const read = vi.spyOn(scalarRules.JSON, 'read')
    try {
      const answer = await api.ask(document, { x })
      expect([answer.status, codeOf(answer), answer.errors[0]?.extensions.rule]).toEqual([400, 'GRAPHQL_VALIDATION_FAILED', rule])
      expect(answer.errors[0]?.message).toContain('Use each long variable once, or send several calls.')
      // the validation of a document reads the literal without the variable in it
      expect(read.mock.calls.filter(([value]) => JSON.stringify(value)?.includes('Ω') || JSON.stringify(value)?.includes('0'))).toEqual([])
    } finally {
      read.mockRestore()
    }
  })

  test('a long text that a call uses once is refused where it is read, with the limit', async () => {
    const answer = await hosts({ or: [{ name: { contains: greek } }] })
    expect([answer.status, codeOf(answer), answer.errors[0]?.extensions]).toEqual([
      400,
      'GRAPHQL_VALIDATION_FAILED',
      expect.objectContaining({ path: ['filter', 'or', '0', 'name', 'contains'], allowed: 'at most 255 characters long, not 1900000' }),
    ])
  })

  test('the cost of many ids is a multiple of the cost of one id', async () => {
    const ids = Array.from({ length: 1_000 }, () => 'x')
    const answer = await api.ask('query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Decision { explanation { text } } } }', { ids })
    expect(codeOf(answer)).toBe('COST_EXCEEDED')
  })
})

test('a client that reads the answer only after sending the whole body still gets 413', async () => {
  const response = await fetch(api.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer the-admin-key-of-tests' },
    body: 'x'.repeat(limits.bodyBytes + 1_000_000),
  })
  expect(response.status).toBe(413)
})

describe('a document that is too long is refused, at a much lower limit than the body', () => {
  test.each([
    ['a comment', `{ viewer { scopes } } # ${'x'.repeat(limits.documentBytes)}`],
    ['a comment of 3.9 MB', `{ viewer { scopes } } # ${'x'.repeat(3_900_000)}`],
    ['blanks', `{ viewer { scopes } }${' '.repeat(limits.documentBytes)}`],
    ['a literal', `{ hosts(query: "${'x'.repeat(limits.documentBytes)}") { totalCount } }`],
    ['characters of several bytes', `{ viewer { scopes } } # ${'ä'.repeat(limits.documentBytes / 2)}`],
    ['a name', `{ ${'x'.repeat(limits.documentBytes)} }`],
  ])('by %s', async (_name, text) => {
    const answer = await api.ask(text)
    expect([answer.status, codeOf(answer)]).toEqual([413, 'GRAPHQL_VALIDATION_FAILED'])
    expect(answer.errors[0]?.extensions).toMatchObject({
      rule: 'limit.document',
      path: ['query'],
      found: `${Buffer.byteLength(text)} bytes`,
      allowed: `at most ${limits.documentBytes} bytes`,
    })
  })

  test('variables may be longer than a document may be', async () => {
    const answer = await api.ask('query ($q: String) { hosts(query: $q) { totalCount } }', { q: 'x'.repeat(2 * limits.documentBytes) })
    expect(answer.errors[0]?.message).toContain(`the filter has ${2 * limits.documentBytes} characters`)
  })
})

test('introspection with an unlimited answer is refused before anything runs, for any key', async () => {
  const { service } = api
  const { secret } = await service.keys.create({ name: 'bound', account: 'agents', scopes: ['REPORT'], hosts: ['h1'] })
  const steps = [
    ['Schema', 'types'],
    ['Type', 'fields'],
    ['Field', 'args'],
    ['InputValue', 'type'],
    ['Type', 'enumValues'],
  ] as const
  const levels = Array.from({ length: 12 }, (_, i) => steps[i % 3 === 0 && i > 0 ? 1 : Math.min(i, 3)] ?? steps[0])
  const fragments = levels.map(
    ([on, field], i) => `fragment f${i} on __${on}{${'abcd'.replace(/./g, (alias) => `${alias}:${field}{...f${i + 1}}`)}}`,
  )
  const attack = `{__schema{...f0}}${fragments.join('')}fragment f${levels.length} on __Type{name}`
  const answer = await api.ask(attack, {}, secret)
  expect([answer.status, codeOf(answer), answer.errors[0]?.extensions.rule]).toEqual([
    400,
    'GRAPHQL_VALIDATION_FAILED',
    expect.stringMatching(/^limit\.(aliases|introspection_depth)$/),
  ])
  expect((await api.ask(getIntrospectionQuery(), {}, secret)).status).toBe(200)
})

test('a filter that once made a replica unresponsive is answered, and one with too many stars is refused with the count and the limit', async () => {
  const hosts = (query: string) => api.ask('query ($q: String) { hosts(query: $q) { totalCount } }', { q: query })
  expect((await hosts('host:*a*a*a*a*a*a*a*b')).data).toEqual({ hosts: { totalCount: 0 } })
  const answer = await hosts(`host:${'*a'.repeat(17)}`)
  expect(answer.errors[0]?.message).toContain('the filter has 17 stars; 16 are allowed')
})
