import { expect, test } from 'vitest'
import { createGantt } from './index.ts'

// The table of clients/cases has the answers to calls that are no answers of the service. These are the events of streams.

/** Reads the first event of a stream whose only event has this data. */
const firstEvent = async (data: string): Promise<unknown> => {
  const start = Response.json({ data: { health: { revision: '1' } } })
  const stream = new Response(`event: next\ndata: ${data}\n\n`, { headers: { 'content-type': 'text/event-stream' } })
  const answers = [start, stream]
  const fetch: typeof globalThis.fetch = async () => answers.shift() ?? Response.json({}, { status: 404 })
  return await createGantt({ url: 'http://a/graphql', fetch, random: () => 0 })
    .events.decisions()
    .next()
    .catch((error: unknown) => error)
}

test.each([
  ['errors that are a text', '{"errors":"no access"}', 'errors that are not those of GraphQL'],
  ['errors that are texts', '{"errors":["no access"]}', 'errors that are not those of GraphQL'],
  ['data that is a list', '{"data":[]}', 'data that is no object'],
])('an event with %s is no answer of the service', async (_what, data, message) => {
  expect(await firstEvent(data)).toMatchObject({ name: 'ProtocolError', message: expect.stringContaining(message) })
})

test.each(['[]', '{}', '{"data":null}', 'null'])('an event with %s has neither data nor errors, and is left out', async (data) => {
  // after it, the stream ends, and is opened again
  expect(await firstEvent(data)).toMatchObject({ name: 'ProtocolError', status: 404 })
})

test('an event that is not JSON breaks the stream, which is opened again', async () => {
  expect(await firstEvent('{"data":')).toMatchObject({ name: 'ProtocolError', status: 404 })
})
