import { randomUUID } from 'node:crypto'
import {
  createGantt,
  FaultError,
  type GanttOptions,
  KeySourceError,
  type Placed,
  type SelectDestinationsResult,
  systemClock,
  UnknownOutcomeError,
  UnreachableError,
} from '@gantt/client'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { instantClock } from '../testing/clocks.ts'
import { type HttpProxy, startHttpProxy } from '../testing/http-proxy.ts'
import { dataOf, startTestService, type TestService } from '../testing/test-service.ts'

// Tests the calls of @gantt/client through a proxy that loses, delays and refuses them.

let api: TestService
let proxy: HttpProxy
let key: string

beforeAll(async () => {
  api = await startTestService()
  await api.report({ h1: {}, h2: {} })
  key = await api.keyWith('SCHEDULE', 'CLAIM', 'REPORT', 'READ')
})
beforeEach(async () => {
  proxy = await startHttpProxy(api.url)
})
afterEach(() => proxy.close())
afterAll(() => api.close())

const clientWith = (options: Partial<GanttOptions> = {}) =>
  createGantt({ url: proxy.url, key, clock: instantClock(), random: () => 0.5, ...options })

const oneInstance = (uuid: string = randomUUID(), memoryMb = 512) => ({
  spec: { gantt: { flavor: { vcpus: 1, memoryMb }, instanceUuids: [uuid] } },
})

/** The states of the claims of an instance. */
async function claimsFor(instance: string): Promise<readonly string[]> {
  const { claims } = await dataOf(api, '{ claims(first: 500) { nodes { state instanceUuid } } }')
  return claims.nodes.flatMap(({ state, instanceUuid }: { state: string; instanceUuid: string }) =>
    instanceUuid === instance ? [state] : [],
  )
}

function placedBy(answer: SelectDestinationsResult): Placed {
  if (answer.__typename !== 'SelectDestinationsPayload') throw new Error(answer.message)
  return answer
}

const thrownBy = (answer: Promise<unknown>): Promise<unknown> =>
  answer.then(
    () => undefined,
    (error: unknown) => error,
  )

test.each(['lose answer', 'lose request', 'lose answer three times'] as const)(
  '%s: the call is repeated, and exactly one claim is held',
  async (what) => {
    const uuid = randomUUID()
    const fates = what === 'lose answer three times' ? (['lose answer', 'lose answer', 'lose answer'] as const) : [what]
    proxy.plan('selectDestinations', ...fates)
    const answer = await clientWith().selectDestinations(oneInstance(uuid))
    expect(answer).toMatchObject({ __typename: 'SelectDestinationsPayload', replayed: what !== 'lose request' })
    expect(proxy.calls('selectDestinations')).toBe(fates.length + 1)
    expect(await claimsFor(uuid)).toEqual(['RESERVED'])
  },
)

test('calls for an alternate, a confirmation and a release are repeated after a lost answer', async () => {
  const uuid = randomUUID()
  const gantt = clientWith()
  const chosen = placedBy(await gantt.selectDestinations(oneInstance(uuid)))
  const [{ selected, alternates } = { selected: undefined, alternates: [] }] = chosen.destinations
  const [alternate] = alternates
  if (!selected?.claim || !alternate) throw new Error('two hosts should have enough free resources')
  proxy.plan('claimRelease', 'lose answer')
  expect(await gantt.release([selected.claim], 'elsewhere')).toMatchObject([{ __typename: 'ClaimPayload', claim: { state: 'RELEASED' } }])
  proxy.plan('claimCreate', 'lose answer')
  const { name, node } = alternate.host
  const other = await gantt.claim({ decisionId: chosen.decision.id, host: { host: name, node }, instanceUuid: uuid })
  if (other.__typename !== 'SelectDestinationsPayload') throw new Error(other.message)
  const claims = other.destinations.flatMap(({ selected: { claim } }) => claim ?? [])
  proxy.plan('claimConfirm', 'lose answer')
  expect(await gantt.confirm(claims)).toMatchObject([{ __typename: 'ClaimPayload', claim: { state: 'CONFIRMED' } }])
  expect((await claimsFor(uuid)).toSorted()).toEqual(['CONFIRMED', 'RELEASED'])
})

test.each([
  ['a proxy with a retry time in seconds', { status: 503, headers: { 'retry-after': '7' } }, 7_000],
  ['a proxy with a retry time as a date', { status: 429, headers: { 'retry-after': new Date(Date.now() - 1_000).toUTCString() } }, 0],
  ['a gateway without a retry time', { status: 502, body: '<html>' }, 0],
  [
    'the service itself',
    {
      status: 429,
      body: JSON.stringify({ errors: [{ message: 'slower', extensions: { code: 'RATE_LIMITED', retryable: true, retryAfterMs: 5_000 } }] }),
    },
    5_000,
  ],
])('after a refusal by %s the call waits at least for the stated time', async (_who, fate, atLeastMs) => {
  proxy.plan('selectDestinations', fate, fate)
  const clock = instantClock()
  expect(await clientWith({ clock }).selectDestinations(oneInstance())).toMatchObject({ __typename: 'SelectDestinationsPayload' })
  expect(clock.waits).toEqual([atLeastMs + 50, atLeastMs + 100])
})

