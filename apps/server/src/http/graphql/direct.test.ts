import type { IncomingMessage, ServerResponse } from 'node:http'
import { buildSchema, parse } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ADMIN_KEY, placeWith, startTestService, type TestService } from '../../testing/test-service.ts'
import type { Call } from './call.ts'
import { createDirectAnswers } from './direct.ts'
import { createDocumentCache } from './document-cache.ts'

describe('a direct answer is the same as that of Yoga, byte for byte', () => {
  let api: TestService
  let readOnly: string
  let claimId: string
  beforeAll(async () => {
    api = await startTestService()
    await api.report(Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`h${i}`, {}])))
    readOnly = await api.keyWith('READ')
    const placed = await placeWith(api, { idempotencyKey: 'placed' })
    claimId = placed.destinations[0].selected.claim.id
  })
  afterAll(() => api.close())

  const post = async (body: object, headers: Readonly<Record<string, string>>) => {
    const response = await fetch(api.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${ADMIN_KEY}`, 'x-request-id': 'same', ...headers },
      body: JSON.stringify(body),
    })
    const { date: _, ...others } = Object.fromEntries(response.headers)
    return { status: response.status, headers: others, body: await response.text() }
  }
  /** Sends a call in both ways: Yoga answers calls with an unusual Accept header. The first call makes the document known. */
  const both = async (body: object, headers: Readonly<Record<string, string>> = {}) => {
    const ways = ['application/json, text/plain', 'application/json'].map((accept) => () => post(body, { accept, ...headers }))
    const [yoga, direct] = [await ways[0]?.(), await ways[1]?.()]
    expect(direct).toEqual(yoga)
    return direct
  }

  const HOSTS = 'query Hosts($first: Int = 2, $after: String) { hosts(first: $first, after: $after) { nodes { name id } } }'
  const SELECT = `mutation Select($input: SelectDestinationsInput!) { selectDestinations(input: $input) { __typename
    ... on SelectDestinationsPayload { replayed decision { id outcome attempt } destinations { selected { host { name } weight limits { resource limit } } } }
    ... on UserError { code message path } ... on ValidationError { issues { path rule message expected actual } } } }`
  const spec = { gantt: { flavor: { vcpus: 2, memoryMb: 4_096 } } }

  test.each<[string, object, number]>([
    ['a query', { query: HOSTS }, 200],
    ['a query with variables', { query: HOSTS, variables: { first: 5 } }, 200],
    ['a variable that is null', { query: HOSTS, variables: { first: null } }, 200],
    [
      'a fragment, an alias and directives',
      {
        query:
          'query ($is: Boolean!) { a: hosts(first: 1) { ...F nodes { __typename @skip(if: $is) } } } fragment F on HostConnection { totalCount @include(if: $is) }',
        variables: { is: true },
      },
      200,
    ],
    ['introspection', { query: '{ __type(name: "Host") { name fields { name description type { kind name } } } }' }, 200],
    ['one of several operations', { query: 'query A { health { __typename } } query B { viewer { scopes } }', operationName: 'B' }, 200],
    ['a node that does not exist', { query: '{ node(id: "SG9zdDpub25l") { id } }' }, 400],
    ['health, which waits for nothing', { query: '{ health { __typename } }' }, 200],
    [
      'a long answer',
      { query: '{ hosts(first: 300) { nodes { name id status capacity { resourceClass total used claimed } traits } } }' },
      200,
    ],
    ['a placement that is repeated', { query: SELECT, variables: { input: { idempotencyKey: 'twice', spec } } }, 200],
    [
      'a placement that is not valid',
      { query: SELECT, variables: { input: { idempotencyKey: 'x', spec: { gantt: { flavor: { vcpus: -1, memoryMb: 1 } } } } } },
      200,
    ],
    ['a missing variable', { query: SELECT, variables: {} }, 400],
    ['an unknown field of a variable', { query: SELECT, variables: { input: { idempotencyKey: 'x', spec, bogus: 1 } } }, 400],
    ['a variable of another type', { query: HOSTS, variables: { first: 'many' } }, 400],
    ['no operation of that name', { query: HOSTS, operationName: 'Other' }, 400],
    ['several operations and no name', { query: 'query A { viewer { account } } query B { viewer { scopes } }' }, 400],
    ['an error beside data', { query: '{ viewer { account } hosts(after: "???") { totalCount } }' }, 400],
    ['a page that is too long', { query: HOSTS, variables: { first: 501 } }, 400],
    [
      'a cost above the limit',
      { query: '{ hosts(first: 500) { nodes { claims(first: 500) { nodes { decision { explanation { text } } } } } } }' },
      400,
    ],
  ])('%s', async (_name, body, status) => {
    // once before, because a document is known only after its first call, and a placement is repeated only after its first call
    await post(body, { accept: 'application/json' })
    for (let twice = 0; twice < 2; twice++) expect((await both(body))?.status).toBe(status)
  })

  test('a field that the key may not select, and a claim with its id', async () => {
    const refused = await both(
      { query: 'mutation { apiKeyRevoke(id: "x") { __typename } }' },
      { authorization: `Bearer ${readOnly}` },
    )
    expect(refused?.body).toContain('FORBIDDEN')
    const claim = await both({
      query: 'query ($id: ID!) { node(id: $id) { ... on Claim { id state decision { id } } } }',
      variables: { id: claimId },
    })
    expect(claim?.body).toContain(claimId)
  })

  test.each(['gzip', 'br', 'identity', 'gzip;q=0'])('an answer whose caller accepts the encoding %s', async (encoding) => {
    const body = { query: '{ hosts(first: 300) { nodes { name id } } }' }
    await post(body, {})
    await both(body, { 'accept-encoding': encoding })
  })

  test.each(['application/graphql-response+json', '*/*'])('the media type of %s', async (accept) => {
    const body = { query: HOSTS }
    const direct = await post(body, { accept })
    const yoga = await post(body, { accept: `text/plain, ${accept}` })
    expect(direct).toEqual(yoga)
  })
})

describe('what is left to Yoga', () => {
  const schema = buildSchema('type Query { now: Int } type Subscription { later: Int }')
  const documents = createDocumentCache()
  for (const text of ['{ now }', 'subscription { later }']) documents.setValid(parse(text), text)
  const direct = createDirectAnswers({
    ...{ schema, documents, services: { moments: { forCall: () => undefined } } as never, settled: () => undefined },
    heartbeat: () => ({ revision: 1, stateAgeMs: 0 }),
    warn: (message) => expect.unreachable(message),
  })
  /** Which answer a call gets, and how often the time in which its caller must read it has begun. */
  const ask = async (query: string, accept?: string) => {
    let begun = 0
    let sent: unknown
    const end = (body: Buffer): void => {
      sent = body.toString()
    }
    const response = { destroyed: false, writeHead: () => response, end }
    const call = { caller: { hosts: [], project: null, scopes: ['READ'] }, requestId: 'r', answer: {}, isToBeRead: () => void begun++ }
    const answered = direct({ headers: { accept } } as IncomingMessage, response as never as ServerResponse, call as never as Call, {
      query,
    })
    await answered
    return { isDirect: answered !== undefined, sent, begun }
  }

  test('a query that was sent before is answered directly, and its caller must read the answer from then on', async () => {
    expect(await ask('{ now }')).toEqual({ isDirect: true, sent: '{"data":{"now":null}}', begun: 1 })
  })

  test.each([
    ['a document that was not sent before', '{ other: now }', undefined],
    ['a subscription', 'subscription { later }', undefined],
    ['an unusual media type', '{ now }', 'text/event-stream, application/json'],
  ])('%s', async (_name, query, accept) => {
    expect(await ask(query, accept)).toEqual({ isDirect: false, sent: undefined, begun: 0 })
  })
})
