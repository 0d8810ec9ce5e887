import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openService } from '../../service.ts'
import { streamText } from '../../testing/stream-text.ts'
import { dataOf, type Json, startTestService, type TestService } from '../../testing/test-service.ts'

let api: TestService
beforeAll(async () => {
  api = await startTestService()
  await api.report({ h1: {} })
})
afterAll(() => api.close())

/** Reads events of a subscription until the reader has enough. */
async function listen(
  query: string,
  onOpen: () => Promise<unknown>,
  enough: (events: readonly unknown[]) => boolean,
): Promise<{ events: unknown[]; text: string }> {
  const abort = new AbortController()
  const response = await fetch(api.url, {
    method: 'POST',
    signal: abort.signal,
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', authorization: 'Bearer the-admin-key-of-tests' },
    body: JSON.stringify({ query }),
  })
  expect(response.headers.get('content-type')).toContain('text/event-stream')
  let text = ''
  const events = () => text.split('\n').flatMap((line) => (line.startsWith('data: ') ? [JSON.parse(line.slice(6)).data] : []))
  const opening = onOpen()
  for await (const piece of streamText(response)) {
    text += piece
    if (enough(events())) break
  }
  await opening
  abort.abort()
  return { events: events(), text }
}

const place = () =>
  api.ask(
    'mutation ($k: String!) { selectDestinations(input: { idempotencyKey: $k, spec: { gantt: { flavor: { vcpus: 1, memoryMb: 512 } } } }) { __typename } }',
    { k: randomUUID() },
  )

test('decisions arrive as they are made, including refusals, and a heartbeat is sent at the beginning', async () => {
  const refuse = () =>
    api.ask(
      'mutation { selectDestinations(input: { idempotencyKey: "r", spec: { gantt: { flavor: { vcpus: 999, memoryMb: 512 } } } }) { __typename } }',
    )
  const { events, text } = await listen(
    'subscription { decisions { suppressed gap { resumeAt } decision { outcome destinations { selected { host { name } } } } } }',
    async () => [await place(), await refuse()],
    (seen) => seen.length >= 2,
  )
  expect(events).toEqual([
    { decisions: { suppressed: 0, gap: null, decision: { outcome: 'PLACED', destinations: [{ selected: { host: { name: 'h1' } } }] } } },
    { decisions: { suppressed: 0, gap: null, decision: { outcome: 'NO_VALID_HOST', destinations: [] } } },
  ])
  expect(text).toMatch(/^:heartbeat \{"revision":"\d+","stateAgeMs":\d+\}\n\n/)
})

test('refusals of another replica arrive too, although they are not in the log', async () => {
  const second = await openService({
    connection: api.connection,
    host: '127.0.0.1',
    port: 0,
    warn: (message) => api.warnings.push(message),
  })
  try {
    const living = async () => (await dataOf(api, '{ replicas { live } }')).replicas.filter(({ live }: Json) => live).length
    await expect.poll(living).toBe(2)
    const refuseThere = (key: number) =>
      fetch(second.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'Bearer the-admin-key-of-tests' },
        body: JSON.stringify({
          query: `mutation { selectDestinations(input: { idempotencyKey: "elsewhere ${key}", spec: { gantt: { flavor: { name: "elsewhere", vcpus: 998, memoryMb: 512 } } } }) { __typename } }`,
        }),
      })
    const { events } = await listen(
      'subscription { decisions(query: "flavor:elsewhere") { suppressed gap { resumeAt } decision { outcome } } }',
      () => Promise.all(Array.from({ length: 8 }, (_, i) => refuseThere(i))),
      (seen) => seen.length >= 8,
    )
    expect(events).toEqual(Array(8).fill({ decisions: { suppressed: 0, gap: null, decision: { outcome: 'NO_VALID_HOST' } } }))
  } finally {
    await second.close()
  }
})

test('a reader that reconnects gets a gap even if the log did not advance, because refusals are not in the log', async () => {
  const { health } = await dataOf(api, '{ health { revision } }')
  const { events } = await listen(
    `subscription { decisions(after: "${health.revision}") { suppressed gap { missedFrom resumeAt } decision { id } } }`,
    async () => {},
    (seen) => seen.length >= 1,
  )
  const gap = { missedFrom: health.revision, resumeAt: health.revision }
  expect(events).toEqual([{ decisions: { suppressed: 0, gap, decision: null } }])
})

