import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
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

/** A call as raw as it gets. */
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

describe('limits', () => {
  const nested = (depth: number): string => (depth === 0 ? 'name' : `aggregates { nodes { hosts { nodes { ${nested(depth - 1)} } } } }`)
  test.each([
    ['depth', `{ hosts { nodes { ${nested(3)} } } }`, 'limit.depth'],
    ['aliases', `{ viewer { ${Array.from({ length: 31 }, (_, i) => `a${i}: scopes`).join(' ')} } }`, 'limit.aliases'],
    ['root fields', `{ ${Array.from({ length: 11 }, (_, i) => `a${i}: viewer { scopes }`).join(' ')} }`, 'limit.root_fields'],
    [
      'directives',
      `{ viewer { scopes ${'@include(if: true)'.repeat(1)} ${Array.from({ length: 60 }, () => 'scopes @include(if: true)').join(' ')} } }`,
      'limit.directives',
    ],
    [
      'bulk data',
      `{ fleet { ${Array.from({ length: 20 }, (_, i) => `c${i}: columns(names: [STATE]) { count }`).join(' ')} } }`,
      'limit.cost',
    ],
    ['cost', '{ hosts(first: 500) { nodes { claims(first: 500) { nodes { id } } } } }', 'limit.cost'],
  ])('too much %s is refused before anything runs', async (_name, document, rule) => {
    const answer = await api.ask(document)
    expect(answer.status).toBe(400)
    expect(answer.data ?? null).toBeNull()
    expect(answer.errors[0]?.extensions).toMatchObject({ rule, requestId: expect.any(String) })
  })

  test('too many tokens are refused while reading', async () => {
    const answer = await api.ask(`{ viewer { ${'scopes '.repeat(limits.tokens)} } }`)
    expect([answer.status, codeOf(answer)]).toEqual([400, 'GRAPHQL_PARSE_FAILED'])
  })

  test('fragments in a circle end', async () => {
    const answer = await api.ask('{ hosts { nodes { ...a } } } fragment a on Host { ...b } fragment b on Host { ...a }')
    expect(answer.status).toBe(400)
  })

  const json = { 'content-type': 'application/json', authorization: 'Bearer the-admin-key-of-tests' }
  test.each([
    ['named by its length', false],
    ['in chunks', true],
  ])('a body above the limit, %s, is 413', async (_name, chunked) => {
    const { status, text } = await send(JSON.stringify({ query: `# ${'x'.repeat(limits.bodyBytes)}` }), json, { chunked })
    expect(status).toBe(413)
    expect(JSON.parse(text).errors[0].extensions.rule).toBe('limit.body')
  })

  test.each([
    ['text/plain', '{"query":"{ viewer { scopes } }"}', { 'content-type': 'text/plain' }, 415],
    ['a form', 'query=1', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
    ['multipart', '--x', { 'content-type': 'multipart/form-data; boundary=x' }, 415],
    ['a list of calls', '[{"query":"{ viewer { scopes } }"}]', {}, 400],
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

describe('what could hold up everybody is refused before it runs', () => {
  const hosts = (filter: unknown) => api.ask('query ($f: HostFilter) { hosts(filter: $f) { totalCount } }', { f: filter })
  const deep = (levels: number): unknown => (levels === 0 ? { name: { eq: 'h1' } } : { not: deep(levels - 1) })

  test('a filter of too many parts', async () => {
    const answer = await hosts({ or: Array.from({ length: 5_000 }, () => ({ name: { contains: 'z' } })) })
    expect([answer.status, codeOf(answer)]).toEqual([400, 'GRAPHQL_VALIDATION_FAILED'])
    expect(answer.errors[0]?.extensions.allowed).toBe('a filter of at most 100 parts')
  })

  test('a list of too many items, and not one of as many as an input allows', async () => {
    const create = 'mutation ($input: AggregateCreateInput!) { aggregateCreate(input: $input, dryRun: true) { __typename } }'
    const many = Array.from({ length: 18_750 }, (_, i) => `h${i}`)
    expect(codeOf(await api.ask(create, { input: { name: 'of many', hosts: many } }))).toBeUndefined()
    const answer = await api.ask(create, { input: { name: 'x', hosts: Array.from({ length: 100_001 }, () => 'h') } })
    expect(answer.errors[0]?.message).toContain('input.hosts is a list of 100001; it must be a list of at most 100000')
  })

  test('variables nested without end', async () => {
    const answer = await hosts(deep(3_000))
    expect([answer.status, codeOf(answer), answer.errors[0]?.extensions.rule]).toEqual([400, 'GRAPHQL_VALIDATION_FAILED', 'limit.depth'])
  })

  test('a document nested without end', async () => {
    const answer = await api.ask(`{ nodes(ids: ${'['.repeat(2_400)}${']'.repeat(2_400)}) { id } }`)
    expect([answer.status, codeOf(answer), answer.errors[0]?.extensions.rule]).toEqual([400, 'GRAPHQL_VALIDATION_FAILED', 'limit.depth'])
  })

  test('many ids at once cost as many times', async () => {
    const ids = Array.from({ length: 1_000 }, () => 'x')
    const answer = await api.ask('query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Decision { explanation { text } } } }', { ids })
    expect(codeOf(answer)).toBe('COST_EXCEEDED')
  })
})

test('a client that reads only after it has sent everything still reads 413', async () => {
  const response = await fetch(api.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer the-admin-key-of-tests' },
    body: 'x'.repeat(limits.bodyBytes + 1_000_000),
  })
  expect(response.status).toBe(413)
})
