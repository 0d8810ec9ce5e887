import { createServer, type Server } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { createClient, createGantt, FaultError, KeySourceError, ProtocolError, UnreachableError } from './index.ts'

let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

/**
 * Starts a service that answers every call with this status and this text. If `body` is undefined, the service never answers.
 */
async function answering(
  status: number,
  body: string | undefined,
): Promise<{ url: string; seen: { authorization?: string; body: string }[] }> {
  const seen: { authorization?: string; body: string }[] = []
  const listening = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk) => {
      text += chunk
    })
    request.on('end', () => {
      const { authorization } = request.headers
      seen.push({ body: text, ...(authorization === undefined ? {} : { authorization }) })
      if (body !== undefined) response.writeHead(status).end(body)
    })
  })
  server = listening
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve))
  const address = listening.address()
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/graphql`, seen }
}

test('request sends the document, the variables and the key, and returns the data of the answer', async () => {
  const { url, seen } = await answering(200, '{"data":{"live":true}}')
  expect(await createClient({ url, key: 'k1' }).request('query Q { live }', { a: 1 })).toEqual({ live: true })
  expect(seen[0]?.authorization).toBe('Bearer k1')
  expect(JSON.parse(seen[0]?.body ?? '')).toEqual({ query: 'query Q { live }', variables: { a: 1 } })
})

test('top-level errors of an answer are thrown as one FaultError with the code of the first error', async () => {
  const { url } = await answering(401, '{"errors":[{"message":"who are you?","extensions":{"code":"UNAUTHENTICATED"}}]}')
  const error = await createClient({ url })
    .request('{ live }')
    .catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(FaultError)
  expect(error).toMatchObject({ code: 'UNAUTHENTICATED', status: 401, message: 'who are you? (UNAUTHENTICATED)' })
})

test.each([
  ['an HTML page', '<html>'],
  ['an object with neither data nor errors', '{}'],
  ['null', 'null'],
])('an answer that is %s is thrown as a ProtocolError', async (_name, body) => {
  const { url } = await answering(502, body)
  await expect(createClient({ url }).request('{ live }')).rejects.toBeInstanceOf(ProtocolError)
})

test('if the service does not answer in time, the call fails with the time limit in the message', async () => {
  const { url } = await answering(200, undefined)
  await expect(createClient({ url, deadlineMs: 50 }).request('{ live }')).rejects.toThrow(/no answer within 50 ms/)
})

test('if the port of the service is closed, UnreachableError names the URL and the cause', async () => {
  const { url } = await answering(200, '{}')
  await new Promise((resolve) => server?.close(resolve))
  const error = await createClient({ url })
    .request('{ live }')
    .catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(UnreachableError)
  expect(String(error)).toContain(url)
  expect(String(error)).toMatch(/ECONNREFUSED/)
})

test.each(['localhost:4400/graphql', 'ftp://127.0.0.1/graphql'])('the URL %s is refused before any request is sent', (url) => {
  expect(() => createGantt({ url })).toThrow(`url is "${url}"; it must be an http or https address`)
})

test.each([
  ['a line break', 'gantt_1\ngantt_2'],
  ['a character that a header cannot have', 'gantt_\u2713'],
])('a key with %s is not sent, and the call fails at once', async (_what, key) => {
  const { url, seen } = await answering(200, '{"data":{}}')
  const call = createGantt({ url, key: () => key }).selectDestinations({ spec: { gantt: { flavor: { vcpus: 1, memoryMb: 1 } } } })
  const error = await call.catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(KeySourceError)
  expect(String(error)).not.toContain('gantt_')
  expect(seen).toEqual([])
})

test('a line break at the end of a key is ignored', async () => {
  const { url, seen } = await answering(200, '{"data":{"live":true}}')
  await createClient({ url, key: 'k1\n' }).request('{ live }')
  expect(seen[0]?.authorization).toBe('Bearer k1')
})

test('request sends a call once, to the first endpoint that did not fail lately', async () => {
  const { url: gone } = await answering(200, '{}')
  await new Promise((resolve) => server?.close(resolve))
  const { url, seen } = await answering(200, '{"data":{"live":true}}')
  const client = createClient({ url: [gone, url] })
  await expect(client.request('{ live }')).rejects.toThrow(gone)
  expect(seen).toEqual([])
  expect(await client.request('{ live }')).toEqual({ live: true })
  expect(await client.request('{ live }')).toEqual({ live: true })
})
