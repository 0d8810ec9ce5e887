import { randomUUID } from 'node:crypto'
import { createGantt, type FullStats, type GanttOptions, graphql } from '@gantt/client'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { instantClock } from '../../testing/clocks.ts'
import { type HttpProxy, startHttpProxy } from '../../testing/http-proxy.ts'
import { dataOf, startTestService, type TestService } from '../../testing/test-service.ts'

// These tests use reports and streams of @gantt/client on a service behind a proxy that cuts connections and loses data.

let api: TestService
let proxy: HttpProxy
let key: string

beforeAll(async () => {
  api = await startTestService()
  key = await api.keyWith('READ', 'REPORT', 'SCHEDULE')
})
beforeEach(async () => {
  proxy = await startHttpProxy(api.url)
})
afterEach(() => proxy.close())
afterAll(() => api.close())

const clientWith = (options: Partial<GanttOptions> = {}) =>
  createGantt({ url: proxy.url, key, clock: instantClock(), random: () => 0.5, ...options })

const MACHINE: FullStats = { vcpus: 16, vcpusUsed: 0, memoryMb: 65_536, memoryMbUsed: 0, localGb: 1_024, localGbUsed: 0 }

const usedOf = async (host: string): Promise<number> =>
  (await dataOf(api, `{ host(name: "${host}") { capacity { resourceClass used } } }`)).host.capacity.find(
    ({ resourceClass }: { resourceClass: string }) => resourceClass === 'MEMORY_MB',
  ).used

test('a reporter first sends a full report and then deltas, in the order of its calls', async () => {
  const host = randomUUID()
  const reporter = clientWith().reporter({ name: { host }, full: () => MACHINE })
  const results = await Promise.all([
    reporter.change({ memoryMbUsed: 1 }),
    reporter.change({ memoryMbUsed: 1_024 }),
    reporter.change({ memoryMbUsed: 2_048 }),
  ])
  expect(results).toMatchObject([1, 2, 3].map((lastSequence) => ({ __typename: 'ResourceStatsApplied', lastSequence })))
  expect([reporter.sequence, await usedOf(host)]).toEqual([3, 2_048])
})

test('a report whose answer was lost is sent again until it is applied, and the next report contains the changes since', async () => {
  const host = randomUUID()
  const reporter = clientWith().reporter({ name: { host }, full: () => MACHINE })
  await reporter.report()
  proxy.plan('updateResourceStats', 'lose answer')
  // The repeated report is stale. It is sent with the next sequence, because another reporter could have used this one. It then changes
  // nothing, so it is not stored.
  expect(await reporter.change({ memoryMbUsed: 512 })).toMatchObject({ __typename: 'ResourceStatsApplied', lastSequence: 2 })
  expect(await usedOf(host)).toBe(512)
  expect(await reporter.change({ memoryMbUsed: 1_024 })).toMatchObject({ __typename: 'ResourceStatsApplied', lastSequence: 4 })
  expect([reporter.sequence, await usedOf(host)]).toEqual([4, 1_024])
})

test('if the service does not know the report on which a delta is based, the reporter sends a full report', async () => {
  const host = randomUUID()
  const reporter = clientWith().reporter({ name: { host }, full: () => ({ ...MACHINE, memoryMbUsed: 4_096 }) })
  await reporter.report()
  const busy = { status: 503, headers: { 'retry-after': '60' } }
  proxy.plan('updateResourceStats', 'lose answer', busy)
  await expect(reporter.change({ memoryMbUsed: 512 })).rejects.toMatchObject({ status: 503 })
  expect(await usedOf(host)).toBe(512)
  expect(await reporter.change({ memoryMbUsed: 1_024 })).toMatchObject({ __typename: 'ResourceStatsApplied' })
  expect([reporter.sequence, await usedOf(host)]).toEqual([4, 4_096])
})

