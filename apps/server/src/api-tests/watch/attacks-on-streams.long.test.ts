import { createHash, randomUUID } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSchema } from '../../schema/index.ts'
import { streamText } from '../../testing/stream-text.ts'
import { type Json, startTestService, type TestService } from '../../testing/test-service.ts'

/**
 * In these tests, a caller with a valid key tries to misuse streams: to read data without permission, to exhaust the limit of open streams,
 * and to cause expensive computations.
 */

const SECRET_HOST = 'host-of-another-project'
/** A key may have at most this many open streams on a replica. */
const MAX_STREAMS_PER_KEY = 128
let api: TestService
const keys: Record<string, string> = {}

beforeAll(async () => {
  api = await startTestService()
  await api.report({ h1: {}, [SECRET_HOST]: {} })
  const { keys: store } = api.service
  keys.project = (await store.create({ name: 'of p1', account: 't', scopes: ['READ', 'SCHEDULE', 'CLAIM'], project: 'p1' })).secret
  keys.host = (await store.create({ name: 'of h1', account: 'agents', scopes: ['REPORT'], hosts: ['h1'] })).secret
  keys.caller = await api.keyWith('SCHEDULE', 'CLAIM', 'REPORT')
  keys.reader = await api.keyWith('READ')
})
afterAll(async () => {
  await api.close()
})

type Body = { readonly query: string; readonly variables?: unknown; readonly operationName?: string }

