import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPrisma } from '../../db/prisma.ts'
import { createActivityStore } from '../../db/tables/activity.ts'
import { dataOf, type Json, placeWith, startTestService, type TestService } from '../../testing/test-service.ts'

let api: TestService
beforeAll(async () => {
  api = await startTestService()
  await api.report({ a1: {}, a2: { memoryMbUsed: 30_000 } })
  await dataOf(api, `mutation { aggregateCreate(input: { name: "zone", availabilityZone: "z1", hosts: ["a1"] }) { __typename } }`)
})
afterAll(async () => {
  expect(api.warnings).toEqual([])
  await api.close()
})

const ACTIVITY = `query ($window: Duration, $steps: Int) { activity(window: $window, steps: $steps) {
  since until decisions failed steps { at decisions failed } failures { code decisions text } failuresCut
  flavors { name vcpus memoryMb rootGb ephemeralGb swapMb extraSpecs { key value } decisions } } }`
const activity = async (variables: Record<string, unknown> = {}): Promise<Json> => (await dataOf(api, ACTIVITY, variables)).activity
const sum = (steps: Json[], count: string): number => steps.reduce((all, step) => all + step[count], 0)

test('before the first request, every step is returned and has no decisions', async () => {
  const { steps, failures, flavors, decisions } = await activity({ window: 'PT1H', steps: 6 })
  expect(steps.map(({ decisions: count }: Json) => count)).toEqual([0, 0, 0, 0, 0, 0])
  expect([decisions, failures, flavors]).toEqual([0, [], []])
})

test('each request is counted once by step, by reason and by flavor, and the list of decisions has the same counts', async () => {
  const small = { name: 'small', vcpus: 1, memoryMb: 512, extraSpecs: [{ key: 'quota:cpu_shares', value: '8' }] }
  await placeWith(api, {}, { flavor: small })
  // a second request for the same flavor
  await placeWith(api, {}, { flavor: small, numInstances: 2 })
  await placeWith(api, {}, { flavor: { name: 'huge', vcpus: 1, memoryMb: 1_000_000 } })
  await placeWith(api, {}, { flavor: { name: 'wide', vcpus: 64, memoryMb: 512 } })
  await placeWith(api, {}, { flavor: { name: 'wide', vcpus: 64, memoryMb: 512 }, availabilityZone: 'z1' })
  const { steps, failures, failuresCut, flavors, decisions, failed, since, until } = await activity()
  expect([decisions, failed, failuresCut, steps.length]).toEqual([5, 3, false, 60])
  expect([sum(steps, 'decisions'), sum(steps, 'failed')]).toEqual([5, 3])
  expect(Date.parse(until) - Date.parse(since)).toBe(3_600_000)
  expect(steps[0].at).toBe(since)
  expect(flavors).toEqual([
    {
      name: 'small',
      vcpus: 1,
      memoryMb: 512,
      rootGb: 0,
      ephemeralGb: 0,
      swapMb: 0,
      extraSpecs: [{ key: 'quota:cpu_shares', value: '8' }],
      decisions: 2,
    },
    expect.objectContaining({ name: 'wide', extraSpecs: [], decisions: 2 }),
    expect.objectContaining({ name: 'huge', decisions: 1 }),
  ])
  expect(failures).toMatchObject([
    { code: 'cpu.too_few', decisions: 2, text: expect.any(String) },
    { code: expect.stringMatching(/^memory\./), decisions: 1 },
  ])
  for (const { code, decisions: count } of failures) {
    const query = `outcome:PARTIAL,NO_VALID_HOST cause:${code} last:1h`
    const list = await dataOf(api, 'query ($query: String) { decisions(query: $query) { totalCount } }', { query })
    expect([code, list.decisions.totalCount]).toEqual([code, count])
  }
})