test('a second incarnation takes over with a full report, and reports of the first are ignored', async () => {
  const host = randomUUID()
  const gantt = clientWith()
  const first = gantt.reporter({ name: { host }, full: () => MACHINE })
  await first.report()
  await first.change({ memoryMbUsed: 512 })
  const second = gantt.reporter({ name: { host }, full: () => ({ ...MACHINE, memoryMbUsed: 2_048 }) })
  expect(second.incarnation).not.toBe(first.incarnation)
  expect(await second.change({ memoryMbUsed: 99 })).toMatchObject({ __typename: 'ResourceStatsApplied', lastSequence: 1 })
  expect(await usedOf(host)).toBe(2_048)
  expect(await second.change({ memoryMbUsed: 99 })).toMatchObject({ __typename: 'ResourceStatsApplied', lastSequence: 2 })
  expect(await first.report()).toMatchObject({ __typename: 'ResourceStatsStale' })
  expect(await usedOf(host)).toBe(99)
})

test('the reports of several hosts are sent in one call, each with its own result, and so are their heartbeats', async () => {
  const gantt = clientWith()
  const hosts = [randomUUID(), randomUUID()]
  const updates = hosts.map((host, at) => ({
    name: { host },
    reporter: { incarnation: randomUUID(), sequence: 1 },
    report: { full: { ...MACHINE, memoryMb: at === 0 ? 65_536 : -1 } },
  }))
  const { appliedCount, results } = await gantt.updateResourceStats(updates)
  expect([appliedCount, results]).toMatchObject([1, [{ __typename: 'ResourceStatsApplied' }, { __typename: 'ValidationError' }]])
  const [known = '', unknown = ''] = hosts
  expect(await gantt.heartbeat([{ host: known }, { host: unknown }])).toMatchObject({ heard: 1 })
})

test('an agent’s key that is bound to its host is sufficient for reports and heartbeats', async () => {
  const host = randomUUID()
  const made = await api.service.keys.create({ name: host, account: 'agents', scopes: ['REPORT'], hosts: [host] })
  const gantt = clientWith({ key: made.secret })
  expect(await gantt.reporter({ name: { host }, full: () => MACHINE }).report()).toMatchObject({ __typename: 'ResourceStatsApplied' })
  expect(await gantt.heartbeat([{ host }])).toMatchObject({ heard: 1 })
  const other = gantt.reporter({ name: { host: randomUUID() }, full: () => MACHINE })
  expect(await other.report()).toMatchObject({ __typename: 'ValidationError', code: 'FORBIDDEN' })
})

test('the client accepts as many reports and heartbeats in one call as the service does', async () => {
  const gantt = clientWith()
  const hosts = Array.from({ length: 1_000 }, (_, at) => ({ host: `many-${at}` }))
  const reporter = { incarnation: randomUUID(), sequence: 1 }
  const { appliedCount } = await gantt.updateResourceStats(hosts.map((name) => ({ name, reporter, report: { full: MACHINE } })))
  expect([appliedCount, (await gantt.heartbeat(hosts)).heard]).toEqual([1_000, 1_000])
})

/** Reads a stream until `isEnough` returns true, and then ends the stream. */
async function read<Event>(
  events: AsyncGenerator<Event, void>,
  isEnough: (seen: readonly Event[]) => boolean | Promise<boolean>,
): Promise<Event[]> {
  const seen: Event[] = []
  for await (const event of events) {
    seen.push(event)
    if (await isEnough(seen)) break
  }
  return seen
}

test('hosts that changed while the connection was lost are delivered once after the reconnect', async () => {
  const [a = '', b = '', c = '']: readonly string[] = [randomUUID(), randomUUID(), randomUUID()]
  const breaks: unknown[] = []
  const gantt = clientWith({ clock: instantClock(() => api.report({ [c]: {} })) })
  const stream = gantt.events.hostChanges({}, { after: '0', onBreak: (error) => breaks.push(error) })
  const of = (seen: readonly { readonly host: { readonly name: string } | null }[]) =>
    seen.map(({ host }) => host?.name ?? '').filter((name) => [a, b, c].includes(name))
  // both reports are in the same log entry and therefore have the same revision
  await api.report({ [a]: {}, [b]: {} })
  const seen = await read(stream, (events) => {
    if (breaks.length === 0 && of(events).length === 1) proxy.cut()
    return of(events).includes(c)
  })
  expect(of(seen)).toEqual([a, b, c])
  expect(breaks).toMatchObject([{ name: 'UnreachableError' }])
})

const place = () =>
  dataOf(
    api,
    'mutation ($k: String!) { selectDestinations(input: { idempotencyKey: $k, spec: { gantt: { flavor: { vcpus: 1, memoryMb: 64 } } } }) { __typename } }',
    { k: randomUUID() },
  )

