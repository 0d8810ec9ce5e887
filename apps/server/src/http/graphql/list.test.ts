import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ADMIN_KEY, dataOf, type Json, placeWith, startTestService, type TestService } from '../../testing/test-service.ts'
import { limits } from '../limits.ts'
import { idOf } from './document-cache.ts'

let api: TestService
let readOnly: string
let claimId: string
beforeAll(async () => {
  api = await startTestService()
  await api.report(Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`h${i}`, {}])))
  readOnly = await api.keyWith('READ')
  claimId = (await placeWith(api, { idempotencyKey: 'placed' })).destinations[0].selected.claim.id
  for (const query of [HOSTS, SELECT, HEALTH]) await post({ query })
})
afterAll(() => api.close())

interface Operation {
  readonly query: string
  readonly operationName?: string
  readonly variables?: object
}
type Headers = Readonly<Record<string, string>>

const post = (body: unknown, headers: Headers = {}, signal?: AbortSignal): Promise<Response> =>
  fetch(api.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${ADMIN_KEY}`, 'x-request-id': 'same', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(signal && { signal }),
  })

const listed = ({ query, ...others }: Operation) => ({ documentId: idOf(query), ...others })

/** The lines of an answer, in the order of the operations. */
async function linesOf(response: Response): Promise<readonly { readonly status: number; readonly text: string }[]> {
  expect(response.headers.get('content-type')).toBe('application/jsonl; charset=utf-8')
  const lines = (await response.text()).trimEnd().split('\n')
  const found = lines.map((line) => {
    const [, index, status, rest] = /^\{"requestIndex":(\d+),"status":(\d+),(.*)$/.exec(line) ?? []
    return { index: Number(index), status: Number(status), text: `{${rest}` }
  })
  return found.sort((a, b) => a.index - b.index).map(({ status, text }) => ({ status, text }))
}

const asLines = async (body: unknown, headers: Headers = {}) => linesOf(await post(body, { accept: 'application/jsonl', ...headers }))

const HOSTS = 'query Hosts($first: Int = 2, $after: String) { hosts(first: $first, after: $after) { nodes { name id } } }'
const HEALTH = '{ health { __typename } }'
const SELECT = `mutation Select($input: SelectDestinationsInput!) { selectDestinations(input: $input) { __typename
  ... on SelectDestinationsPayload { replayed fleetRevision decision { id outcome } destinations { selected { host { name } weight claim { id } } } }
  ... on UserError { code message path } ... on ValidationError { issues { path rule message expected actual } } } }`
const spec = { gantt: { flavor: { vcpus: 1, memoryMb: 512 } } }
const select = (idempotencyKey: string, given: object = spec): Operation => ({
  query: SELECT,
  variables: { input: { idempotencyKey, spec: given, claim: { mode: 'CONFIRM' } } },
})

describe('each answer of a list is the same as that to a call of its own, byte for byte', () => {
  const TABLE: readonly (readonly [string, () => Operation, number])[] = [
    ['a query', () => ({ query: HOSTS }), 200],
    ['a query with variables', () => ({ query: HOSTS, variables: { first: 5 } }), 200],
    ['one of several operations', () => ({ query: `query A ${HEALTH} query B { viewer { scopes } }`, operationName: 'B' }), 200],
    ['no operation of that name', () => ({ query: `query A ${HEALTH} query B { viewer { scopes } }`, operationName: 'C' }), 400],
    ['several operations and no name', () => ({ query: `query A ${HEALTH} query B { viewer { scopes } }` }), 400],
    ['a placement that is repeated', () => select('twice'), 200],
    ['a placement that is not valid', () => select('x', { gantt: { flavor: { vcpus: -1, memoryMb: 1 } } }), 200],
    ['a node that does not exist', () => ({ query: '{ node(id: "SG9zdDpub25l") { id } }' }), 400],
    ['a missing variable', () => ({ query: SELECT, variables: {} }), 400],
    ['an unknown field of a variable', () => ({ query: SELECT, variables: { input: { idempotencyKey: 'x', spec, bogus: 1 } } }), 400],
    ['a variable of another type', () => ({ query: HOSTS, variables: { first: 'many' } }), 400],
    ['an error in addition to data', () => ({ query: '{ viewer { scopes } hosts(after: "???") { totalCount } }' }), 400],
    ['a page that is too long', () => ({ query: HOSTS, variables: { first: 501 } }), 400],
    [
      'a cost above the limit',
      () => ({ query: '{ hosts(first: 500) { nodes { claims(first: 500) { nodes { decision { explanation { text } } } } } } }' }),
      400,
    ],
    ['variables that are too deep', () => ({ query: HOSTS, variables: { first: JSON.parse(`${'['.repeat(70)}${']'.repeat(70)}`) } }), 400],
    ['variables that are no object', () => ({ query: HOSTS, variables: [] as object }), 400],
    ['a claim', () => ({ query: 'query ($id: ID!) { node(id: $id) { ... on Claim { id state } } }', variables: { id: claimId } }), 200],
    [
      'a long answer',
      () => ({ query: '{ hosts(first: 300) { nodes { name id status capacity { resourceClass total used } traits } } }' }),
      200,
    ],
  ]

  /** The answers to calls of their own, with the ids that the operations of a list have. */
  const alone = (operations: readonly Operation[], headers: Headers = {}) =>
    Promise.all(
      operations.map(async (operation, index) => {
        const response = await post(operation, { ...headers, 'x-request-id': `same.${index}` })
        return { status: response.status, text: await response.text() }
      }),
    )

  test.each(TABLE)('%s', async (_name, create, status) => {
    const operations = [create()]
    await alone(operations)
    const expected = await alone(operations)
    expect(expected[0]?.status).toBe(status)
    expect(await asLines(operations.map(listed))).toEqual(expected)
  })

  test('all of them in one list, as lines and as a list, and an answer has the status 200', async () => {
    const operations = TABLE.map(([, create]) => create())
    await alone(operations)
    const expected = await alone(operations)
    expect(await asLines(operations.map(listed))).toEqual(expected)
    const response = await post(operations.map(listed))
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
    expect(await response.text()).toBe(`[${expected.map(({ text }) => text).join()}]`)
  })

  test('the fields that a key may not select are refused in each operation', async () => {
    const revoke = { query: 'mutation { apiKeyRevoke(id: "x") { __typename } }' }
    const headers = { authorization: `Bearer ${readOnly}` }
    await post(revoke)
    const operations = [revoke, { query: HOSTS }, select('by a reader')]
    const expected = await alone(operations, headers)
    expect(expected.map(({ status }) => status)).toEqual([403, 200, 403])
    expect(await asLines(operations.map(listed), headers)).toEqual(expected)
  })
})

test('sixteen placements of one list are decided together, and are one entry of the log', async () => {
  let run = 0
  /** How many entries of the log the placements of a list have. A busy machine can need several turns to start them. */
  const entries = async (): Promise<number> => {
    const lines = await asLines(Array.from({ length: 16 }, (_, i) => listed(select(`together ${run} ${i}`))))
    run++
    const placed = lines.map(({ text }) => JSON.parse(text).data.selectDestinations)
    expect(placed.map(({ __typename }) => __typename)).toEqual(Array.from({ length: 16 }, () => 'SelectDestinationsPayload'))
    expect(new Set(placed.map(({ destinations }) => destinations[0].selected.claim.id)).size).toBe(16)
    return new Set(placed.map(({ fleetRevision }) => fleetRevision)).size
  }
  await expect.poll(entries).toBe(1)
})

test('a key that is twice in one list makes one claim, and both answers have it', async () => {
  const key = randomUUID()
  const lines = await asLines([select(key), select(key)].map(listed))
  const placed = lines.map(({ text }) => JSON.parse(text).data.selectDestinations)
  expect(placed.map(({ replayed }) => replayed).sort()).toEqual([false, true])
  expect(new Set(placed.map(({ destinations }) => destinations[0].selected.claim.id)).size).toBe(1)
})

test('the audit has an entry for each operation, with an id of its own', async () => {
  const query = 'mutation ($key: String!) { claimAbandon(idempotencyKey: $key) { __typename } }'
  const abandon = (key: string): Operation => ({ query, variables: { key } })
  await post(abandon('audit 0'))
  const id = randomUUID()
  await asLines([abandon('audit 1'), { query: HEALTH }, abandon('audit 2')].map(listed), { 'x-request-id': id })
  const { auditLog } = await dataOf(api, '{ auditLog(first: 2) { nodes { requestId } } }')
  expect(auditLog.nodes.map(({ requestId }: Json) => requestId).sort()).toEqual([`${id}.0`, `${id}.2`])
})

describe('an operation that is refused does not spoil the others', () => {
  const code = ({ status, text }: { readonly status: number; readonly text: string }) => {
    const [error] = JSON.parse(text).errors ?? [{ extensions: {} }]
    return [status, error.extensions.code, error.extensions.rule, error.extensions.path]
  }
  const INVALID = 'GRAPHQL_VALIDATION_FAILED'

  test.each<[string, unknown, readonly unknown[]]>([
    ['a document that was never sent', { documentId: idOf('{ a }') }, [404, 'PERSISTED_DOCUMENT_NOT_FOUND', undefined, ['documentId']]],
    ['an id that is not text', { documentId: 7 }, [404, 'PERSISTED_DOCUMENT_NOT_FOUND', undefined, ['documentId']]],
    ['a text instead of an id', { query: HOSTS }, [400, INVALID, 'http.body', ['documentId']]],
    ['both', { query: HOSTS, documentId: idOf(HOSTS) }, [400, INVALID, 'http.body', ['documentId']]],
    ['an unknown member', { documentId: idOf(HOSTS), bogus: 1 }, [400, INVALID, 'http.body', ['bogus']]],
    ['null', null, [400, INVALID, 'http.body', []]],
    ['a list', [], [400, INVALID, 'http.body', []]],
    ['a text', 'x', [400, INVALID, 'http.body', []]],
  ])('%s', async (_name, wrong, expected) => {
    const [first, second, third] = (await asLines([listed({ query: HOSTS }), wrong, listed({ query: HEALTH })])).map(code)
    expect([first?.[0], third?.[0]]).toEqual([200, 200])
    expect(second).toEqual(expected)
  })

  test('a document that is not valid is not known, although it was sent before', async () => {
    const query = '{ hosts { bogus } }'
    await post({ query })
    expect((await asLines([listed({ query })])).map(code)).toEqual([[404, 'PERSISTED_DOCUMENT_NOT_FOUND', undefined, ['documentId']]])
  })

  test('a subscription, and variables with many values, must be sent alone', async () => {
    const query = 'subscription { decisions { __typename } }'
    const leaving = new AbortController()
    await post({ query }, {}, leaving.signal)
    leaving.abort()
    const many = { query: HOSTS, variables: { first: 1, other: Array.from({ length: 2_500 }, () => 0) } }
    const found = (await asLines([listed({ query }), listed(many), listed({ query: HOSTS })])).map(code)
    expect(found.map(([status, , rule]) => [status, rule])).toEqual([
      [400, 'list.stream'],
      [400, 'list.values'],
      [200, undefined],
    ])
  })
})

describe('a body that is refused as a whole', () => {
  const refused = async (body: unknown, headers: Headers = {}) => {
    const response = await post(body, { accept: 'application/jsonl', ...headers })
    const { errors } = (await response.json()) as Json
    return [response.status, errors[0].extensions.code, errors[0].extensions.rule]
  }
  test.each<[string, unknown, readonly unknown[]]>([
    ['an empty list', [], [400, 'GRAPHQL_VALIDATION_FAILED', 'http.body']],
    ['65 operations', Array.from({ length: 65 }, () => listed({ query: HEALTH })), [400, 'GRAPHQL_VALIDATION_FAILED', 'limit.operations']],
    ['a list that does not end', '[{"documentId":"x"}', [400, 'GRAPHQL_PARSE_FAILED', 'http.body']],
    [
      'more values than a call may have',
      [1, 2].map(() => listed({ query: HOSTS, variables: { other: Array.from({ length: 130_000 }, () => 0) } })),
      [400, 'GRAPHQL_VALIDATION_FAILED', 'limit.values'],
    ],
    ['more than 4 MiB', `["${'x'.repeat(limits.bodyBytes)}"]`, [413, 'GRAPHQL_VALIDATION_FAILED', 'limit.body']],
  ])('%s', async (_name, body, expected) => {
    expect(await refused(body)).toEqual(expected)
  })

  test('a key that is not valid', async () => {
    expect(await refused([listed({ query: HEALTH })], { authorization: 'Bearer none' })).toEqual([401, 'UNAUTHENTICATED', undefined])
  })

  test('64 operations are answered', async () => {
    const lines = await asLines(Array.from({ length: limits.operations }, () => listed({ query: HEALTH })))
    expect(lines.map(({ status }) => status)).toEqual(Array.from({ length: limits.operations }, () => 200))
  })
})

test.each([
  ['application/jsonl, application/json', true],
  ['application/json;q=0.5, Application/JSONL; q=0.9', true],
  ['application/json', false],
  ['*/*', false],
  ['application/jsonl;q=0, application/json', false],
])('a caller that accepts %s gets lines: %s', async (accept, isStream) => {
  const response = await post([listed({ query: HEALTH })], { accept })
  expect(response.headers.get('content-type')?.startsWith('application/jsonl')).toBe(isStream)
  await response.text()
})

test('the answer of a fast operation arrives while a slow one is not decided', async () => {
  // the state of the fleet never reaches this revision, so the placement waits until it is refused
  const waiting = { ...select('slow'), variables: { input: { ...(select('slow').variables as Json).input, minRevision: '999999999' } } }
  const response = await post([listed(waiting), listed({ query: HEALTH })], { accept: 'application/jsonl' })
  const lines = (await response.text()).trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line).requestIndex)).toEqual([1, 0])
  expect(JSON.parse(lines[1] ?? '').data.selectDestinations.__typename).toBe('ReplicaBehind')
})