test('a call whose retry time is after its deadline fails at once with the answer', async () => {
  proxy.plan('whyNot', { status: 503, headers: { 'retry-after': '60' } })
  const clock = instantClock()
  const subject = { spec: oneInstance().spec }
  const error = await thrownBy(clientWith({ clock }).whyNot({ host: { host: 'h1' }, subject }))
  expect(error).toMatchObject({ name: 'ProtocolError', status: 503, retryAfterMs: 60_000 })
  expect(clock.waits).toEqual([])
})

test.each([
  ['an unknown field', { profile: 'default', intent: 'NONE' as never }, 'GRAPHQL_VALIDATION_FAILED'],
  ['a key without the scope', {}, 'FORBIDDEN'],
])('%s is an error without a retry, and nothing is claimed', async (what, more, code) => {
  const own = what === 'a key without the scope' ? await api.keyWith('READ') : key
  const error = await thrownBy(clientWith({ key: own }).selectDestinations({ ...oneInstance(), ...more }))
  expect(error).toBeInstanceOf(FaultError)
  expect(error).toMatchObject({ code })
  expect(proxy.calls('selectDestinations')).toBe(1)
})

test('expected failures are returned as answers, each with its own fields', async () => {
  const gantt = clientWith()
  const first = oneInstance()
  const refused = await gantt.selectDestinations(oneInstance(randomUUID(), 1_000_000))
  expect(refused).toMatchObject({ __typename: 'NoValidHost', reasons: [{ code: 'memory.too_little', hosts: 2 }] })
  await gantt.selectDestinations({ ...first, idempotencyKey: 'twice' })
  const other = await gantt.selectDestinations({ ...oneInstance(), idempotencyKey: 'twice' })
  expect(other).toMatchObject({ __typename: 'IdempotencyConflict', code: 'IDEMPOTENCY_CONFLICT' })
  const nowhere = await gantt.selectDestinations({ ...oneInstance(), profile: 'nobody-knows-it' })
  expect(nowhere).toMatchObject({ __typename: 'ValidationError', issues: [{ path: ['input', 'profile'] }] })
})

test('a move reserves a claim on the host in the answer, and the claim on the source stays confirmed', async () => {
  const gantt = clientWith()
  const uuid = randomUUID()
  const [first] = placedBy(await gantt.selectDestinations({ ...oneInstance(uuid), claim: { mode: 'CONFIRM' } })).destinations
  const moveOf = first?.selected.claim
  if (!moveOf) throw new Error('the answer has no claim')
  const [there] = placedBy(await gantt.selectDestinations({ ...oneInstance(uuid), intent: 'LIVE_MIGRATE', moveOf })).destinations
  expect(there?.selected.host.name).not.toBe(first.selected.host.name)
  expect((await claimsFor(uuid)).toSorted()).toEqual(['CONFIRMED', 'RESERVED'])
})

test('a call to a full fleet is repeated with the same key until a host has enough free resources', async () => {
  const uuid = randomUUID()
  const clock = instantClock(() => api.report({ large: { memoryMb: 2_000_000, vcpus: 64 } }))
  const gantt = clientWith({ clock })
  const answer = await gantt.selectDestinations(oneInstance(uuid, 1_500_000), { waitForRoom: true })
  expect(answer).toMatchObject({
    __typename: 'SelectDestinationsPayload',
    replayed: false,
    destinations: [{ selected: { host: { name: 'large' } } }],
  })
  expect(clock.waits).toEqual([1_050])
  expect(await claimsFor(uuid)).toEqual(['RESERVED'])
})

test('a call to a replica that is behind is repeated at the time that the answer states', async () => {
  const { fleetRevision } = placedBy(await clientWith().selectDestinations(oneInstance()))
  const clock = instantClock(() => api.report({ [randomUUID()]: { memoryMb: 1 } }))
  const minRevision = String(Number(fleetRevision) + 1)
  const answer = await clientWith({ clock }).selectDestinations({ ...oneInstance(), minRevision, deadline: 'PT1S' })
  expect(answer).toMatchObject({ __typename: 'SelectDestinationsPayload' })
  expect(clock.waits).toEqual([1_050])
})

test.each(['deadline', 'signal'])(
  'after a %s before the answer the error has the key, and abandoning the key releases the claims',
  async (what) => {
    const uuid = randomUUID()
    const gantt = clientWith({ clock: systemClock })
    proxy.plan('selectDestinations', 'never answer')
    const stop = new AbortController()
    const answer = gantt.selectDestinations(oneInstance(uuid), what === 'signal' ? { signal: stop.signal } : { deadlineMs: 1_500 })
    const ended = thrownBy(answer)
    await expect.poll(() => claimsFor(uuid)).toEqual(['RESERVED'])
    stop.abort()
    const error = await ended
    if (!(error instanceof UnknownOutcomeError)) throw error
    expect(error.cause).toMatchObject(what === 'signal' ? { name: 'AbortError' } : { name: 'UnreachableError' })
    expect(await gantt.abandon(error.idempotencyKey)).toMatchObject({ __typename: 'ClaimPayload' })
    expect(await claimsFor(uuid)).toEqual(['RELEASED'])
  },
)

