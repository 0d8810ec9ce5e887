import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { afterEach, expect, test } from 'vitest'
import { createClient, createGantt } from './index.ts'

const KEY = 'gantt_secret'
const WHOLE = { depth: Number.POSITIVE_INFINITY, showHidden: true }

let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

/** Starts a service that answers every call with this text and content type. */
async function answering(body: string, type = 'application/json'): Promise<string> {
  const listening = createServer((_request, response) => response.writeHead(200, { 'content-type': type }).end(body))
  server = listening
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(listening.address() as AddressInfo).port}/graphql`
}

const thrownBy = async (call: Promise<unknown>): Promise<unknown> =>
  await call.then(
    () => undefined,
    (error: unknown) => error,
  )

const EVENT = `data: ${JSON.stringify({ errors: [{ message: `Bearer ${KEY}`, extensions: { code: 'FORBIDDEN' } }] })}\n\n`

test.each([
  ['half of an answer that ends with the key', `{"a":"${KEY}`, 'application/json'],
  ['half of an answer with the key before its last forty characters', `{"a":"${KEY}${'b'.repeat(35)}`, 'application/json'],
  ['a page whose first eighty characters end within the key', `${'<'.repeat(75)}${KEY}`, 'text/html'],
  ['errors', JSON.stringify({ errors: [{ message: KEY, path: [KEY], extensions: { [KEY]: KEY } }] }), 'application/json'],
])('the error shows no part of the key if the service answers with %s', async (_what, body, type) => {
  const error = await thrownBy(createClient({ url: await answering(body, type), key: KEY }).request('{ live }'))
  expect(error).toBeInstanceOf(Error)
  expect(inspect(error, WHOLE)).not.toMatch(/gantt_|secret/)
})

test('the error of a stream shows no key', async () => {
  const gantt = createGantt({ url: await answering(EVENT, 'text/event-stream'), key: () => KEY })
  const error = await thrownBy(gantt.events.decisions().next())
  expect(String(error)).toContain('FORBIDDEN')
  expect(inspect(error, WHOLE)).not.toContain(KEY)
})

test('an error of fetch, its code and its causes are shown without the key', async () => {
  const lost = Object.assign(new Error(`socket of ${KEY}`), {
    code: 'ECONNREFUSED',
    request: { headers: { authorization: `Bearer ${KEY}` } },
  })
  const fetch = (): Promise<Response> => Promise.reject(new TypeError('fetch failed', { cause: lost }))
  const error = await thrownBy(createClient({ url: 'http://a/graphql', key: KEY, fetch }).request('{ live }'))
  expect(String(error)).toContain('socket of ***')
  expect(inspect(error, WHOLE)).toContain('ECONNREFUSED')
  expect(inspect(error, WHOLE)).not.toContain(KEY)
})

test('an error without a key is the cause itself', async () => {
  const failed = new TypeError('fetch failed')
  const fetch = (): Promise<Response> => Promise.reject(failed)
  const error = await thrownBy(createClient({ url: 'http://a/graphql', key: KEY, fetch }).request('{ live }'))
  expect(error).toMatchObject({ cause: failed })
})

test('the error of a key source shows no key that the source returned before', async () => {
  const url = await answering('{"errors":[{"message":"who?","extensions":{"code":"UNAUTHENTICATED"}}]}')
  let reads = 0
  const key = (): string => {
    if (reads++ === 0) return KEY
    throw new Error(`the vault refused to replace ${KEY}`)
  }
  const refusing: typeof fetch = async (...call) => new Response((await fetch(...call)).body, { status: 401 })
  const error = await thrownBy(createClient({ url, key, fetch: refusing }).request('{ live }'))
  expect(String(error)).toContain('the vault refused to replace ***')
  expect(inspect(error, WHOLE)).not.toContain(KEY)
})

test('the error of a key source shows no text that looks like a key of the service, even if the source never returned it', async () => {
  const unused = `gantt_${'Ab-_'.repeat(8)}`
  const key = (): string => {
    throw new Error(`${unused} is not a key`, { cause: { text: unused } })
  }
  const error = await thrownBy(createClient({ url: 'http://a/graphql', key }).request('{ live }'))
  expect(String(error)).toContain('*** is not a key')
  expect(inspect(error, WHOLE)).not.toContain(unused)
})

test('neither a client nor its calls show the key', () => {
  for (const shown of [createGantt({ url: 'http://a/graphql', key: KEY }), createClient({ url: 'http://a/graphql', key: KEY })])
    expect(inspect(shown, WHOLE)).not.toContain(KEY)
})

test('a key or a password in the place of the address is not shown', () => {
  for (const url of [KEY, `${KEY}:1`]) expect(() => createGantt({ url })).toThrow('url is no address; it must be an http or https address')
  expect(() => createGantt({ url: `http://me:${KEY}@a/graphql` })).toThrow('url contains a user name or a password; it must have neither')
  for (const url of [KEY, `http://me:${KEY}@a/graphql`]) expect(() => createGantt({ url })).not.toThrow(KEY)
})
