import { randomUUID } from 'node:crypto'
import { type Chosen, createGantt, type Gantt, type GanttOptions, RoomLostError, UnknownOutcomeError } from '@gantt/client'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { DEFAULT_TTL_MS } from '../../services/claim/claims.ts'
import { handClock, instantClock } from '../../testing/clocks.ts'
import { type HttpProxy, startHttpProxy } from '../../testing/http-proxy.ts'
import { dataOf, startTestService, type TestService } from '../../testing/test-service.ts'

// These tests call `place` of @gantt/client on a service behind a proxy that loses, delays and refuses calls.

let api: TestService
let proxy: HttpProxy
let key: string

beforeAll(async () => {
  api = await startTestService()
  // h1 has the most free memory, then h2, then h3
  await api.report({ h1: {}, h2: { memoryMbUsed: 8_192 }, h3: { memoryMbUsed: 16_384 } })
  key = await api.keyWith('SCHEDULE', 'CLAIM')
})
beforeEach(async () => {
  proxy = await startHttpProxy(api.url)
})
afterEach(async () => {
  await proxy.close()
  const { claims } = await dataOf(api, '{ claims(first: 500, states: [RESERVED, CONFIRMED]) { nodes { id } } }')
  const ids = claims.nodes.map(({ id }: { id: string }) => id)
  if (ids.length > 0) await dataOf(api, 'mutation ($ids: [ID!]!) { claimRevoke(ids: $ids, reason: "next test") { __typename } }', { ids })
})
afterAll(() => api.close())

const clientWith = (options: Partial<GanttOptions> = {}) =>
  createGantt({ url: proxy.url, key, clock: handClock(), random: () => 0, ...options })

const anInstance = (uuid: string) => ({ spec: { gantt: { flavor: { vcpus: 1, memoryMb: 64 }, instanceUuids: [uuid] } } })

/** The claims for an instance, each as a text with its host and state. */
async function claimsFor(instance: string): Promise<readonly string[]> {
  const { claims } = await dataOf(api, '{ claims(first: 500) { nodes { id state instanceUuid host { name } } } }')
  type Node = { readonly state: string; readonly instanceUuid: string; readonly host: { readonly name: string } }
  return claims.nodes
    .filter((node: Node) => node.instanceUuid === instance)
    .map(({ host, state }: Node) => `${host.name} ${state}`)
    .sort()
}

/**
 * Advances the clock once, and waits until a condition is true. The time does not go on meanwhile, however busy the machine is, because a
 * reservation that is not extended in time ends.
 */
async function passUntil(clock: ReturnType<typeof handClock>, ms: number, hasCome: () => boolean): Promise<void> {
  clock.pass(ms)
  const look = (): boolean => {
    // lets a wait end that began after the time was advanced
    clock.pass(0)
    return hasCome()
  }
  await expect.poll(look).toBe(true)
}

const ttlOf = ({ createdAt, expiresAt }: { readonly createdAt: string; readonly expiresAt: string | null }): number =>
  Date.parse(expiresAt ?? createdAt) - Date.parse(createdAt)

/** Returns a `start` function that succeeds on the named hosts and fails on all others. */
const startOn =
  (...hosts: readonly string[]) =>
  async ({ host }: Chosen): Promise<string> => {
    if (!hosts.includes(host.name)) throw new Error(`${host.name} has no image`)
    return `vm on ${host.name}`
  }

const refusedBy = (name: string) => expect.objectContaining({ host: expect.objectContaining({ name }) })

test('place starts the instance on the best host with its limits there, and the claim is confirmed', async () => {
  const uuid = randomUUID()
  const seen: Chosen[] = []
  const result = await clientWith().place(anInstance(uuid), async (chosen) => {
    seen.push(chosen)
    return 7
  })
  expect(result).toMatchObject({ __typename: 'Started', value: 7, refused: [], host: { name: 'h1' }, claim: { state: 'CONFIRMED' } })
  expect(seen).toMatchObject([{ instanceUuid: uuid, claim: { state: 'RESERVED' }, host: { name: 'h1', node: 'h1' } }])
  expect(seen[0]?.limits.map(({ resource }) => resource)).toContain('MEMORY_MB')
  expect(await claimsFor(uuid)).toEqual(['h1 CONFIRMED'])
})