test('the count for a span that ends while calls are in progress is the same after the calls were answered', async () => {
  const asking = Array.from({ length: 40 }, (_, i) =>
    placeWith(api, {}, { flavor: { name: 'busy', vcpus: i % 2 === 0 ? 64 : 1, memoryMb: 1 } }),
  )
  // the activity is read while calls are in progress, so only some of the calls have an answer
  const answers = await Promise.all(asking.slice(0, 12).map((one) => one.then(() => activity())))
  await Promise.all(asking)
  for (const { since, until, decisions: counted } of answers) {
    const query = `at>=${since} at<${until}`
    const list = await dataOf(api, 'query ($query: String) { decisions(query: $query) { totalCount } }', { query })
    expect(list.decisions.totalCount).toBe(counted)
  }
})

const DURATIONS = `query ($since: DateTime, $until: DateTime, $steps: Int) { activity(since: $since, until: $until, steps: $steps) {
  since until decisions failed took { p50Ms p99Ms } tookCut steps { at decisions failed took { p50Ms p99Ms } }
  before { since until decisions took { p99Ms } steps { at } } } }`
const durations = async (variables: Record<string, unknown>): Promise<Json> => (await dataOf(api, DURATIONS, variables)).activity

test('durations are returned for the whole span and for each step, and each value is the duration of one of the decisions', async () => {
  const { since, until } = await activity()
  const { took, tookCut, steps } = await durations({ since, until, steps: 7 })
  const { decisions } = await dataOf(api, '{ decisions(first: 100) { nodes { at durationMs } } }')
  const all: Json[] = decisions.nodes.filter((one: Json) => one.durationMs !== null)
  const nearestRank = (some: Json[], share: number) =>
    some.map(({ durationMs }) => durationMs).sort((a, b) => a - b)[Math.ceil(share * some.length) - 1] as number
  expect(all.length).toBeGreaterThan(40)
  expect([took, tookCut]).toEqual([{ p50Ms: nearestRank(all, 0.5), p99Ms: nearestRank(all, 0.99) }, false])
  for (const [i, step] of steps.entries()) {
    const own = all.filter(({ at }) => at >= step.at && at < (steps[i + 1]?.at ?? until))
    expect(step.took).toEqual(own.length === 0 ? null : { p50Ms: nearestRank(own, 0.5), p99Ms: nearestRank(own, 0.99) })
  }
})

test('if there are too many decisions, the durations of the newest decisions are returned', async () => {
  const prisma = createPrisma(api.connection)
  try {
    const { nodes } = (await dataOf(api, '{ decisions(first: 100) { nodes { at durationMs } } }')).decisions
    const span = { since: Date.parse(nodes.at(-1).at), until: Date.parse(nodes[0].at) + 1, stepMs: 86_400_000 }
    // the store reads only as many decisions as there are in the newest millisecond, so exactly these decisions are included
    const newest = nodes.filter(({ at }: Json) => at === nodes[0].at)
    const { all, isCut } = await createActivityStore(prisma, newest.length).durations(span)
    expect([all?.p99Ms, isCut]).toEqual([Math.max(...newest.map(({ durationMs }: Json) => durationMs)), true])
    expect((await createActivityStore(prisma, nodes.length + 1).durations(span)).isCut).toBe(false)
  } finally {
    await prisma.$disconnect()
  }
})

test('a span is exact to the millisecond, and the preceding span has the same length', async () => {
  const { nodes } = (await dataOf(api, '{ decisions(first: 100) { nodes { at } } }')).decisions
  const newest = Date.parse(nodes[0].at)
  const oldest = Date.parse(nodes.at(-1).at)
  const iso = (ms: number) => new Date(ms).toISOString()
  // the end of the span is exclusive, so the span does not include the newest decision
  const since = iso(Math.floor((oldest + newest) / 2))
  const until = iso(newest)
  const found = await durations({ since, until, steps: 4 })
  const within = (from: string, to: string) => nodes.filter(({ at }: Json) => at >= from && at < to).length
  expect([found.since, found.until, found.decisions]).toEqual([since, until, within(since, until)])
  expect(found.steps.length).toBeLessThanOrEqual(4)
  expect(sum(found.steps, 'decisions')).toBe(found.decisions)
  const { before } = found
  expect([Date.parse(since) - Date.parse(before.since), before.until]).toEqual([Date.parse(until) - Date.parse(since), since])
  expect(before.decisions).toBe(within(before.since, before.until))
  // an end in the future is replaced by the present time
  const { until: now } = await durations({ since, until: iso(Date.now() + 3_600_000) })
  expect(Date.parse(now)).toBeLessThan(Date.now() + 60_000)
})

