import { randomUUID } from 'node:crypto'
import { createGantt, FaultError, type GanttOptions, graphql, UnreachableError } from '@gantt/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dataOf, type Json, startTestService, type TestService } from '../testing/test-service.ts'

// Tests that @gantt/client sends calls together that wait while a request is under way, over a real service.

let api: TestService
let key: string
beforeAll(async () => {
  api = await startTestService()
  await api.report(Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`h${i}`, {}])))
  key = await api.keyWith('SCHEDULE', 'CLAIM', 'READ')
})
afterAll(() => api.close())

const oneInstance = () => ({ spec: { gantt: { flavor: { vcpus: 1, memoryMb: 16 }, instanceUuids: [randomUUID()] } } })
const VIEWER = graphql('query Viewer { viewer { scopes } }')
const HOSTS = graphql('query Hosts($first: Int) { hosts(first: $first) { totalCount } }')

interface Request {
  /** How many operations the request has. */
  readonly operations: number
  readonly body: string
}

/** A client whose requests are recorded. `through` is what sends them, and can hold or change them. */
function recorded(through: typeof fetch = fetch, options: Partial<GanttOptions> = {}) {
  const requests: Request[] = []
  const recording: typeof fetch = (url, init) => {
    const body = String(init?.body)
    requests.push({ body, operations: body.startsWith('[') ? (JSON.parse(body) as unknown[]).length : 1 })
    return through(url, init)
  }
  const gantt = createGantt({ url: api.url, key, fetch: recording, random: () => 0, ...options })
  return { gantt, requests, counts: () => requests.map(({ operations }) => operations) }
}

/** Sends each of these documents alone, until the client knows that the service knows them. */
async function learn({ gantt, requests }: Pick<ReturnType<typeof recorded>, 'gantt' | 'requests'>): Promise<void> {
  await gantt.selectDestinations(oneInstance())
  await gantt.query(VIEWER, {})
  await gantt.query(HOSTS, { first: 1 })
  // the ids of the documents are computed in other threads, one hash after the other in each
  for (let i = 0; i < 20; i++) await globalThis.crypto.subtle.digest('SHA-256', new Uint8Array(1_000))
  requests.splice(0)
}

/** Sends requests, and holds the first one of each `hold` until `release`. */
function holding() {
  let held: (() => void) | undefined
  let isNext = false
  const through: typeof fetch = async (...call) => {
    if (isNext) {
      isNext = false
      await new Promise<void>((resolve) => {
        held = resolve
      })
    }
    return await fetch(...call)
  }
  return {
    through,
    hold: () => {
      isNext = true
    },
    release: () => held?.(),
  }
}

test('a lone call, and calls one after the other, are sent at once and alone', async () => {
  const client = recorded()
  await learn(client)
  for (let i = 0; i < 5; i++) await client.gantt.query(VIEWER, {})
  expect(client.counts()).toEqual([1, 1, 1, 1, 1])
})

test('calls that are made at the same time are sent together, except for the first, and each gets its own answer', async () => {
  const client = recorded()
  await learn(client)
  const placed = await Promise.all(Array.from({ length: 17 }, () => client.gantt.selectDestinations(oneInstance())))
  const claims = placed.map((answer) =>
    answer.__typename === 'SelectDestinationsPayload' ? answer.destinations[0]?.selected.claim?.id : '',
  )
  expect(new Set(claims).size).toBe(17)
  expect(client.counts().reduce((sum, count) => sum + count, 0)).toBe(17)
  expect(client.counts().length).toBeLessThan(17)
  expect(client.counts()[0]).toBe(1)
})

test('calls wait for the answer of the request under way for a short time only', async () => {
  const { through, hold, release } = holding()
  const client = recorded(through)
  await learn(client)
  hold()
  const first = client.gantt.query(VIEWER, {})
  const others = [1, 2, 3].map((i) => client.gantt.query(HOSTS, { first: i }))
  expect((await Promise.all(others)).map(({ hosts }) => hosts?.totalCount)).toEqual([20, 20, 20])
  release()
  await first
  expect(client.counts().reduce((sum, count) => sum + count, 0)).toBe(4)
})

test('more calls than a request may have are sent in several requests', async () => {
  const { through, hold, release } = holding()
  const client = recorded(through)
  await learn(client)
  hold()
  const answers = Array.from({ length: 141 }, () => client.gantt.query(VIEWER, {}))
  await expect.poll(() => client.counts().length).toBeGreaterThan(2)
  release()
  await Promise.all(answers)
  expect(Math.max(...client.counts())).toBe(64)
})

test('an error of one call is thrown by this call only', async () => {
  const client = recorded()
  await learn(client)
  const calls = [3, 501, 4, 502].map((first) =>
    client.gantt.query(HOSTS, { first }).then(
      ({ hosts }) => hosts?.totalCount,
      (error: unknown) => error,
    ),
  )
  const found = await Promise.all([client.gantt.query(VIEWER, {}), ...calls])
  expect(found.slice(1)).toEqual([20, expect.any(FaultError), 20, expect.any(FaultError)])
  expect(found[2]).toMatchObject({ status: 400, code: 'GRAPHQL_VALIDATION_FAILED' })
})