test('the outcome stays unknown if the first answer was lost and all later answers are refusals', async () => {
  const busy = { status: 429, headers: { 'retry-after': '9' } }
  proxy.plan('selectDestinations', 'lose answer', busy, busy, busy, busy)
  expect(await thrownBy(clientWith().selectDestinations(oneInstance()))).toBeInstanceOf(UnknownOutcomeError)
})

test('the outcome of a call that was never sent, or refused unread, is known', async () => {
  proxy.plan('selectDestinations', ...Array.from({ length: 4 }, () => ({ status: 429, headers: { 'retry-after': '9' } })))
  expect(await thrownBy(clientWith().selectDestinations(oneInstance()))).toMatchObject({ name: 'ProtocolError', status: 429 })
  const gone = await startHttpProxy(api.url)
  await gone.close()
  expect(await thrownBy(clientWith({ url: gone.url }).selectDestinations(oneInstance()))).toBeInstanceOf(UnreachableError)
  expect(
    await thrownBy(clientWith().selectDestinations(oneInstance(), { signal: AbortSignal.abort(new Error('not today')) })),
  ).toMatchObject({
    message: 'not today',
  })
})

/** Creates an API key that becomes invalid as soon as it is rotated. */
async function aKey() {
  const { apiKeyCreate } = await dataOf(
    api,
    `mutation { apiKeyCreate(input: { name: "${randomUUID()}", account: "rotating", scopes: [SCHEDULE, CLAIM, READ] }) { ... on ApiKeyPayload { secret key { id } } } }`,
  )
  return {
    secret: String(apiKeyCreate.secret),
    rotate: async (): Promise<string> => {
      const { apiKeyRotate } = await dataOf(
        api,
        `mutation { apiKeyRotate(id: "${apiKeyCreate.key.id}", overlap: "PT0S") { ... on ApiKeyPayload { secret } } }`,
      )
      return apiKeyRotate.secret
    },
  }
}

test('calls that are refused together after a key rotation fetch the new key once, and a running call keeps its idempotency key', async () => {
  const { secret, rotate } = await aKey()
  let present = secret
  let asked = 0
  const gantt = clientWith({
    key: async () => {
      asked++
      return present
    },
  })
  const uuid = randomUUID()
  expect(await gantt.selectDestinations({ ...oneInstance(uuid), idempotencyKey: uuid })).toMatchObject({ replayed: false })
  present = await rotate()
  const answers = await Promise.all([1, 2, 3].map(() => gantt.selectDestinations({ ...oneInstance(uuid), idempotencyKey: uuid })))
  expect(answers).toMatchObject([{ replayed: true }, { replayed: true }, { replayed: true }])
  expect(asked).toBe(2)
})

test('if the key source still returns the old key or none, the call ends', async () => {
  const { secret, rotate } = await aKey()
  const old = clientWith({ key: () => secret })
  await rotate()
  expect(await thrownBy(old.selectDestinations(oneInstance()))).toMatchObject({ name: 'FaultError', code: 'UNAUTHENTICATED' })
  const broken = clientWith({
    key: () => {
      throw new Error('the vault is closed')
    },
  })
  const error = await thrownBy(broken.selectDestinations(oneInstance()))
  expect(error).toBeInstanceOf(KeySourceError)
  expect(error).toMatchObject({ message: 'no usable API key: the vault is closed' })
})

test('a decision and a host that was not selected are explained', async () => {
  const gantt = clientWith()
  const refused = await gantt.selectDestinations(oneInstance(randomUUID(), 5_000_000))
  if (refused.__typename !== 'NoValidHost') throw new Error(refused.__typename)
  proxy.plan('explainPlacement', 'lose answer')
  const explanation = await gantt.explain(refused.decision.id)
  expect(explanation.reasons).toMatchObject([{ code: 'memory.too_little', filter: 'RamFilter' }])
  const { headline, verdict } = await gantt.whyNot({ host: { host: 'h1' }, subject: { decisionId: refused.decision.id } })
  expect(headline).toContain('h1')
  expect(verdict.checks.find(({ status }) => status === 'FAIL')?.facts[0]).toMatchObject({ required: '5000000', unit: 'MiB' })
})

test('a client call accepts as many instances and claims as the service does', async () => {
  const gantt = clientWith()
  const count = 1_000
  await api.report({ [randomUUID()]: { vcpus: count, memoryMb: count * 64 } })
  const spec = { gantt: { flavor: { vcpus: 1, memoryMb: 64 }, numInstances: count } }
  const { destinations } = placedBy(await gantt.selectDestinations({ spec, alternatesPerInstance: 0 }))
  const claims = destinations.flatMap(({ selected: { claim } }) => claim ?? [])
  for (const ended of [await gantt.extend(claims, 'PT5M'), await gantt.confirm(claims), await gantt.release(claims)])
    expect([ended.length, ended.filter(({ __typename }) => __typename === 'ClaimPayload').length]).toEqual([count, count])
})
