import http from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { runYielding } from '../event-loop/pauses.ts'
import { answerYielding, CallerGoneError } from '../event-loop/query.ts'
import { type HttpServer, startHttpServer } from './server.ts'

let server: HttpServer | undefined
afterEach(async () => {
  await server?.close()
  server = undefined
})

/** Serves GraphQL with this function for any API key. `onCall` is called before the body of a call is read. */
async function serve(
  graphql: (request: http.IncomingMessage, response: http.ServerResponse) => Promise<void>,
  onCall = (): void => undefined,
): Promise<string> {
  const caller = { id: 'k', account: 'a', scopes: ['READ'], project: null, hosts: [], isStillKnown: () => true }
  server = await startHttpServer({ host: '127.0.0.1', port: 0, warn: () => undefined })
  server.open({
    graphql: graphql as never,
    console: async () => false,
    documents: new Map() as never,
    keys: {
      verify() {
        onCall()
        return caller as never
      },
    },
    metrics: async () => '',
    notReady: () => undefined,
    endStreams: () => undefined,
  })
  return server.url
}

/** Sends a call and returns it, so that it can be destroyed. */
function send(url: string): http.ClientRequest {
  const request = http.request(url, {
    method: 'POST',
    headers: { authorization: 'Bearer gantt_key', 'content-type': 'application/json', connection: 'close' },
  })
  request.on('error', () => undefined)
  request.end(JSON.stringify({ query: '{ health { __typename } }' }))
  return request
}

/** A service with an answer that never ends. It reports how the answer was stopped. */
async function anEndlessService() {
  let steps = 0
  let begin = (): void => undefined
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  let end = (_why: unknown): void => undefined
  const ended = new Promise<unknown>((resolve) => {
    end = resolve
  })
  function* endless(): Generator<undefined, never> {
    for (;;) {
      if (steps++ === 100) begin()
      yield
    }
  }
  const url = await serve(() => answerYielding(endless()).then(undefined, end))
  return { url, begun, ended, steps: () => steps }
}

test('the computation of an answer stops after the caller disconnected', async () => {
  const { url, begun, ended, steps } = await anEndlessService()
  const request = send(url)
  await begun
  request.destroy()
  expect(await ended).toBeInstanceOf(CallerGoneError)
  const atEnd = steps()
  await new Promise((resolve) => void setImmediate(resolve))
  expect(steps()).toBe(atEnd)
})

test('the service answers health checks while it computes a long answer', async () => {
  const { url, begun, ended } = await anEndlessService()
  const leaving = new AbortController()
  const asked = fetch(url, {
    method: 'POST',
    headers: { authorization: 'Bearer gantt_key', 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify({ query: '{ health { __typename } }' }),
    signal: leaving.signal,
  }).catch(() => undefined)
  await begun
  const live = await fetch(new URL('/live', url))
  expect(await live.text()).toContain('live')
  leaving.abort()
  await asked
  expect(await ended).toBeInstanceOf(CallerGoneError)
})

test('a call whose caller disconnected while the call waited is not started', async () => {
  let isBusy = true
  function* busy(): Generator<undefined, undefined> {
    while (isBusy) {
      const until = performance.now() + 10
      while (performance.now() < until);
      yield
    }
  }
  const begun: boolean[] = []
  let onCall = (): void => undefined
  const seen = new Promise<void>((resolve) => {
    onCall = resolve
  })
  const url = await serve(
    async (_request, response) => {
      begun.push(response.destroyed)
      response.end('{}')
    },
    () => onCall(),
  )
  // thirty long tasks share the turns of the event loop, and therefore both calls wait before they start
  const work = Array.from({ length: 30 }, () => runYielding(busy()))
  const first = send(url)
  await seen
  first.destroy()
  // the second call arrived later, so if the first call had not been cancelled, it would have started before the second was answered
  await new Promise((resolve) => void send(url).once('response', resolve))
  isBusy = false
  await Promise.all(work)
  expect(begun).toEqual([false])
})