const open = (key: string, body: Body, { accept = 'text/event-stream', signal = null as AbortSignal | null } = {}): Promise<Response> =>
  fetch(api.url, {
    method: 'POST',
    signal,
    headers: { 'content-type': 'application/json', accept, authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
  })

/** The errors in the answer to a refused subscription. */
async function faultsOf(response: Response): Promise<readonly Json[]> {
  const text = await response.text()
  const data = text.split('\n').find((line) => line.startsWith('data: {'))
  return JSON.parse(data === undefined ? text : data.slice(6)).errors
}

/** True if the key can open the maximum count of streams. */
async function opensAll(key: string): Promise<boolean> {
  const abort = new AbortController()
  try {
    const all = await Promise.all(
      Array.from({ length: MAX_STREAMS_PER_KEY }, () =>
        open(key, { query: 'subscription { hostChanged { revision } }' }, { signal: abort.signal }),
      ),
    )
    return all.every(({ status, headers }) => status === 200 && headers.get('content-type')?.startsWith('text/event-stream'))
  } finally {
    abort.abort()
  }
}

const streams = Object.values(createSchema().getSubscriptionType()?.getFields() ?? {})
const selectionOf: Record<string, string> = {
  decisions: 'decisions(samplePerSecond: 1000) { revision }',
  fleetDeltas: 'fleetDeltas(columns: [CLAIMS], after: "0") { names }',
  hostChanged: 'hostChanged(after: "0") { host { name } }',
}

describe('a key without a reading scope cannot open a stream, in whatever form the request is written', () => {
  test('the table has a row for every stream', () =>
    expect(streams.map(({ name }) => name).sort()).toEqual(Object.keys(selectionOf).sort()))

  const long = 'host:a '.repeat(140_000)
  const forms: readonly [string, (selection: string) => Body][] = [
    ['as it is', (selection) => ({ query: `subscription { ${selection} }` })],
    ['behind an alias', (selection) => ({ query: `subscription { viewer: ${selection} }` })],
    ['in a fragment', (selection) => ({ query: `subscription { ...a } fragment a on Subscription { ${selection} }` })],
    ['in a fragment without a name', (selection) => ({ query: `subscription { ... { ${selection} } }` })],
    [
      'next to a query that the key may ask',
      (selection) => ({ query: `query a { viewer { scopes } } subscription b { ${selection} }`, operationName: 'b' }),
    ],
    [
      'with a filter of a million characters',
      (selection) => ({
        query: `subscription ($q: String) { ${selection.replace(/^(decisions|hostChanged)\(/, '$1(query: $q, ')} }`,
        variables: { q: long },
      }),
    ],
  ]
  describe.each(Object.entries(selectionOf))('%s', (name, selection) => {
    test.each(forms.filter(([, form]) => name !== 'fleetDeltas' || !form(selection).query.includes('$q')))('%s', async (_form, form) => {
      for (const key of ['project', 'host', 'caller'])
        for (const accept of ['text/event-stream', 'application/json', 'multipart/mixed']) {
          const response = await open(keys[key] ?? '', form(selection), { accept })
          if (response.status === 406) continue
          const [fault] = await faultsOf(response)
          expect([key, accept, fault.extensions.code]).toEqual([key, accept, 'FORBIDDEN'])
          expect(fault.message.length).toBeLessThan(400)
          expect(fault.message).not.toContain(SECRET_HOST)
        }
    })
  })

  test('three hundred refused streams are not counted as open', async () => {
    for (let i = 0; i < 6; i++)
      await Promise.all(
        Array.from({ length: 50 }, async () =>
          faultsOf(await open(keys.project ?? '', { query: `subscription { ${selectionOf.decisions} }` })),
        ),
      )
    expect(await opensAll(keys.reader ?? '')).toBe(true)
  })
})

describe('a stream ends with its response', () => {
  const query = 'subscription { hostChanged { revision } }'

  test('a subscription whose Accept header excludes streams is not counted as open', async () => {
    const key = await api.keyWith('READ')
    const answers = await Promise.all(
      Array.from({ length: MAX_STREAMS_PER_KEY + 10 }, () => open(key, { query }, { accept: 'application/json' })),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([406]))
    await Promise.all(answers.map((answer) => answer.text()))
    await expect.poll(() => opensAll(key), { timeout: 10_000 }).toBe(true)
  })

  test.each([
    ['before the body is read', 0],
    ['while the call waits for its turn', 1],
    ['once it has begun', 20],
  ])('a stream whose caller disconnects %s is not counted as open', async (_when, ms) => {
    const key = await api.keyWith('READ')
    const body = JSON.stringify({ query })
    const url = new URL(api.url)
    await Promise.all(
      Array.from(
        { length: MAX_STREAMS_PER_KEY + 10 },
        () =>
          new Promise<void>((resolve) => {
            const call = httpRequest({
              ...{ host: url.hostname, port: url.port, path: url.pathname, method: 'POST' },
              headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', accept: 'text/event-stream' },
            })
            call.on('error', () => resolve())
            call.on('close', () => resolve())
            call.end(body, () => void delay(ms).then(() => call.destroy()))
          }),
      ),
    )
    await expect.poll(() => opensAll(key), { timeout: 10_000 }).toBe(true)
  })

  test('the streams of a revoked key end', async () => {
    const { secret, key } = await api.service.keys.create({ name: 'to end', account: 'x', scopes: ['READ'] })
    const response = await open(secret, { query })
    await api.ask('mutation ($id: ID!) { apiKeyRevoke(id: $id) { __typename } }', { id: key.id })
    expect(await response.text()).toContain('event: complete')
  }, 30_000)
})

describe('the limits of queries apply to streams', () => {
  const refusedRule = async (body: Body): Promise<unknown> => {
    const abort = new AbortController()
    const response = await open(keys.reader ?? '', body, { accept: 'text/event-stream, application/json;q=0.9', signal: abort.signal })
    if (response.headers.get('content-type')?.startsWith('text/event-stream') && response.status === 200) {
      abort.abort()
      return 'began'
    }
    const [fault] = await faultsOf(response)
    return fault.extensions.rule ?? fault.extensions.code
  }
  const nested =
    'recentDecisions(first: 500) { nodes { destinations { selected { host { recentDecisions(first: 500) { nodes { id } } } } } } }'
  test.each<[string, Body, unknown]>([
    ['cost', { query: `subscription { hostChanged { host { ${nested} } } }` }, 'limit.cost'],
    [
      'cost behind a variable that has a default',
      {
        query: `subscription ($n: Int = 500) { hostChanged { host { ${nested.replaceAll('500', '$n')} } } }`,
      },
      'limit.cost',
    ],
    [
      'aliases',
      { query: `subscription { hostChanged { ${Array.from({ length: 31 }, (_, i) => `a${i}: revision`).join(' ')} } }` },
      'limit.aliases',
    ],
    ['tokens', { query: `subscription { hostChanged { ${'... { revision } '.repeat(2_001)} } }` }, 'GRAPHQL_PARSE_FAILED'],
    ['repeated fields', { query: `subscription { hostChanged { ${'revision '.repeat(31)} } }` }, 'limit.repeats'],
    [
      'introspection',
      { query: 'subscription { __schema { types { fields { type { fields { type { fields { name } } } } } } } }' },
      'document.valid',
    ],
    ['more than one stream', { query: 'subscription { a: hostChanged { revision } b: hostChanged { revision } }' }, 'document.valid'],
    [
      'the length of a filter',
      { query: 'subscription ($q: String) { hostChanged(query: $q) { revision } }', variables: { q: 'a'.repeat(1_001) } },
      'call.invalid',
    ],
    [
      'the stars of a filter',
      { query: 'subscription ($q: String) { hostChanged(query: $q) { revision } }', variables: { q: `host:${'*a'.repeat(17)}` } },
      'call.invalid',
    ],
    [
      'lists',
      {
        query: 'subscription ($f: DecisionFilter) { decisions(filter: $f) { revision } }',
        variables: { f: { outcome: Array.from({ length: 10_001 }, () => 'PLACED') } },
      },
      'limit.list',
    ],
    ['the number of events', { query: 'subscription { decisions(samplePerSecond: 1001) { revision } }' }, 'call.invalid'],
    ['frequency', { query: 'subscription { fleetDeltas(columns: [CLAIMS], after: "0", interval: "PT0.01S") { names } }' }, 'call.invalid'],
  ])('%s', async (_limit, body, rule) => expect(await refusedRule(body)).toBe(rule))
})

test('an error in an event has the request id of its call', async () => {
  const id = createHash('sha256').update(randomUUID()).digest('hex').slice(0, 16)
  const abort = new AbortController()
  const response = await fetch(api.url, {
    method: 'POST',
    signal: abort.signal,
    headers: {
      ...{ 'content-type': 'application/json', accept: 'text/event-stream', 'x-request-id': id },
      authorization: `Bearer ${keys.reader}`,
    },
    body: JSON.stringify({ query: 'subscription { hostChanged(after: "0") { host { timeline(first: -1) { nodes { __typename } } } } }' }),
  })
  let text = ''
  for await (const piece of streamText(response)) {
    text += piece
    if (text.includes('data: {"')) break
  }
  abort.abort()
  const line = text.split('\n').find((one) => one.startsWith('data: {'))
  expect(JSON.parse(line?.slice(6) ?? '{}').errors[0].extensions).toMatchObject({ requestId: id })
})
