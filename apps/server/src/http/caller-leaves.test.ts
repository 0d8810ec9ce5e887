import http from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { answerInPieces, CallerGoneError } from '../replica/question.ts'
import { type HttpServer, startHttpServer } from './server.ts'

let server: HttpServer | undefined
afterEach(async () => {
  await server?.close()
  server = undefined
})

/** A service whose one answer is never done; tells how it ended. */
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
  const graphql = (): Promise<void> => answerInPieces(endless()).then(undefined, end)
  server = await startHttpServer({ host: '127.0.0.1', port: 0, warn: () => undefined })
  server.open({
    graphql: graphql as never,
    console: async () => false,
    documents: new Map() as never,
    keys: { verify: () => ({ id: 'k', account: 'a', scopes: ['READ'], project: null, hosts: [], isStillKnown: () => true }) as never },
    metrics: async () => '',
    notReady: () => undefined,
    endStreams: () => undefined,
  })
  return { url: server.url, begun, ended, steps: () => steps }
}

test('an answer that nobody waits for any more is not worked out to its end', async () => {
  const { url, begun, ended, steps } = await anEndlessService()
  const request = http.request(url, {
    method: 'POST',
    headers: { authorization: 'Bearer gantt_key', 'content-type': 'application/json', connection: 'close' },
  })
  request.on('error', () => undefined)
  request.end(JSON.stringify({ query: '{ health { __typename } }' }))
  await begun
  request.destroy()
  expect(await ended).toBeInstanceOf(CallerGoneError)
  const atEnd = steps()
  await new Promise((resolve) => void setImmediate(resolve))
  expect(steps()).toBe(atEnd)
})

test('while an answer is worked out, the service says that it lives', async () => {
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
