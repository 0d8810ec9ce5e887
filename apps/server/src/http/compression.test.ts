import { request } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestService, type TestService } from '../testing/test-service.ts'
import { acceptedEncoding } from './compression.ts'

describe('the chosen encoding for an Accept-Encoding header', () => {
  test.each([
    ['gzip, deflate, br', 'br'],
    ['gzip, deflate', 'gzip'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['*', 'br'],
    ['*;q=0.1, br;q=0', 'gzip'],
    ['identity', undefined],
    ['br;q=much', undefined],
    ['', undefined],
    [null, undefined],
  ])('the header %s selects the encoding %s', (header, encoding) => expect(acceptedEncoding(header)).toBe(encoding))
})

let api: TestService
beforeAll(async () => {
  api = await startTestService()
  await api.report({ h1: {} })
})
afterAll(() => api.close())

interface Received {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
}

/** The answer with its encoded bytes. Other clients would decode them before a test can see them. */
function receive(query: string, headers: Readonly<Record<string, string>>): Promise<Received> {
  return new Promise((resolve, reject) => {
    const call = request(
      api.url,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'Bearer the-admin-key-of-tests', ...headers },
      },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => {
          chunks.push(chunk)
          // a stream does not end, but its first bytes show its encoding
          if (headers.accept === 'text/event-stream') {
            resolve({ headers: response.headers, body: Buffer.concat(chunks) })
            call.destroy()
          }
        })
        response.on('end', () => resolve({ headers: response.headers, body: Buffer.concat(chunks) }))
      },
    )
    call.on('error', reject)
    call.end(JSON.stringify({ query }))
  })
}

const LONG = '{ __schema { types { name description } } }'

describe('encoding of answers', () => {
  test.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ])('a long answer is encoded as %s if the caller accepts this encoding', async (encoding, unpack) => {
    const plain = await receive(LONG, {})
    const packed = await receive(LONG, { 'accept-encoding': encoding })
    expect(plain.headers['content-encoding']).toBeUndefined()
    expect(packed.headers).toMatchObject({
      'content-encoding': encoding,
      'content-length': String(packed.body.length),
      'content-type': plain.headers['content-type'],
      vary: 'accept-encoding',
    })
    expect(plain.headers.vary).toBe('accept-encoding')
    expect(packed.body.length).toBeLessThan(plain.body.length / 3)
    expect(unpack(packed.body).toString()).toBe(plain.body.toString())
  })

  test('a short answer is sent unchanged', async () => {
    const { headers, body } = await receive('{ hosts { totalCount } }', { 'accept-encoding': 'br' })
    expect(headers['content-encoding']).toBeUndefined()
    expect(JSON.parse(body.toString())).toEqual({ data: { hosts: { totalCount: 1 } } })
  })

  test('a stream is sent unchanged', async () => {
    const { headers, body } = await receive('subscription { hostChanged(after: "0") { host { name } } }', {
      accept: 'text/event-stream',
      'accept-encoding': 'br, gzip',
    })
    expect(headers['content-encoding']).toBe('none')
    expect(body.toString()).toMatch(/^:/)
  })
})
