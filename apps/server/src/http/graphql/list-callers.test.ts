import http from 'node:http'
import { buildSchema, type GraphQLFieldResolver } from 'graphql'
import { afterEach, expect, test } from 'vitest'
import { answerYielding, CallerGoneError } from '../../event-loop/query.ts'
import { type HttpServer, startHttpServer } from '../server.ts'
import { idOf } from './document-cache.ts'
import { createGraphql } from './graphql.ts'

let server: HttpServer | undefined
afterEach(async () => {
  await server?.close()
  server = undefined
})

const WAIT = '{ wait }'
const QUICK = '{ quick }'
const LONG = '{ long }'

function* endless(): Generator<undefined, never> {
  for (;;) yield
}

/** Serves a small schema whose field `wait` never ends by itself, and reports how its calls ended. */
async function serve() {
  const ended: unknown[] = []
  let begun = 0
  let written = 0
  const schema = buildSchema('type Query { wait: Int quick: Int long: String }')
  const resolvers: Readonly<Record<string, GraphQLFieldResolver<unknown, unknown>>> = {
    quick: () => 1,
    long: () => {
      written++
      return 'x'.repeat(100_000)
    },
    wait: () => {
      begun++
      return answerYielding(endless()).catch((error: unknown) => {
        ended.push(error)
        throw error
      })
    },
  }
  for (const [name, resolve] of Object.entries(resolvers)) Object.assign(schema.getQueryType()?.getFields()[name] ?? {}, { resolve })
  const caller = { id: 'k', account: 'a', scopes: ['READ'], project: null, hosts: [], isStillKnown: () => true }
  server = await startHttpServer({ host: '127.0.0.1', port: 0, warn: () => undefined })
  server.open({
    graphql: createGraphql({
      ...{ schema, services: { moments: { forCall: () => undefined } } as never, settled: () => undefined, warn: () => undefined },
      heartbeat: () => ({ revision: 1, stateAgeMs: 0 }),
    }),
    console: async () => false,
    documents: new Map(),
    keys: { verify: () => caller as never },
    metrics: async () => '',
    notReady: () => undefined,
    endStreams: () => undefined,
  })
  const state = { ended, begun: () => begun, written: () => written }
  const { url } = server
  const send = (body: unknown, onAnswer: (response: http.IncomingMessage) => void = (response) => void response.resume()) => {
    const headers = { authorization: 'Bearer k', 'content-type': 'application/json', accept: 'application/jsonl, application/json' }
    const request = http.request(url, { method: 'POST', agent: false, headers }, onAnswer).on('error', () => undefined)
    request.end(JSON.stringify(body))
    return request
  }
  return { ...state, send }
}

const list = (...documents: readonly string[]) => documents.map((text) => ({ documentId: idOf(text) }))

test('a caller that leaves ends each operation of its list that has not ended', async () => {
  const { ended, begun, send } = await serve()
  await new Promise((resolve) => send({ query: QUICK }, (response) => response.resume().once('end', resolve)))
  const alone = send({ query: WAIT })
  await expect.poll(begun).toBe(1)
  alone.destroy()
  await expect.poll(() => ended.length).toBe(1)
  let first = ''
  const request = send(list(WAIT, QUICK, WAIT, WAIT), (response) => {
    response
      .on('error', () => undefined)
      .once('data', (data: Buffer) => {
        first = data.toString()
      })
  })
  await expect.poll(() => first).toBe('{"requestIndex":1,"status":200,"data":{"quick":1}}\n')
  await expect.poll(begun).toBe(4)
  request.destroy()
  await expect.poll(() => ended.length).toBe(4)
  for (const error of ended) expect(error).toBeInstanceOf(CallerGoneError)
})

test('a caller that does not read for a while gets every line completely, one after the other', async () => {
  const { written, send } = await serve()
  await new Promise((resolve) => send({ query: LONG }, (response) => response.resume().once('end', resolve)))
  const count = 64
  const response = await new Promise<http.IncomingMessage>((resolve) => send(list(...Array.from({ length: count }, () => LONG)), resolve))
  await expect.poll(written).toBe(1 + count)
  let text = ''
  for await (const part of response.setEncoding('utf8')) text += part
  const lines = text.trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line).data.long.length)).toEqual(Array.from({ length: count }, () => 100_000))
  expect(new Set(lines.map((line) => JSON.parse(line).requestIndex)).size).toBe(count)
})
