import type { IncomingMessage } from 'node:http'
import { buildSchema, type GraphQLError, parse } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fault } from '../../schema/types/faults.ts'
import { ADMIN_KEY, placeWith, startTestService, type TestService } from '../../testing/test-service.ts'
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
  /** Sends a call in both ways: Yoga answers calls with an unusual Accept header, as a test below shows. */
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
    ['an error in addition to data', { query: '{ viewer { account } hosts(after: "???") { totalCount } }' }, 400],
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
    const refused = await both({ query: 'mutation { apiKeyRevoke(id: "x") { __typename } }' }, { authorization: `Bearer ${readOnly}` })
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

const schema = buildSchema('type Query { now: Int health: Int long: String fails: Int } type Subscription { later: Int }')
Object.assign(schema.getQueryType()?.getFields().fails ?? {}, {
  resolve: () => {
    throw new TypeError('a defect')
  },
})
Object.assign(schema.getQueryType()?.getFields().long ?? {}, { resolve: () => 'x'.repeat(300 * 1_024) })
const documents = createDocumentCache()
const known = ['{ now }', '{ health }', '{ long fails }', 'subscription { later }', 'query A { now } query B { now }']
for (const text of known) documents.setValid(parse(text), text)

/** Asks a small schema directly. Returns how the call was answered, and how often the time in which its caller must read has begun. */
async function ask(
  query: string,
  {
    settled = async () => undefined,
    answer = {},
    ...given
  }: { accept?: string; operationName?: string; isGone?: boolean; answer?: object; settled?: () => Promise<void> } = {},
) {
  const warnings: string[] = []
  const sent: unknown[] = []
  let begun = 0
  const direct = createDirectAnswers({
    ...{ schema, documents, settled, services: { moments: { forCall: () => undefined } } as never },
    heartbeat: () => ({ revision: 1, stateAgeMs: 0 }),
    warn: (message) => void warnings.push(message),
  })
  const response = {
    destroyed: given.isGone ?? false,
    writeHead: (status: number) => {
      sent.push(status)
      return response
    },
    end: (body: Buffer) => void sent.push(JSON.parse(body.toString())),
  }
  const call = { caller: { hosts: [], project: null, scopes: ['READ'] }, requestId: 'r', answer, isToBeRead: () => void begun++ }
  const answered = direct({ headers: { accept: given.accept } } as IncomingMessage, response as never, call as never, {
    query,
    ...(given.operationName !== undefined && { operationName: given.operationName }),
  })
  await answered
  return { isDirect: answered !== undefined, sent, begun, warnings }
}

const aFault = (message: string): GraphQLError => fault('UNAVAILABLE', message)
const codes = ({ sent }: { readonly sent: readonly unknown[] }) => {
  const [status, { errors }] = sent as [number, { errors: { message: string; extensions: { requestId: string } }[] }]
  return [status, errors.map(({ message, extensions: { requestId } }) => `${requestId}: ${message}`)]
}

describe('which calls are answered directly', () => {
  test.each([undefined, '*/*', 'application/json', 'application/graphql-response+json'])(
    'a document that was sent before, if the caller accepts %s',
    async (accept) => {
      const found = await ask('{ now }', accept === undefined ? {} : { accept })
      expect(found).toEqual({ isDirect: true, sent: [200, { data: { now: null } }], begun: 1, warnings: [] })
    },
  )

  test.each<[string, string, Parameters<typeof ask>[1]]>([
    ['a document that was not sent before', '{ other: now }', {}],
    ['a subscription', 'subscription { later }', {}],
    ['an unusual media type', '{ now }', { accept: 'text/event-stream, application/json' }],
    ['no operation of that name', 'query A { now } query B { now }', { operationName: 'C' }],
    ['several operations and no name', 'query A { now } query B { now }', {}],
  ])('left to Yoga: %s', async (_name, query, options) => {
    expect(await ask(query, options)).toEqual({ isDirect: false, sent: [], begun: 0, warnings: [] })
  })
})

describe('a direct answer', () => {
  const settled = (): Promise<void> => Promise.reject(aFault('The state was lost.'))

  test('is an error if the state that it shows is not durable, and health does not wait for that', async () => {
    expect(codes(await ask('{ now }', { settled }))).toEqual([503, ['r: The state was lost.']])
    expect((await ask('{ health }', { settled })).sent).toEqual([200, { data: { health: null } }])
  })

  test('is an error if the answer became too large', async () => {
    expect(codes(await ask('{ now }', { answer: { fault: aFault('It is too large.') } }))).toEqual([503, ['r: It is too large.']])
  })

  test('conceals a defect, names it to operators, and has the other fields, also if it is long', async () => {
    const answer = { bytes: 300 * 1_024, most: 1_000_000 }
    const { sent, warnings } = await ask('{ long fails }', { answer })
    expect(codes({ sent })).toEqual([500, [expect.stringMatching(/^r: The service failed to answer/)]])
    expect(sent[1]).toMatchObject({ data: { long: expect.stringMatching(/^x+$/), fails: null } })
    expect(warnings).toEqual([expect.stringMatching(/^request r failed: TypeError: a defect/)])
  })

  test('is not written if the caller has left', async () => {
    expect(await ask('{ now }', { isGone: true })).toEqual({ isDirect: true, sent: [], begun: 0, warnings: [] })
  })
})
