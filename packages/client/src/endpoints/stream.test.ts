import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, expect, test } from 'vitest'
import { createGantt } from '../index.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

interface Endpoint {
  readonly url: string
  /** The value of `after` of each subscription that arrived. */
  readonly after: (string | null)[]
}

/** The revision of each endpoint when a stream is begun. */
const START = '9'

/** Starts an endpoint whose subscriptions get the events that `play` sends. */
async function startEndpoint(play: (send: (revision: number, host: string) => void, response: ServerResponse) => void): Promise<Endpoint> {
  const after: (string | null)[] = []
  const server = createServer(async (request, response) => {
    const { query, variables } = JSON.parse(await text(request)) as { query: string; variables: { readonly after: string | null } }
    if (query.includes('health')) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data: { health: { revision: START } } }))
      return
    }
    after.push(variables.after)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    play((revision, name) => {
      const host = { name, node: name, status: 'UP', availabilityZone: 'az1' }
      response.write(`event: next\ndata: ${JSON.stringify({ data: { hostChanged: { revision: String(revision), gap: null, host } } })}\n\n`)
    }, response)
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`, after }
}

/** Reads this many events. */
async function read(urls: readonly string[], count: number): Promise<readonly string[]> {
  const found: string[] = []
  for await (const { revision, host } of createGantt({ url: urls }).events.hostChanges()) {
    found.push(`${revision} ${host?.name}`)
    if (found.length === count) break
  }
  return found
}

test('a stream that breaks continues at the next endpoint, after the last revision', async () => {
  const first = await startEndpoint((send, response) => {
    send(11, 'a')
    send(12, 'b')
    response.end()
  })
  const second = await startEndpoint((send) => {
    send(12, 'b')
    send(12, 'c')
    send(13, 'a')
  })
  expect(await read([first.url, second.url], 4)).toEqual(['11 a', '12 b', '12 c', '13 a'])
  expect([first.after, second.after]).toEqual([[null], ['11']])
})

test('changes that were delivered already are not delivered again by an endpoint that is behind', async () => {
  const first = await startEndpoint((send, response) => {
    send(12, 'b')
    response.end()
  })
  const behind = await startEndpoint((send) => {
    send(10, 'b')
    send(11, 'c')
    send(12, 'b')
    send(13, 'a')
  })
  expect(await read([first.url, behind.url], 2)).toEqual(['12 b', '13 a'])
})

test('after a break at an endpoint that is behind, the stream continues after the last revision that was delivered', async () => {
  const first = await startEndpoint((send, response) => {
    send(12, 'b')
    response.end()
  })
  const behind = await startEndpoint((send, response) => {
    send(10, 'b')
    response.end()
  })
  const third = await startEndpoint((send) => send(13, 'a'))
  expect(await read([first.url, behind.url, third.url], 2)).toEqual(['12 b', '13 a'])
  expect(third.after).toEqual(['11'])
})

test('a stream whose endpoint does not exist begins at the next one', async () => {
  const gone = await startEndpoint(() => undefined)
  await new Promise((resolve) => servers[0]?.close(resolve))
  const second = await startEndpoint((send) => send(1, 'a'))
  expect(await read([gone.url, second.url], 1)).toEqual(['1 a'])
})

test('a stream without after that breaks before its first event continues after the revision at which it was begun', async () => {
  const first = await startEndpoint((_send, response) => response.end())
  const second = await startEndpoint((_send, response) => response.end())
  const third = await startEndpoint((send) => send(10, 'changed while the stream was broken'))
  expect(await read([first.url, second.url, third.url], 1)).toEqual(['10 changed while the stream was broken'])
  expect([first.after, second.after, third.after]).toEqual([[null], [START], [START]])
})

test('a stream of decisions that breaks before its first event asks for the gap', async () => {
  const first = await startEndpoint((_send, response) => response.end())
  const second = await startEndpoint((_send, response) => {
    const decisions = { revision: '12', suppressed: 0, gap: { missedFrom: START, resumeAt: '12' }, decision: null }
    response.write(`event: next\ndata: ${JSON.stringify({ data: { decisions } })}\n\n`)
  })
  const events = createGantt({ url: [first.url, second.url] }).events.decisions()
  const { value } = await events.next()
  await events.return()
  expect([value?.gap?.missedFrom, second.after]).toEqual([START, [START]])
})
