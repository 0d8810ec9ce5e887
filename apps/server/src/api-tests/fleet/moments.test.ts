import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf, dataOf, type Json, placeWith, startTestService, type TestService } from '../../testing/test-service.ts'

let api: TestService
/** The revisions of the fleet after each step of the setup, by the name of the step. */
const steps: Record<string, string> = {}

const ask = (query: string, variables?: Record<string, unknown>): Promise<Json> => dataOf(api, query, variables)
const head = async (): Promise<string> => (await ask('{ fleet { asOf } }')).fleet.asOf
const step = async (name: string): Promise<void> => {
  steps[name] = await head()
}

const CREATE =
  'mutation ($in: AggregateCreateInput!) { aggregateCreate(input: $in) { ... on AggregatePayload { aggregate { uuid version } } } }'
const UPDATE = `mutation ($uuid: UUID!, $in: AggregateUpdateInput!) {
  aggregateUpdate(uuid: $uuid, ifVersion: 1, input: $in) { __typename } }`

let uuid: string
let claim: string

beforeAll(async () => {
  api = await startTestService()
  await api.report({ a1: { vcpus: 16 }, a2: {} })
  await step('two hosts')
  const created = await ask(CREATE, { in: { name: 'rack', availabilityZone: 'z1', hosts: ['a1'] } })
  uuid = created.aggregateCreate.aggregate.uuid
  await step('a rack')
  const placed = await placeWith(api, { claim: { mode: 'RESERVE' } }, { availabilityZone: 'z1' })
  const { id, fence } = placed.destinations[0].selected.claim
  claim = id
  await step('a reservation')
  await ask('mutation ($c: [ClaimRef!]!) { claimRelease(claims: $c) { __typename } }', { c: [{ id, fence }] })
  await ask('mutation { hostSetStatus(hosts: [{ host: "a1" }], status: DISABLED, reason: "disk") { __typename } }')
  await ask(UPDATE, { uuid, in: { addHosts: ['a2'], setMetadata: [{ key: 'ssd', value: 'true' }] } })
  await ask('mutation { profileVersionCreate(profile: "packing", input: { filters: [], weighers: [], note: "new" }) { __typename } }')
  await api.report({ b1: {} })
  await step('much else')
})
afterAll(async () => {
  expect(api.warnings).toEqual([])
  await api.close()
})

const HOST = `query ($at: Moment) { host(name: "a1", at: $at) { status availabilityZone capacity { resourceClass claimed free }
  claims { totalCount nodes { state host { status } decision { outcome } } } aggregates { nodes { name version hosts { nodes { name } } } } } }`

