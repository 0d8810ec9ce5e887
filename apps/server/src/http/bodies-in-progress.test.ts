import type { IncomingMessage, ServerResponse } from 'node:http'
import net from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import type { EndOfCall } from '../event-loop/call-end.ts'
import type { Call } from './graphql/call.ts'
import { createBodies } from './graphql/limits/bodies.ts'
import { limits } from './limits.ts'
import { type HttpOptions, type HttpServer, startHttpServer } from './server.ts'

const KIB = 1024

let server: HttpServer | undefined
const sockets: net.Socket[] = []
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await server?.close()
  server = undefined
})

const keys = new Map(['greedy', 'other'].map((id) => [id, { id, account: id, scopes: ['READ'], project: null, hosts: [] }]))

type Answer = (request: IncomingMessage, response: ServerResponse, call: Call) => void

/** Serves calls of the keys `greedy` and `other`, by default with a short answer at once. */
async function serve(options: Partial<HttpOptions> = {}, answer: Answer = (_request, response) => response.end('{}')): Promise<URL> {
  server = await startHttpServer({ host: '127.0.0.1', port: 0, warn: () => undefined, ...options })
  server.open({
    graphql: (async (...call: Parameters<Answer>) => answer(...call)) as never,
    console: async () => false,
    documents: new Map(),
    keys: { verify: (secret) => keys.get(secret) as never },
    metrics: async () => '',
    notReady: () => undefined,
    endStreams: () => undefined,
  })
  return new URL(server.url)
}

/** Opens a connection, sends a text, and collects everything that is received. */
function connect({ port }: URL, text = '') {
  const socket = net.connect(Number(port), '127.0.0.1')
  sockets.push(socket)
  let received = ''
  const closed = new Promise<string>((resolve) => {
    socket.on('data', (data) => {
      received += data
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(received))
  })
  if (text !== '') socket.write(text)
  return { socket, closed }
}

/** The head of a call whose body has this length. */
const headOf = (key: string, bodyLength: number): string =>
  `POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAuthorization: Bearer ${key}\r\nContent-Length: ${bodyLength}\r\n\r\n`

const ask = (url: URL, key: string): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ health { __typename } }' }),
  })

test('an answer says for how long a connection without a request is kept', async () => {
  const answer = await fetch(new URL('/live', await serve()))
  expect(answer.headers.get('keep-alive')).toBe(`timeout=${limits.idleMs / 1_000}`)
})

test('a key whose bodies stay one byte short gets 503 for further bodies, and other keys are answered', async () => {
  const bodies = createBodies({ bodiesBytes: 64 * KIB, keyBodiesBytes: 16 * KIB })
  const url = await serve({ bodies })
  for (let i = 0; i < 4; i++) connect(url, headOf('greedy', 4 * KIB) + ' '.repeat(4 * KIB - 1))
  await expect.poll(() => bodies.bytesOf('greedy')).toBeGreaterThanOrEqual(4 * (4 * KIB - 1))
  const refused = await ask(url, 'greedy')
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
  const { errors } = (await refused.json()) as { errors: { extensions: Record<string, unknown> }[] }
  expect(errors[0]?.extensions).toMatchObject({
    code: 'UNAVAILABLE',
    retryable: true,
    rule: 'limit.key_bodies',
    allowed: 'at most 16384 bytes',
    requestId: expect.any(String),
  })
  expect((await ask(url, 'other')).status).toBe(200)
  expect(bodies.bytesOf('greedy')).toBeLessThanOrEqual(16 * KIB)
  // the memory is free as soon as the callers are gone
  for (const socket of sockets) socket.destroy()
  await expect.poll(() => bodies.bytes).toBe(0)
  expect((await ask(url, 'greedy')).status).toBe(200)
})

test('the bodies of all keys together have a limit', async () => {
  const bodies = createBodies({ bodiesBytes: 8 * KIB, keyBodiesBytes: 8 * KIB })
  const url = await serve({ bodies })
  connect(url, headOf('greedy', 8 * KIB) + ' '.repeat(8 * KIB - 1))
  await expect.poll(() => bodies.bytes).toBe(8 * KIB - 1)
  const refused = await ask(url, 'other')
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
  expect(await refused.text()).toContain('limit.bodies')
})

test('a body of an unknown key is never kept, and its call is refused before the body is complete', async () => {
  const bodies = createBodies()
  const url = await serve({ bodies })
  const { socket, closed } = connect(url, headOf('unknown', 4 * KIB) + ' '.repeat(4 * KIB - 1))
  expect((await new Promise<Buffer>((resolve) => void socket.once('data', resolve))).toString()).toContain('HTTP/1.1 401')
  expect(bodies.bytes).toBe(0)
  await closed
})

test('connections beyond the limit are closed at once, even if none of them has sent anything', async () => {
  const url = await serve({ connections: 2 })
  const first = connect(url)
  await new Promise((resolve) => void first.socket.once('connect', resolve))
  const second = connect(url)
  await new Promise((resolve) => void second.socket.once('connect', resolve))
  expect(await connect(url).closed).toBe('')
  first.socket.destroy()
  await first.closed
  await expect
    .poll(() =>
      fetch(new URL('/live', url)).then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBe(200)
})

/** A call of the key `greedy`, with head and body. */
const call = ((body) => headOf('greedy', body.length) + body)(
  JSON.stringify({ query: '{ health { __typename } }', variables: { a: [{}] } }),
)

test('the connection of a caller that does not read its answer is closed, and the variables of its call no longer use memory', async () => {
  const bodies = createBodies()
  const written: ServerResponse[] = []
  // the answer is larger than all buffers of a connection together
  const url = await serve({ bodies, answerMs: 1 }, (_request, response, { isToBeRead }) => {
    response.write('x'.repeat(64 * KIB * KIB))
    written.push(response)
    isToBeRead()
  })
  const socket = net.connect(Number(url.port), '127.0.0.1', () => void socket.write(call))
  sockets.push(socket)
  socket.on('error', () => undefined)
  await expect.poll(() => written[0]?.closed).toBe(true)
  expect([written[0]?.writableFinished, bodies.bytes]).toEqual([false, 0])
})

test('a call that ends after its caller has left starts no timer, which would keep its variables in memory', async () => {
  const ended: Call[] = []
  const url = await serve({ answerMs: 123_456 }, (_request, _response, one) => void ended.push(one))
  const { socket } = connect(url, call)
  await expect.poll(() => ended.length).toBe(1)
  socket.destroy()
  await expect.poll(() => ended[0]?.over.aborted).toBe(true)
  const started = vi.spyOn(globalThis, 'setTimeout')
  ended[0]?.isToBeRead()
  expect(started.mock.calls.map(([, ms]) => ms)).not.toContain(123_456)
  started.mockRestore()
})

test('calls that wait for an earlier call of their connection end with the connection', async () => {
  const bodies = createBodies()
  const overs: EndOfCall[] = []
  const url = await serve({ bodies }, (_request, _response, { over }) => void overs.push(over))
  const { socket, closed } = connect(url, call.repeat(3))
  await expect.poll(() => overs.length).toBe(3)
  expect(bodies.bytes).toBeGreaterThan(0)
  socket.destroy()
  await closed
  await expect.poll(() => bodies.bytes).toBe(0)
  expect(overs.map(({ aborted }) => aborted)).toEqual([true, true, true])
})