test('decisions arrive as they are made, and after a lost connection a gap says what to read', async () => {
  await api.report({ [randomUUID()]: {} })
  const opened = clientWith().events.decisions()
  const first = opened.next()
  // it is unknown when the server has opened the stream, so instances are placed until the first event arrives
  let hasCome = false
  void first.then(() => {
    hasCome = true
  })
  while (!hasCome) await place()
  expect((await first).value).toMatchObject({ gap: null, decision: { outcome: 'PLACED' } })
  const next = opened.next()
  proxy.cut()
  const seen = [(await next).value]
  while (seen.at(-1)?.gap === null) seen.push((await opened.next()).value)
  expect(seen.at(-1)).toMatchObject({ gap: { missedFrom: expect.any(String), resumeAt: expect.any(String) }, decision: null })
  await opened.return()
})

test('every subscription reconnects, including subscriptions for which the client has no method', async () => {
  const host = randomUUID()
  await api.report({ [host]: {} })
  const document = graphql(
    'subscription Deltas($after: Revision!) { fleetDeltas(columns: [CLAIMS], after: $after, interval: "PT0.1S") { from to names } }',
  )
  const gantt = clientWith()
  const resumption = {
    variables: (after: string | undefined) => ({ after: after ?? '0' }),
    resumeAfter: (data: { fleetDeltas: { to: string } }) => data.fleetDeltas.to,
  }
  const seen = await read(gantt.events.follow(document, resumption), async (events) => {
    if (events.length === 1) {
      proxy.cut()
      await api.report({ [randomUUID()]: {} })
    }
    return events.length === 2
  })
  expect(seen[0]?.fleetDeltas.names).toContain(host)
  expect(seen[1]?.fleetDeltas.from).toBe(seen[0]?.fleetDeltas.to)
})

test('a stream whose key is rotated continues with the next key', async () => {
  const made = `apiKeyCreate(input: { name: "${randomUUID()}", account: "watcher", scopes: [READ] })`
  const { apiKeyCreate } = await dataOf(api, `mutation { ${made} { ... on ApiKeyPayload { secret key { id } } } }`)
  let present: string = apiKeyCreate.secret
  const gantt = clientWith({ key: () => present })
  const host = randomUUID()
  const seen = await read(gantt.events.hostChanges({}, { after: '0' }), async (events) => {
    if (events.length === 1) {
      const rotated = `apiKeyRotate(id: "${apiKeyCreate.key.id}", overlap: "PT0S")`
      present = (await dataOf(api, `mutation { ${rotated} { ... on ApiKeyPayload { secret } } }`)).apiKeyRotate.secret
      proxy.cut()
      await api.report({ [host]: {} })
    }
    return events.some((event) => event.host?.name === host)
  })
  expect(seen.at(-1)?.host?.name).toBe(host)
})

test.each([
  ['an unknown key', { key: 'unknown' }, {}, 'UNAUTHENTICATED'],
  ['a query that cannot be read', {}, { query: 'mem.free<' }, 'GRAPHQL_VALIDATION_FAILED'],
])('%s ends a stream with a FaultError', async (_what, options, filter, code) => {
  const stream = clientWith(options).events.hostChanges(filter)
  await expect(stream.next()).rejects.toMatchObject({ name: 'FaultError', code })
})

test('a stream is opened again after an error, an early end or missing heartbeats, and its reader can end it at any time', async () => {
  await api.report({ [randomUUID()]: {} })
  const breaks: string[] = []
  const stop = new AbortController()
  proxy.plan(
    'hostChanged',
    { status: 502, body: '<html>' },
    { status: 200, headers: { 'content-type': 'text/event-stream' }, body: ':\n\n' },
  )
  const onBreak = (error: unknown): void => {
    breaks.push(String(error))
    if (breaks.length === 4) stop.abort()
  }
  const stream = clientWith().events.hostChanges({}, { silentMs: 50, onBreak, signal: stop.signal })
  expect(await stream.next()).toEqual({ done: true, value: undefined })
  expect(breaks).toMatchObject([
    expect.stringContaining('answered 502'),
    expect.stringContaining('the stream ended'),
    expect.stringContaining('nothing was received for 50 ms'),
    expect.stringContaining('nothing was received for 50 ms'),
  ])
})