test.each<readonly [string, Partial<GanttOptions>, (response: Response) => Response]>([
  ['if gathering is off', { isGathering: false }, (response) => response],
  [
    'if the service does not say that it accepts lists, as older ones',
    {},
    (response) => {
      const headers = new Headers(response.headers)
      headers.delete('x-max-operations')
      return new Response(response.body, { status: response.status, headers })
    },
  ],
])('each call is sent alone %s', async (_name, options, change) => {
  const client = recorded(async (...call) => change(await fetch(...call)), options)
  await learn(client)
  await Promise.all(Array.from({ length: 8 }, () => client.gantt.query(VIEWER, {})))
  expect(client.counts()).toEqual(Array.from({ length: 8 }, () => 1))
})

test('a document that the service has not answered yet is sent alone', async () => {
  const client = recorded()
  await learn(client)
  const other = graphql('query Others { health { release } }')
  await Promise.all(Array.from({ length: 3 }, () => client.gantt.query(other, {})))
  expect(client.counts()).toEqual([1, 1, 1])
})

test('calls of a list that an older service refuses are sent again alone, and no list is sent for a time', async () => {
  const refuse: typeof fetch = async (url, init) =>
    String(init?.body).startsWith('[')
      ? Response.json({ errors: [{ message: 'one call', extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }] }, { status: 400 })
      : await fetch(url, init)
  const client = recorded(refuse)
  await learn(client)
  const placed = await Promise.all(Array.from({ length: 8 }, () => client.gantt.selectDestinations(oneInstance())))
  expect(placed.map(({ __typename }) => __typename)).toEqual(Array.from({ length: 8 }, () => 'SelectDestinationsPayload'))
  const lists = client.counts().filter((count) => count > 1).length
  expect(lists).toBeGreaterThan(0)
  await Promise.all(Array.from({ length: 8 }, () => client.gantt.query(VIEWER, {})))
  expect(client.counts().filter((count) => count > 1).length).toBe(lists)
})

test('a document that the service has forgotten is sent again as text, also if it was in a list', async () => {
  const forget: typeof fetch = (url, init) =>
    fetch(url, { ...init, body: String(init?.body).replaceAll(/"documentId":"sha256:..../g, '"documentId":"sha256:0000') })
  const client = recorded(forget)
  await learn(client)
  const answers = await Promise.all(Array.from({ length: 6 }, (_, i) => client.gantt.query(HOSTS, { first: i + 1 })))
  expect(answers.map(({ hosts }) => hosts?.totalCount)).toEqual(Array.from({ length: 6 }, () => 20))
  expect(client.counts().some((count) => count > 1)).toBe(true)
})

test('calls without an answer, because the list ended in the middle, are repeated with their keys: each makes one claim', async () => {
  let cut = 0
  const cutting: typeof fetch = async (url, init) => {
    const response = await fetch(url, init)
    if (!response.headers.get('content-type')?.startsWith('application/jsonl') || cut++ > 0) return response
    const text = await response.text()
    return new Response(text.slice(0, text.indexOf('\n') + 20), { status: response.status, headers: response.headers })
  }
  const client = recorded(cutting)
  await learn(client)
  const instances = Array.from({ length: 6 }, () => oneInstance())
  const placed = await Promise.all(instances.map((instance) => client.gantt.selectDestinations(instance)))
  expect(cut).toBeGreaterThan(0)
  expect(placed.map(({ __typename }) => __typename)).toEqual(Array.from({ length: 6 }, () => 'SelectDestinationsPayload'))
  expect(placed.some((answer) => answer.__typename === 'SelectDestinationsPayload' && answer.replayed)).toBe(true)
  const { claims } = await dataOf(api, '{ claims(first: 500) { nodes { instanceUuid } } }')
  const held: readonly string[] = claims.nodes.map(({ instanceUuid }: Json) => instanceUuid)
  for (const { spec } of instances) expect(held.filter((uuid) => uuid === spec.gantt.instanceUuids[0])).toHaveLength(1)
})

test('a call that is aborted ends at once, and the others of its list are answered', async () => {
  const { through, hold, release } = holding()
  const client = recorded(through)
  await learn(client)
  hold()
  const first = client.gantt.query(VIEWER, {})
  const leaving = new AbortController()
  const left = client.gantt.query(VIEWER, {}, { signal: leaving.signal })
  const stays = client.gantt.query(HOSTS, { first: 1 })
  leaving.abort(new Error('left'))
  await expect(left).rejects.toThrow('left')
  expect((await stays).hosts?.totalCount).toBe(20)
  release()
  await first
})

test('a connection that fails is an error of each call of the list', async () => {
  let isDown = false
  const failing: typeof fetch = (url, init) => (isDown ? Promise.reject(new TypeError('no connection')) : fetch(url, init))
  const client = recorded(failing, { deadlineMs: 1 })
  await learn({ ...client, gantt: createGantt({ url: api.url, key }) })
  isDown = true
  const ended = await Promise.allSettled(Array.from({ length: 4 }, () => client.gantt.client.request('{ viewer { scopes } }')))
  for (const one of ended) expect(one).toMatchObject({ status: 'rejected', reason: expect.any(UnreachableError) })
})