test('if a host does not start the instance, the claim there is released and the next alternate is tried', async () => {
  const uuid = randomUUID()
  const result = await clientWith().place(anInstance(uuid), startOn('h3'))
  expect(result).toMatchObject({
    __typename: 'Started',
    value: 'vm on h3',
    host: { name: 'h3' },
    refused: [refusedBy('h1'), refusedBy('h2')],
  })
  expect(await claimsFor(uuid)).toEqual(['h1 RELEASED', 'h2 RELEASED', 'h3 CONFIRMED'])
})

test('an alternate with too few free resources is skipped, and the reasons of the service are returned', async () => {
  const uuid = randomUUID()
  const close = (host: string, status: string) =>
    dataOf(api, `mutation { hostSetStatus(hosts: [{ host: "${host}" }], status: ${status}, reason: "test") { __typename } }`)
  const result = await clientWith().place(anInstance(uuid), async (chosen) => {
    if (chosen.host.name === 'h1') await close('h2', 'DISABLED')
    return await startOn('h3')(chosen)
  })
  await close('h2', 'ENABLED')
  expect(result).toMatchObject({ __typename: 'Started', host: { name: 'h3' } })
  if (result.__typename !== 'Started') throw new Error(result.__typename)
  expect(result.refused[1]).toMatchObject({
    host: { name: 'h2' },
    why: { __typename: 'NoValidHost', reasons: expect.arrayContaining([expect.objectContaining({ code: 'host.disabled' })]) },
  })
  expect(await claimsFor(uuid)).toEqual(['h1 RELEASED', 'h3 CONFIRMED'])
})

test('if no host starts the instance, nothing is held', async () => {
  const uuid = randomUUID()
  const result = await clientWith().place(anInstance(uuid), startOn())
  expect(result).toMatchObject({ __typename: 'NotStarted', refused: [refusedBy('h1'), refusedBy('h2'), refusedBy('h3')] })
  expect(await claimsFor(uuid)).toEqual(['h1 RELEASED', 'h2 RELEASED', 'h3 RELEASED'])
})

test('for a request without a possible host, place returns the answer of selectDestinations', async () => {
  const spec = { gantt: { flavor: { vcpus: 1, memoryMb: 9_999_999 } } }
  expect(await clientWith().place({ spec }, startOn('h1'))).toMatchObject({
    __typename: 'NoValidHost',
    reasons: [{ code: 'memory.too_little' }],
  })
})

test('the claim is kept alive during a slow start', async () => {
  const clock = handClock()
  const uuid = randomUUID()
  const result = await clientWith({ clock }).place(
    anInstance(uuid),
    async ({ host }) => {
      for (let times = 1; times <= 4; times++) await passUntil(clock, 20_000, () => proxy.calls('claimExtend') >= times)
      return host.name
    },
    { ttl: 'PT1M' },
  )
  expect(result).toMatchObject({ __typename: 'Started', value: 'h1' })
})

test('a call without a TTL gets the TTL of the service', async () => {
  const clock = handClock()
  const uuid = randomUUID()
  const lasts = async (): Promise<number | undefined> => {
    const { claims } = await dataOf(api, '{ claims(first: 500, query: "state:RESERVED") { nodes { instanceUuid createdAt expiresAt } } }')
    const mine = claims.nodes.find((node: { readonly instanceUuid: string }) => node.instanceUuid === uuid)
    return mine && ttlOf(mine)
  }
  await clientWith({ clock }).place(anInstance(uuid), async ({ claim }) => {
    expect(ttlOf(claim)).toBe(DEFAULT_TTL_MS)
    await passUntil(clock, DEFAULT_TTL_MS / 3, () => proxy.calls('claimExtend') >= 1)
    // the claim was extended, so it expires more than one TTL after its creation
    await expect.poll(lasts).toBeGreaterThan(DEFAULT_TTL_MS)
    expect(await lasts()).toBeLessThan(2 * DEFAULT_TTL_MS)
  })
})