test('without decisions, no durations are returned', async () => {
  expect(await durations({ since: '2026-01-01T00:00:00Z', until: '2026-01-01T00:00:01Z', steps: 1 })).toMatchObject({
    decisions: 0,
    took: null,
    steps: [{ took: null }],
    before: { decisions: 0, took: null },
  })
})

test.each([
  [{ since: '2026-01-02T00:00:00Z', until: '2026-01-01T00:00:00Z' }],
  [{ since: '2026-01-01T00:00:00Z', until: '2026-01-01T00:00:00Z' }],
  [{ since: '2026-01-01T00:00:00Z', until: '2026-01-09T00:00:00Z' }],
])('the span %j is refused as invalid', async (variables) => {
  const { errors, text } = await api.ask(DURATIONS, variables)
  expect(errors.length, text).toBe(1)
  expect(JSON.stringify(errors[0])).toContain('since')
})

test.each([
  [{ window: 'PT1S' }, 'window'],
  [{ window: 'P8D' }, 'window'],
  [{ steps: 0 }, 'steps'],
  [{ steps: 501 }, 'steps'],
])('the span %j is refused as out of range', async (variables, path) => {
  const { errors, text } = await api.ask(ACTIVITY, variables)
  expect(errors.length, text).toBe(1)
  expect(JSON.stringify(errors[0])).toContain(path)
})

test('a host without capacity is counted in its zone as in the list of hosts, and a zone with only such hosts is listed', async () => {
  const nothing = { vcpus: 0, memoryMb: 0, localGb: 0 }
  await api.report({ n1: nothing, n2: nothing })
  await dataOf(api, `mutation { aggregateCreate(input: { name: "bare", availabilityZone: "z2", hosts: ["n1"] }) { __typename } }`)
  const { fleet } = await dataOf(api, '{ fleet { totals { key hosts usage { capacity } } } }')
  expect(fleet.totals.map(({ key, hosts }: Json) => [key, hosts])).toEqual([
    ['nova', 2],
    ['z1', 1],
    ['z2', 1],
  ])
  expect(fleet.totals[2].usage).toEqual([])
  for (const { key, hosts } of fleet.totals) {
    const list = await dataOf(api, 'query ($query: String) { hosts(query: $query) { totalCount } }', { query: `az:${key}` })
    expect([key, list.hosts.totalCount]).toEqual([key, hosts])
  }
})

test('the totals of a zone are the sums over its hosts, with claimed amounts listed separately', async () => {
  const { fleet, hosts } = await dataOf(
    api,
    `{ fleet { totals { key hosts usage { resourceClass capacity used claimed free } } }
       hosts { nodes { availabilityZone capacity { resourceClass capacity used claimed free } } } }`,
  )
  expect(fleet.totals.map(({ key, hosts: count }: Json) => [key, count])).toEqual([
    ['nova', 2],
    ['z1', 1],
    ['z2', 1],
  ])
  for (const { key, usage } of fleet.totals) {
    const own = hosts.nodes.filter(({ availabilityZone }: Json) => availabilityZone === key)
    const of = (resourceClass: string) =>
      own.flatMap(({ capacity }: Json) => capacity.filter((one: Json) => one.resourceClass === resourceClass))
    for (const one of usage) {
      const { capacity, free, claimed } = one
      expect([capacity, free, claimed]).toEqual([
        sum(of(one.resourceClass), 'capacity'),
        sum(of(one.resourceClass), 'free'),
        sum(of(one.resourceClass), 'claimed'),
      ])
      expect(one.used).toBe(capacity - free)
    }
  }
})