test('of a burst, the first decisions of each second are sent, and the count of the others after the burst', async () => {
  const burst = () => Promise.all(Array.from({ length: 12 }, () => place()))
  const { events } = await listen(
    'subscription { decisions(samplePerSecond: 1) { suppressed decision { outcome } } }',
    burst,
    (seen) => (seen as Json[]).reduce((sum, { decisions }) => sum + decisions.suppressed + (decisions.decision === null ? 0 : 1), 0) >= 12,
  )
  expect(events.length).toBeLessThan(12)
})

test('a reader gets the changed hosts, including changes before its subscription that it missed', async () => {
  const { events } = await listen(
    'subscription { hostChanged(after: "0") { host { name runningVms } gap { missedFrom } } }',
    place,
    (seen) => seen.length >= 2,
  )
  expect(events[0]).toMatchObject({ hostChanged: { host: { name: 'h1' }, gap: null } })
})

test('missed changes arrive in the order of their revisions, so that a reader knows up to which revision it has read', async () => {
  await api.report({ early: {}, late: {} })
  await api.report({ early: { memoryMbUsed: 512 } })
  type Seen = { readonly hostChanged: { readonly revision: string; readonly host: { readonly name: string } } }
  const { events } = await listen(
    'subscription { hostChanged(after: "0") { revision host { name } } }',
    async () => {},
    (seen) => seen.length >= 3,
  )
  const seen = events as Seen[]
  expect(seen.slice(-2).map(({ hostChanged }) => hostChanged.host.name)).toEqual(['late', 'early'])
  const revisions = seen.map(({ hostChanged }) => Number(hostChanged.revision))
  expect(revisions).toEqual(revisions.toSorted((a, b) => a - b))
})

describe('streams when hosts leave the fleet', () => {
  const change = async (mutation: string): Promise<void> => {
    const [payload] = Object.values(await dataOf(api, `mutation { ${mutation} { __typename ... on UserError { message } } }`)) as {
      readonly __typename: string
    }[]
    expect(payload?.__typename).toMatch(/Payload$/)
  }

  test('a reader that follows a host by name gets its new name, at once and after a reconnect', async () => {
    await api.report({ 'old-name': {} })
    const follow = (after: string) =>
      `subscription { hostChanged(filter: { name: { eq: "old-name" } }${after}) { host { name formerNames } } }`
    const seen = [{ hostChanged: { host: { name: 'new-name', formerNames: ['old-name'] } } }]
    const { asOf } = (await dataOf(api, '{ fleet { asOf } }')).fleet
    const live = await listen(
      follow(''),
      () => change('hostReplace(host: { host: "old-name" }, by: { host: "new-name" }, reason: "moved")'),
      (events) => events.length >= 1,
    )
    expect(live.events).toEqual(seen)
    const missed = await listen(
      follow(`, after: "${asOf}"`),
      async () => {},
      (events) => events.length >= 1,
    )
    expect(missed.events).toEqual(seen)
  })

  test('a reader that follows the fleet gets the hosts that left and the hosts with new names', async () => {
    await api.report({ 'to-leave': {}, 'to-rename': {} })
    const { asOf } = (await dataOf(api, '{ fleet { asOf } }')).fleet
    const { events } = await listen(
      `subscription { fleetDeltas(columns: [CLAIMS], after: "${asOf}", interval: "PT0.1S") { names ordinals renamed { names } left } }`,
      async () => {
        await change('hostForget(hosts: [{ host: "to-leave" }], reason: "scrapped")')
        await change('hostReplace(host: { host: "to-rename" }, by: { host: "was-renamed" }, reason: "moved")')
      },
      (all) => JSON.stringify(all).includes('was-renamed'),
    )
    const deltas = (events as { fleetDeltas: { names: string[]; renamed: { names: string[] }[]; left: number[] } }[]).map(
      (one) => one.fleetDeltas,
    )
    expect(deltas.flatMap(({ left }) => left)).toHaveLength(1)
    expect(deltas.flatMap(({ names }) => names)).toEqual(['was-renamed'])
    expect(deltas.flatMap(({ renamed }) => renamed)).toEqual([{ names: ['to-rename'] }])
  })
})