describe('queries about earlier states', () => {
  test('a past host has its earlier status, zone and free amounts, and its claims and aggregates with their fields', async () => {
    const then = (await ask(HOST, { at: steps['a reservation'] })).host
    expect(then).toMatchObject({
      status: 'ENABLED',
      availabilityZone: 'z1',
      claims: { totalCount: 1, nodes: [{ state: 'RESERVED', host: { status: 'ENABLED' }, decision: { outcome: 'PLACED' } }] },
      aggregates: { nodes: [{ name: 'rack', version: 1, hosts: { nodes: [{ name: 'a1' }] } }] },
    })
    expect(then.capacity[0]).toEqual({ resourceClass: 'VCPU', claimed: 2, free: 14 })
    const { host: now } = await ask(HOST)
    expect(now).toMatchObject({ status: 'DISABLED', claims: { totalCount: 0 }, aggregates: { nodes: [{ version: 2 }] } })
    expect((await ask(HOST, { at: steps['two hosts'] })).host).toMatchObject({ availabilityZone: 'nova', aggregates: { nodes: [] } })
  })

  test('a list at a moment has the state of that moment and its revision', async () => {
    const LISTS = `query ($at: Moment) { hosts(at: $at) { totalCount asOf } named: hosts(at: $at, query: "agg:rack") { nodes { name } }
      aggregates(at: $at) { nodes { hostNames metadata { key } } } claims(at: $at, states: [RESERVED]) { nodes { id } } profiles(at: $at) { name } }`
    const lists = async (name: string) => ask(LISTS, { at: steps[name] })
    expect(await lists('two hosts')).toMatchObject({
      hosts: { totalCount: 2, asOf: steps['two hosts'] },
      ...{ named: { nodes: [] }, aggregates: { nodes: [] }, claims: { nodes: [] } },
    })
    const reserved = await lists('a reservation')
    expect(reserved).toMatchObject({ named: { nodes: [{ name: 'a1' }] }, aggregates: { nodes: [{ hostNames: ['a1'] }] } })
    expect([reserved.claims.nodes, reserved.aggregates.nodes[0].metadata]).toEqual([[{ id: claim }], [{ key: 'availability_zone' }]])
    const late = await lists('much else')
    expect(late).toMatchObject({ hosts: { totalCount: 3 }, named: { nodes: [{ name: 'a1' }, { name: 'a2' }] }, claims: { nodes: [] } })
    const names = ({ profiles }: Json) => profiles.map(({ name }: Json) => name)
    expect(names(late).filter((name: string) => !names(reserved).includes(name))).toEqual(['packing'])
  })

  test('one claim, one aggregate and one profile are returned in their earlier state, or are null if they did not exist', async () => {
    const ONE = `query ($at: Moment, $uuid: UUID!, $claim: ID!) { aggregate(uuid: $uuid, at: $at) { version hosts { totalCount } }
      claim(id: $claim, at: $at) { state releasedAt host { name } } profile(name: "packing", at: $at) { active { state number diff { field } } } }`
    const one = (name: string) => ask(ONE, { at: steps[name], uuid, claim })
    expect(await one('two hosts')).toEqual({ aggregate: null, claim: null, profile: null })
    expect(await one('a reservation')).toEqual({
      aggregate: { version: 1, hosts: { totalCount: 1 } },
      claim: { state: 'RESERVED', releasedAt: null, host: { name: 'a1' } },
      profile: null,
    })
    expect(await one('much else')).toMatchObject({
      aggregate: { version: 2, hosts: { totalCount: 2 } },
      profile: { active: { state: 'ACTIVE', number: 1, diff: [] } },
    })
  })

  test('the past fleet is returned as columns and totals, and the totals are the sums over the hosts of that moment', async () => {
    const FLEET = `query ($at: Moment) { fleet(at: $at) { asOf at hostCount totals { key hosts usage { resourceClass claimed } }
      columns(names: [STATUS, CLAIMS], query: "status:ENABLED") { asOf at names } } }`
    const { fleet } = await ask(FLEET, { at: steps['a reservation'] })
    expect(fleet).toMatchObject({
      asOf: steps['a reservation'],
      hostCount: 2,
      columns: { asOf: steps['a reservation'], names: ['a1', 'a2'] },
    })
    expect(fleet.at).toBe(fleet.columns.at)
    expect(fleet.totals.map(({ key, hosts, usage }: Json) => [key, hosts, usage[0].claimed])).toEqual([
      ['nova', 1, 0],
      ['z1', 1, 2],
    ])
    expect((await ask(FLEET)).fleet).toMatchObject({ hostCount: 3, columns: { names: ['a2', 'b1'] } })
    expect((await ask(FLEET, { at: '0' })).fleet).toMatchObject({ asOf: '0', hostCount: 0, totals: [], columns: { names: [] } })
  })

  test('a time selects the last revision at that time, to the millisecond', async () => {
    const AT = 'query ($at: Moment) { fleet(at: $at) { asOf at } }'
    for (const revision of Object.values(steps)) {
      const { fleet: known } = await ask(AT, { at: revision })
      const by = (offsetMs: number) => ask(AT, { at: new Date(Date.parse(known.at) + offsetMs).toISOString() })
      // several entries can have the same timestamp
      expect(Number((await by(0)).fleet.asOf)).toBeGreaterThanOrEqual(Number(revision))
      expect((await by(0)).fleet.at).toBe(known.at)
      if (Number(revision) > 1) expect(Date.parse((await by(-1)).fleet.at)).toBeLessThan(Date.parse(known.at))
    }
    const { simulate } = await ask('query ($in: SimulateInput!) { simulate(input: $in) { asOf } }', {
      in: { requests: [{ spec: { gantt: { flavor: { vcpus: 1, memoryMb: 1 } } } }], at: (await ask(AT, { at: steps['a rack'] })).fleet.at },
    })
    expect(Number(simulate.asOf)).toBeGreaterThanOrEqual(Number(steps['a rack']))
  })

  test('a page of a past list continues where the previous page ended', async () => {
    const PAGE =
      'query ($at: Moment, $after: String) { hosts(first: 1, at: $at, after: $after) { nodes { name status } pageInfo { endCursor hasNextPage } } }'
    const first = (await ask(PAGE, { at: steps['a reservation'] })).hosts
    const second = (await ask(PAGE, { at: steps['a reservation'], after: first.pageInfo.endCursor })).hosts
    expect([first, second].map(({ nodes, pageInfo }) => [nodes[0].name, nodes[0].status, pageInfo.hasNextPage])).toEqual([
      ['a1', 'ENABLED', true],
      ['a2', 'ENABLED', false],
    ])
  })
})