test('if the answer is that of an earlier call, the reservation is extended at once, because its remaining time is unknown', async () => {
  const uuid = randomUUID()
  const call = { ...anInstance(uuid), idempotencyKey: uuid }
  await clientWith().selectDestinations({ ...call, claim: { mode: 'RESERVE' } })
  const clock = handClock()
  const result = await clientWith({ clock }).place(call, async ({ host }) => {
    await passUntil(clock, 0, () => proxy.calls('claimExtend') >= 1)
    return host.name
  })
  expect(result).toMatchObject({ __typename: 'Started', value: 'h1' })
})

test('if an operator revokes the claim, the start on its host is stopped and the instance starts on another host', async () => {
  const clock = handClock()
  const uuid = randomUUID()
  const stopped: unknown[] = []
  const result = await clientWith({ clock }).place(anInstance(uuid), async ({ host, claim, signal }) => {
    if (host.name !== 'h1') return host.name
    await dataOf(api, `mutation { claimRevoke(ids: ["${claim.id}"], reason: "rack 4 burns") { __typename } }`)
    await passUntil(clock, 40_000, () => signal.aborted)
    stopped.push(signal.reason)
    throw signal.reason
  })
  expect(stopped[0]).toBeInstanceOf(RoomLostError)
  expect(result).toMatchObject({
    __typename: 'Started',
    host: { name: 'h2' },
    refused: [{ host: { name: 'h1' }, why: { name: 'RoomLostError' } }],
  })
  expect(await claimsFor(uuid)).toEqual(['h1 REVOKED', 'h2 CONFIRMED'])
})

test('an extension that fails is soon tried again, and if none is answered the start is stopped when the reservation ends', async () => {
  const clock = instantClock()
  proxy.plan('claimExtend', ...Array.from({ length: 50 }, () => ({ status: 500, body: 'oh' })))
  let stoppedAt = 0
  const result = await clientWith({ clock }).place(
    anInstance(randomUUID()),
    async ({ host, signal }) => {
      if (host.name !== 'h1') return host.name
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve))
      stoppedAt = clock.now()
      throw signal.reason
    },
    { ttl: 'PT1M' },
  )
  expect(stoppedAt).toBeCloseTo(60_000)
  // after each third of the duration, there would be only two
  expect(proxy.calls('claimExtend')).toBeGreaterThan(3)
  expect(result).toMatchObject({
    ...{ __typename: 'Started', host: { name: 'h2' } },
    refused: [{ host: { name: 'h1' }, why: { name: 'RoomLostError', answer: undefined, cause: { name: 'ProtocolError' } } }],
  })
})

test('an instance that runs although its claim was lost is reported, so that it can be stopped', async () => {
  const result = await clientWith().place(anInstance(randomUUID()), async ({ claim }) => {
    await dataOf(api, `mutation { claimRevoke(ids: ["${claim.id}"], reason: "rack 4 burns") { __typename } }`)
    return 'vm'
  })
  expect(result).toMatchObject({ __typename: 'NotConfirmed', value: 'vm', host: { name: 'h1' }, why: { __typename: 'ClaimLost' } })
})

test('an instance that runs is also reported if the service cannot be reached to confirm its claim', async () => {
  const uuid = randomUUID()
  const page = { status: 500, body: 'oh' }
  proxy.plan('claimConfirm', page)
  const gantt = clientWith()
  const result = await gantt.place(anInstance(uuid), startOn('h1'))
  expect(result).toMatchObject({ __typename: 'NotConfirmed', why: { name: 'ProtocolError', status: 500 } })
  if (result.__typename !== 'NotConfirmed') throw new Error(result.__typename)
  expect(await gantt.confirm([result.claim])).toMatchObject([{ claim: { state: 'CONFIRMED' } }])
})

test("if the caller gives up during the start, the promise rejects with the caller's reason and the claim is released", async () => {
  const uuid = randomUUID()
  const stop = new AbortController()
  const placing = clientWith().place(
    anInstance(uuid),
    async ({ signal }) => {
      stop.abort(new Error('changed my mind'))
      signal.throwIfAborted()
    },
    { signal: stop.signal },
  )
  await expect(placing).rejects.toThrow('changed my mind')
  expect(await claimsFor(uuid)).toEqual(['h1 RELEASED'])
})