test('a reader of the whole fleet gets each change, including new hosts', async () => {
  const { events } = await listen(
    'subscription { fleetDeltas(columns: [CLAIMS], after: "0", interval: "PT0.1S") { from to names columns { name elementType data } gap { resumeAt } } }',
    () => api.report({ h2: {} }),
    (seen) => JSON.stringify(seen).includes('h2'),
  )
  const deltas = (events as { fleetDeltas: { from: string; to: string; names: string[]; gap: unknown } }[]).map((one) => one.fleetDeltas)
  expect(deltas[0]).toMatchObject({ from: '0', gap: null, columns: [{ name: 'CLAIMS', elementType: 'U8' }] })
  expect(deltas[0]?.names).toContain('h1')
  // the `from` of each event equals the `to` of the preceding event
  expect(deltas.slice(1).map(({ from }) => from)).toEqual(deltas.slice(0, -1).map(({ to }) => to))
})

test('a reader that is ahead of this replica gets a gap', async () => {
  const { events } = await listen(
    'subscription { fleetDeltas(columns: [CLAIMS], after: "999999") { from to names gap { missedFrom resumeAt } } }',
    async () => {},
    (seen) => seen.length > 0,
  )
  const [{ fleetDeltas }] = events as [{ fleetDeltas: { to: string } }]
  expect(fleetDeltas).toEqual({ from: '999999', to: fleetDeltas.to, names: [], gap: { missedFrom: '999999', resumeAt: fleetDeltas.to } })
})

test('one key cannot open as many streams as a replica allows in total', async () => {
  const [greedy, other] = [await api.keyWith('READ'), await api.keyWith('READ')]
  const abort = new AbortController()
  const open = (key: string) =>
    fetch(api.url, {
      method: 'POST',
      signal: abort.signal,
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', authorization: `Bearer ${key}` },
      body: JSON.stringify({ query: 'subscription { hostChanged { revision } }' }),
    })
  const first = await Promise.all(Array.from({ length: 128 }, () => open(greedy)))
  expect(new Set(first.map(({ status }) => status))).toEqual(new Set([200]))
  const more = await open(greedy)
  expect(await more.text()).toContain('key has 128 streams open in this process, and may have 128')
  expect((await open(other)).status).toBe(200)
  abort.abort()
})

test('when the service closes, its streams end with the event `complete`', async () => {
  const other = await startTestService()
  await other.report({ h1: {} })
  const response = await fetch(other.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', authorization: 'Bearer the-admin-key-of-tests' },
    body: JSON.stringify({ query: 'subscription { hostChanged { revision } }' }),
  })
  const [text] = await Promise.all([response.text(), other.close()])
  expect(text).toContain('event: complete')
})

test.each([
  ['a query', '(query: "host:before-*")'],
  ['a filter', '(filter: { host: { eq: "before-2" } })'],
])(
  'a subscription to decisions about a host by %s continues after the host was replaced, and gets no other decisions',
  async (_, asked) => {
    await api.report({ 'before-1': {}, 'before-2': {} })
    const placeOn = async (host: string) =>
      (
        await dataOf(
          api,
          `mutation ($k: String!, $hosts: [String!]) { selectDestinations(input: { idempotencyKey: $k, spec: { gantt: { forceHosts: $hosts, flavor: { vcpus: 1, memoryMb: 512 } } } }) {
        ... on SelectDestinationsPayload { decision { id } } } }`,
          { k: randomUUID(), hosts: [host] },
        )
      ).selectDestinations.decision.id
    const replace = (host: string, by: string) =>
      api.ask(`mutation { hostReplace(host: { host: "${host}" }, by: { host: "${by}" }, reason: "renamed") { __typename } }`)
    let expected = ''
    const { events } = await listen(
      `subscription { decisions${asked} { decision { id } } }`,
      async () => {
        await replace('before-2', 'after-2')
        await placeOn('h1')
        expected = await placeOn('after-2')
      },
      (seen) => seen.length >= 1,
    )
    await replace('after-2', 'before-2')
    expect(events).toEqual([{ decisions: { decision: { id: expected } } }])
  },
)