describe('queries at invalid moments', () => {
  const refusalOf = async (at: unknown) => {
    const answer = await api.ask('query ($at: Moment) { hosts(at: $at) { totalCount } }', { at })
    return [codeOf(answer), answer.errors[0]?.extensions.rule, answer.errors[0]?.message]
  }

  test('a future revision or time is refused, and the message names the last revision or time', async () => {
    const now = Number(await head())
    expect(await refusalOf(String(now + 1))).toEqual([
      ...['GRAPHQL_VALIDATION_FAILED', 'moment.ahead'],
      expect.stringMatching(new RegExp(`at is ${now + 1}; it must be at most \\d+, the last revision`)),
    ])
    expect(await refusalOf('2999-01-01T00:00:00Z')).toEqual([
      ...['GRAPHQL_VALIDATION_FAILED', 'moment.ahead'],
      expect.stringContaining("the store's time now"),
    ])
  })

  test('a time before the first entry is refused, and the message names the first available time', async () => {
    const { fleetLog } = await ask('{ fleetLog { firstAt } }')
    expect(await refusalOf('2001-01-01T00:00:00Z')).toEqual([
      ...['GRAPHQL_VALIDATION_FAILED', 'moment.before_log'],
      `at is "2001-01-01T00:00:00.000Z"; it must be ${fleetLog.firstAt} or later: the log begins there`,
    ])
  })

  test.each(['yesterday', '2026-11-21', '-5', ''])('%j is refused as a moment', async (at) => {
    const [code, , message] = await refusalOf(at)
    expect([code, message]).toEqual(['GRAPHQL_VALIDATION_FAILED', expect.stringContaining('a time such as')])
  })

  test('more than four moments in one call are refused, because each needs a fleet in memory', async () => {
    const asked = [0, 1, 2, 3, 4].map((at) => `f${at}: fleet(at: "${at}") { asOf }`)
    expect(Object.keys(await ask(`{ ${asked.slice(0, 4).join(' ')} again: fleet(at: "0") { asOf } }`))).toHaveLength(5)
    const answer = await api.ask(`{ ${asked.join(' ')} }`)
    expect([codeOf(answer), answer.errors[0]?.message]).toEqual([
      'GRAPHQL_VALIDATION_FAILED',
      expect.stringContaining('one of at most 4 moments in one call'),
    ])
  })

  test('callers that may not read the present may not read the past', async () => {
    const answer = await api.ask('{ hosts(at: "1") { totalCount } }', {}, await api.keyWith('REPORT'))
    expect(codeOf(answer)).toBe('FORBIDDEN')
  })
})
