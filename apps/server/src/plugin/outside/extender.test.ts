import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dataOf, type Json, placeWith, startTestService, type TestService } from '../../testing/test-service.ts'

// these tests use one service with two extenders: the extender of examples/extender-python, and an extender whose answers the test
// determines

const example = fileURLToPath(new URL('../../../../../examples/extender-python/', import.meta.url))

let folder: string
let api: TestService
let python: ReturnType<typeof spawn>
let answer: http.RequestListener = () => undefined
const odd = http.createServer((request, response) => answer(request, response))

const CREATE = `mutation ($profile: String!, $input: ProfileVersionInput!) { profileVersionCreate(profile: $profile, input: $input) { __typename
  ... on ValidationError { issues { message } } } }`

const createProfile = async (profile: string, input: Json): Promise<Json> =>
  (await dataOf(api, CREATE, { profile, input: { filters: [{ name: 'ComputeFilter' }], weighers: [], note: 'n', ...input } }))
    .profileVersionCreate

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'gantt-extenders-'))
  python = spawn('python3', [path.join(example, 'extender.py'), '0'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(python.stdout as NodeJS.ReadableStream, 'data')
  await new Promise<void>((resolve) => odd.listen(0, '127.0.0.1', resolve))
  const { extenders } = JSON.parse(await readFile(path.join(example, 'extenders.json'), 'utf8'))
  const described = [
    { ...extenders[0], url: String(line).replace('listening on ', '').trim(), timeoutMs: 10_000 },
    {
      ...{
        name: 'odd',
        version: '1.0.0',
        description: 'd',
        url: `http://127.0.0.1:${(odd.address() as AddressInfo).port}`,
        timeoutMs: 1_000,
      },
      filters: [{ name: 'OddFilter', description: 'd', reads: ['memoryMb'] }],
    },
  ]
  const file = path.join(folder, 'extenders.json')
  await writeFile(file, JSON.stringify({ extenders: described }))
  api = await startTestService({ extenders: file })
  const room = { vcpus: 200, memoryMb: 1_048_576 }
  await api.report({ 'rack1-a': room, 'rack1-b': room, 'rack2-a': room, other: room })
  const filters = [{ name: 'ComputeFilter' }, { name: 'PowerFilter', options: { kilowatts: 2 } }]
  expect(await createProfile('power', { filters, weighers: [{ name: 'PowerWeigher', multiplier: 1 }] })).toEqual({
    __typename: 'ProfilePayload',
  })
  await createProfile('odd', { filters: [{ name: 'OddFilter' }] })
})

afterAll(async () => {
  await api?.close()
  python?.kill()
  odd.closeAllConnections()
  odd.close()
  await rm(folder, { recursive: true, force: true })
})

const EXPLAINED = `query ($id: ID!) { verifyDecision(id: $id) { outcome fidelity }
  node(id: $id) { ... on Decision { explanation { steps { name reasons { text } } } } } }`
const VERIFIED = `query ($id: ID!) { verifyDecision(id: $id) { outcome fidelity } }`

test('the extender in Python filters and weighs, and its decision is verified after the extender has ended', async () => {
  const placed = await placeWith(api, { profile: 'power', alternatesPerInstance: 3, deadline: 'PT20S' })
  const [{ selected, alternates }] = placed.destinations
  expect([selected, ...alternates].map(({ host }: Json) => host.name)).toEqual(['rack2-a', 'rack1-b'])
  python.kill()
  await once(python, 'exit')
  const { verifyDecision } = await dataOf(api, VERIFIED, { id: placed.decision.id })
  expect(verifyDecision).toEqual({ outcome: 'SAME', fidelity: 'REPLAYED' })
  const refused = await placeWith(api, { profile: 'power', deadline: 'PT20S' })
  expect(refused.reasons).toMatchObject([{ code: 'outside.failed', hosts: 4 }])
})

test("options that an extender's schema does not accept are refused when the profile is written", async () => {
  const wrong = await createProfile('wrong', { filters: [{ name: 'PowerFilter', options: { kilowatts: 'many' } }] })
  expect(wrong.__typename).toBe('ValidationError')
})

const body =
  (text: string): http.RequestListener =>
  (_request, response) =>
    response.end(text)
const wire = (answers: unknown): string => JSON.stringify({ format: 'gantt.outside/1', answers })