test('a call with a generated key is abandoned if it got no answer', async () => {
  const uuid = randomUUID()
  const busy = { status: 429, headers: { 'retry-after': '20' } }
  proxy.plan('selectDestinations', 'lose answer', busy, busy)
  await expect(clientWith({ clock: instantClock() }).place(anInstance(uuid), startOn('h1'))).rejects.toMatchObject({ status: 429 })
  expect(proxy.calls('claimAbandon')).toBe(1)
  expect(await claimsFor(uuid)).toEqual(['h1 RELEASED'])
})

test("a call with the caller's own key is not abandoned, so that a repeated call finds its claim", async () => {
  const uuid = randomUUID()
  const busy = { status: 429, headers: { 'retry-after': '20' } }
  proxy.plan('selectDestinations', 'lose answer', busy, busy)
  const gantt = clientWith({ clock: instantClock() })
  const call = { ...anInstance(uuid), idempotencyKey: uuid }
  await expect(gantt.place(call, startOn('h1'))).rejects.toBeInstanceOf(UnknownOutcomeError)
  expect(await claimsFor(uuid)).toEqual(['h1 RESERVED'])
  expect(await clientWith().place(call, startOn('h1'))).toMatchObject({ __typename: 'Started' })
  expect(await claimsFor(uuid)).toEqual(['h1 CONFIRMED'])
  // repeats the call, like a caller that crashed before it stored the answer
  expect(await clientWith().place(call, startOn('h1'))).toMatchObject({ __typename: 'Started', claim: { state: 'CONFIRMED' } })
  expect(await claimsFor(uuid)).toEqual(['h1 CONFIRMED'])
})

test('a call of place for several instances is refused and holds nothing', async () => {
  const uuids = [randomUUID(), randomUUID()]
  const spec = { gantt: { flavor: { vcpus: 1, memoryMb: 64 }, numInstances: 2, instanceUuids: uuids } }
  await expect(clientWith().place({ spec }, startOn('h1'))).rejects.toThrow(/the request is for 2 instances; place is for one/)
  for (const uuid of uuids) expect((await claimsFor(uuid)).join()).toMatch(/RELEASED$/)
})

describe('a key that is bound to a project', () => {
  const ofProject = (uuid: string, memoryMb = 64) => ({
    spec: { gantt: { flavor: { vcpus: 1, memoryMb }, projectId: 'p1', instanceUuids: [uuid] } },
  })
  let gantt: Gantt

  beforeAll(async () => {
    const bound = { name: 'p1', account: 'p1', scopes: ['SCHEDULE', 'CLAIM'], project: 'p1' } as const
    const { secret } = await api.service.keys.create(bound)
    gantt = createGantt({ url: api.url, key: secret, isForProject: true })
  })

  test('with a key bound to a project the same call places the instance, and returns only the selected host', async () => {
    const uuid = randomUUID()
    const result = await gantt.place(ofProject(uuid), startOn('h1'))
    expect(result).toMatchObject({ __typename: 'Started', host: { name: 'h1', availabilityZone: null }, claim: { state: 'CONFIRMED' } })
    expect(await claimsFor(uuid)).toEqual(['h1 CONFIRMED'])
  })

  test('with a key bound to a project there are no alternates, so nothing is held if the host does not start the instance', async () => {
    const uuid = randomUUID()
    expect(await gantt.place(ofProject(uuid), startOn())).toMatchObject({ __typename: 'NotStarted', refused: [{ host: { name: 'h1' } }] })
    expect(await claimsFor(uuid)).toEqual(['h1 RELEASED'])
  })

  test('with a key bound to a project a refusal says that no host was found, without the reasons', async () => {
    const result = await gantt.selectDestinations(ofProject(randomUUID(), 1_000_000))
    expect(result).toMatchObject({ __typename: 'NoValidHost', placedCount: 0, reasons: [] })
  })

  test('with a key bound to a project the client is refused if it selects the fields for other keys', async () => {
    const { secret } = await api.service.keys.create({ name: 'p1', account: 'p1', scopes: ['SCHEDULE', 'CLAIM'], project: 'p1' })
    const asking = createGantt({ url: api.url, key: secret }).selectDestinations(ofProject(randomUUID()))
    await expect(asking).rejects.toMatchObject({ code: 'FORBIDDEN' })
  })
})
