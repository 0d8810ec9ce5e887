import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createConsole } from './console.ts'

const DOCUMENT = '<!doctype html><title>Gantt</title>'
let folder: string
let server: Server
let base: string

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'gantt-console-'))
  const dist = path.join(folder, 'dist')
  mkdirSync(path.join(dist, 'assets'), { recursive: true })
  writeFileSync(path.join(folder, 'secret.json'), 'no')
  writeFileSync(path.join(dist, 'index.html'), DOCUMENT)
  writeFileSync(path.join(dist, 'graphiql-frame.html'), DOCUMENT)
  writeFileSync(path.join(dist, 'index.html.br'), brotliCompressSync(DOCUMENT))
  writeFileSync(path.join(dist, 'assets', 'index-a1b2.js'), 'export {}')
  const serveConsole = createConsole(dist)
  server = createServer((request, response) => {
    void serveConsole(request, response).then((answered) => answered || response.writeHead(404).end())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterAll(async () => {
  await new Promise((resolve) => server.close(resolve))
  rmSync(folder, { recursive: true })
})

describe('URLs of the console', () => {
  test.each([
    '/',
    '/?x=1',
    '/overview?last=24h',
    '/hosts',
    '/hosts/z1-cmp-01',
    '/hosts/a%2Fb',
    '/decisions/RGVj?host=h1',
    '/aggregates',
    '/simulate?count=2',
    '/profiles/default?version=1',
    '/claims?q=state:RESERVED',
    '/replicas',
    '/audit',
    '/keys',
    '/settings',
    '/graphiql?query=%7B%20hosts%20%7B%20totalCount%20%7D%20%7D',
  ])('%s is answered with the document', async (address) => {
    const response = await fetch(base + address)
    expect(response.status).toBe(200)
    expect(await response.text()).toBe(DOCUMENT)
    expect(response.headers.get('cache-control')).toBe('no-cache')
    expect(response.headers.get('content-security-policy')).toContain("default-src 'self'")
  })

  test.each([
    '/nothing',
    '/hostsx',
    '/assets/gone-1.js',
    '/assets/..%2f..%2fsecret.json',
    '/assets/%2e%2e/%2e%2e/secret.json',
    '/assets',
    '/index.html.br',
  ])('%s is not answered by the console', async (address) => expect((await fetch(base + address)).status).toBe(404))

  test('the console answers only GET and HEAD', async () => {
    expect((await fetch(`${base}/hosts`, { method: 'POST' })).status).toBe(404)
    const head = await fetch(`${base}/hosts`, { method: 'HEAD' })
    expect(head.status).toBe(200)
    expect(await head.text()).toBe('')
  })
})

test('only the document that the console shows in a frame may be framed, and only by the console', async () => {
  const policyOf = async (address: string) => (await fetch(base + address)).headers.get('content-security-policy')
  expect(await policyOf('/graphiql-frame.html')).toContain("frame-ancestors 'self'")
  expect(await policyOf('/graphiql')).toContain("frame-ancestors 'none'")
})

describe('encodings and caching of files', () => {
  test('a file with a hash in its name may be cached for ever', async () => {
    const response = await fetch(`${base}/assets/index-a1b2.js`)
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
  })

  test.each([
    { accepts: 'br', encoding: 'br' },
    { accepts: 'gzip, br;q=0', encoding: null },
    { accepts: 'identity', encoding: null },
  ])('a request that accepts $accepts gets $encoding', async ({ accepts, encoding }) => {
    const response = await fetch(`${base}/hosts`, { headers: { 'accept-encoding': accepts } })
    expect(response.headers.get('content-encoding')).toBe(encoding)
    expect(await response.text()).toBe(DOCUMENT)
  })

  test('a file in the browser’s cache is not sent again', async () => {
    const first = await fetch(`${base}/hosts`)
    const etag = first.headers.get('etag') ?? ''
    await first.text()
    expect((await fetch(`${base}/hosts`, { headers: { 'if-none-match': etag } })).status).toBe(304)
  })
})