test.each<[string, http.RequestListener, RegExp]>([
  ['never answers', () => undefined, /did not answer in 1000 ms/],
  ['answers no JSON', body('<html>'), /not JSON/],
  ['answers another format', body('{"answers":[]}'), /format/],
  ['answers about too few hosts', body(wire([true])), /answered about 1 hosts; it was asked about 4/],
  ['answers without end', (_request, response) => void response.end('x'.repeat(9_000_000)), /longer than 8388608 bytes/],
  ['redirects', (_request, response) => void response.writeHead(302, { location: '/elsewhere' }).end(), /redirect is not followed/],
  ['fails', (_request, response) => void response.writeHead(500).end(), /answered 500/],
  [
    'cuts the connection',
    (request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{')
      setImmediate(() => request.socket.destroy())
    },
    /connection/,
  ],
  [
    'speaks another protocol',
    (request) => void request.socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
    /ended without an answer/,
  ],
  [
    'answers a byte at a time',
    (_request, response) => {
      const more = setInterval(() => response.write(' '), 50)
      response.on('close', () => clearInterval(more))
    },
    /did not answer in 1000 ms/,
  ],
])('an extender that %s refuses all hosts, and the refusals have a message', async (_what, listener, says) => {
  answer = listener
  const refused = await placeWith(api, { profile: 'odd' })
  expect(refused).toMatchObject({ __typename: 'NoValidHost', reasons: [{ filter: 'OddFilter', code: 'outside.failed', hosts: 4 }] })
  expect(refused.reasons[0].text).toMatch(says)
  const { verifyDecision } = await dataOf(api, VERIFIED, { id: refused.decision.id })
  expect(verifyDecision).toEqual({ outcome: 'SAME', fidelity: 'REPLAYED' })
})

test('characters that no database accepts are replaced in the texts of an extender, and the decision is stored', async () => {
  const half = '\ud83d'
  answer = body(wire([{ code: 'power.short', subject: `a\u0000b${half}` }, { error: `c${half}` }, `${'d'.repeat(75)}😀😀`, true]))
  const placed = await placeWith(api, { profile: 'odd' })
  expect(placed.destinations[0].selected.host.name).toBe('other')
  const { verifyDecision, node } = await dataOf(api, EXPLAINED, { id: placed.decision.id })
  expect(verifyDecision).toEqual({ outcome: 'SAME', fidelity: 'REPLAYED' })
  const texts = node.explanation.steps.find(({ name }: Json) => name === 'OddFilter').reasons.map(({ text }: Json) => text)
  expect(texts).toEqual([expect.stringContaining('it failed: c\ufffd'), expect.stringContaining('power.short: a\ufffdb\ufffd')])
})

test('an extender gets only the fields that it reads, and an invalid answer about one host affects only that host', async () => {
  let seen: Json
  answer = (request, response) => {
    let text = ''
    request.on('data', (piece) => {
      text += piece
    })
    request.on('end', () => {
      seen = JSON.parse(text)
      response.end(wire([true, false, { code: 'power.short', need: 2, have: 1, unit: 'kW' }, 'yes']))
    })
  }
  const placed = await placeWith(api, { profile: 'odd' })
  expect(placed.destinations[0].selected.host.name).toBe('rack1-a')
  expect(seen.hosts[0]).toEqual({
    ...{ host: 'rack1-a', node: 'rack1-a', zone: 'nova', aggregates: [], traits: [], namespaces: {} },
    ...{ instances: 0, ioOps: 0, free: { VCPU: 200, MEMORY_MB: 1_048_576, DISK_GB: 1_024 } },
    stats: { memoryMb: 1_048_576 },
  })
  const { simulate } = await dataOf(
    api,
    `query { simulate(input: { profile: "odd", requests: [{ spec: { gantt: { flavor: { vcpus: 1, memoryMb: 64 } } } }] }) { placed } }`,
  )
  expect(simulate).toEqual({ placed: 1 })
})

test('requests that differ only in their hosts are sent to an extender in one call, each with its own hosts', async () => {
  const asked: number[] = []
  answer = async (request, response) => {
    const { hosts } = JSON.parse(await text(request))
    asked.push(hosts.length)
    response.end(wire(hosts.map(() => true)))
  }
  const requests = [['other'], ['rack1-a', 'rack1-b', 'rack2-a']].map((ignoreHosts) => ({
    spec: { gantt: { flavor: { vcpus: 1, memoryMb: 64 }, ignoreHosts } },
  }))
  const { simulate } = await dataOf(api, 'query ($in: SimulateInput!) { simulate(input: $in) { placed } }', {
    in: { profile: 'odd', requests },
  })
  expect([simulate.placed, asked]).toEqual([2, [4]])
})
