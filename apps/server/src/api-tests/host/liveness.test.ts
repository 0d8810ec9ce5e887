import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { LivenessSettings } from '../../config.ts'
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.ts'
import { dataOf, type Json, placeWith, startTestService, type TestService } from '../../testing/test-service.ts'

// These tests run whole services with GANTT_LIVENESS=reports. Instead of waiting, the tests move the times in the table `lease` into the
// past.

const SETTINGS = { source: 'reports', suspectAfterMs: 60_000, downAfterMs: 180_000 } satisfies LivenessSettings

let database: TestDatabase
let store: pg.Client
const services: TestService[] = []

beforeAll(async () => {
  database = await createTestDatabase()
  store = new pg.Client(database.connection)
  await store.connect()
})
afterEach(async () => {
  for (const service of services.splice(0)) await service.close()
})
afterAll(async () => {
  await store.end()
  await database.drop()
})

/** A replica that checks the hosts only when the test triggers it. */
async function startReplica(settings: LivenessSettings = SETTINGS): Promise<TestService> {
  const service = await startTestService({ database, liveness: { ...settings, checkIntervalMs: 0 } })
  services.push(service)
  return service
}

const look = (api: TestService): Promise<void> => api.service.watcher.look()

/**
 * Moves the signs of life of all hosts except `heard` into the past, by this many seconds. With `listened`, the tables
 * show that the replicas read signs of life during this time.
 */
async function pass(seconds: number, { heard = [], listened = true }: { heard?: readonly string[]; listened?: boolean } = {}) {
  await store.query('UPDATE lease SET heard_at_ms = heard_at_ms - $1 WHERE host <> ALL ($2)', [1_000 * seconds, heard])
  // on a busy machine, time can have passed since the last check; if `listened` is true, this time must not appear as a time without
  // reading
  await store.query(
    `UPDATE liveness_watch SET since_ms = since_ms - $1,
       until_ms = CASE WHEN $2 THEN (extract(epoch FROM clock_timestamp()) * 1000)::bigint ELSE until_ms - $1 END`,
    [1_000 * seconds, listened],
  )
}

/** Reports hosts, and checks the liveness of all hosts. */
async function report(api: TestService, names: readonly string[]): Promise<void> {
  await api.report(Object.fromEntries(names.map((name) => [name, {}])))
  await look(api)
}
const named = (prefix: string, count: number): string[] => Array.from({ length: count }, (_, i) => `${prefix}-${i + 1}`)

async function everyHost(): Promise<string[]> {
  const { rows } = await store.query<{ host: string }>('SELECT host FROM lease')
  return rows.map(({ host }) => host)
}
const allBut = async (...silent: readonly string[]): Promise<string[]> => (await everyHost()).filter((host) => !silent.includes(host))

const HOSTS = 'query { hosts(first: 500) { nodes { name state stateReason } } }'
async function statesOf(api: TestService, names: readonly string[]): Promise<string[]> {
  const { hosts } = await dataOf(api, HOSTS)
  return names.map((name) => hosts.nodes.find((host: Json) => host.name === name)?.state)
}
const reasonOf = async (api: TestService, name: string): Promise<string | null> =>
  (await dataOf(api, HOSTS)).hosts.nodes.find((host: Json) => host.name === name)?.stateReason

interface Logged {
  readonly writer: string
  readonly host: string
  readonly state: string
}

/** All changes of these hosts' liveness in the log, in order. */
async function loggedOf(names: readonly string[]): Promise<Logged[]> {
  const { rows } = await store.query<{ writer: string; body: string }>('SELECT writer, body FROM log ORDER BY revision')
  return rows.flatMap(({ writer, body }) =>
    JSON.parse(body).changes.flatMap(({ type, host, state }: Json) =>
      type === 'liveness' && names.includes(host) ? [{ writer, host, state }] : [],
    ),
  )
}

const LIVENESS = '{ liveness { source suspectAfter downAfter up suspect down withheld { name } warning } }'
const livenessOf = async (api: TestService): Promise<Json> => (await dataOf(api, LIVENESS)).liveness
const beat = async (api: TestService, names: readonly string[]): Promise<Json> =>
  (
    await dataOf(api, 'mutation ($hosts: [ResourceNameInput!]!) { hostHeartbeat(hosts: $hosts) { heard unknown } }', {
      hosts: names.map((host) => ({ host })),
    })
  ).hostHeartbeat
const CONFIRM = `mutation ($hosts: [ResourceNameInput!]!) { livenessConfirm(hosts: $hosts, reason: "the rack has no power") { __typename
  ... on LivenessConfirmPayload { hosts { name state } } ... on UserError { message } } }`
const confirm = async (api: TestService, names: readonly string[]): Promise<Json> =>
  (await dataOf(api, CONFIRM, { hosts: names.map((host) => ({ host })) })).livenessConfirm
const claimOf = (placed: Json): Json => placed.destinations[0].selected.claim
const claimState = async (api: TestService, id: string): Promise<string> =>
  (await dataOf(api, 'query ($id: ID!) { claim(id: $id) { state } }', { id })).claim.state

describe('the liveness of one host', () => {
  test('a silent host becomes SUSPECT and is still selected, then DOWN and refused with the time of its last sign; its claim stays, and a heartbeat or report makes it UP', async () => {
    const api = await startReplica()
    const [silent = '', ...others] = named('one', 6)
    await report(api, [silent, ...others])
    const claim = claimOf(await placeWith(api, { claim: { mode: 'CONFIRM' } }, { forceHosts: [silent] }))

    await pass(61, { heard: others })
    await look(api)
    expect(await statesOf(api, [silent, ...others])).toEqual(['SUSPECT', 'UP', 'UP', 'UP', 'UP', 'UP'])
    expect(await reasonOf(api, silent)).toMatch(/^silent since 20\S+Z, longer than 60 s \(source reports\)$/)
    expect(await placeWith(api, {}, { forceHosts: [silent] })).toMatchObject({ __typename: 'SelectDestinationsPayload' })

    await pass(120, { heard: others })
    await look(api)
    const refused = await placeWith(api, {}, { forceHosts: [silent] })
    expect(refused.reasons).toContainEqual({
      filter: 'ComputeFilter',
      code: 'host.down',
      hosts: 1,
      text: expect.stringMatching(/^The host is DOWN: silent since 20\S+Z, longer than 180 s \(source reports\)\.$/),
    })
    expect(await claimState(api, claim.id)).toBe('CONFIRMED')

    expect(await beat(api, [silent, 'nobody'])).toEqual({ heard: 1, unknown: ['nobody'] })
    expect([await statesOf(api, [silent]), await reasonOf(api, silent)]).toEqual([['UP'], null])
    expect(await placeWith(api, {}, { forceHosts: [silent] })).toMatchObject({ __typename: 'SelectDestinationsPayload' })
    await look(api)
    for (const seconds of [61, 120]) {
      await pass(seconds, { heard: others })
      await look(api)
    }
    expect(await statesOf(api, [silent])).toEqual(['DOWN'])
    await api.report({ [silent]: {} })
    expect(await statesOf(api, [silent])).toEqual(['UP'])
    expect((await loggedOf([silent])).map(({ state }) => state)).toEqual(['SUSPECT', 'DOWN', 'UP', 'SUSPECT', 'DOWN', 'UP'])
    expect(api.warnings).toEqual([])
  })

  test('a host that is not silent cannot be confirmed to be down, and neither can a missing host', async () => {
    const api = await startReplica()
    await report(api, ['alive'])
    expect(await confirm(api, ['alive'])).toMatchObject({ __typename: 'ValidationError', message: expect.stringContaining('SUSPECT') })
    expect(await confirm(api, ['nobody'])).toMatchObject({ __typename: 'NotFound' })
  })
})

describe('many hosts become silent at once', () => {
  test('a whole rack that becomes silent stays SUSPECT with a warning and its claims until an operator confirms that it is down', async () => {
    const api = await startReplica()
    const rack = named('rack', 3)
    await report(api, [...rack, ...named('beside', 9)])
    await dataOf(
      api,
      'mutation ($hosts: [String!]!) { aggregateCreate(input: { name: "r7", hosts: $hosts, metadata: [{ key: "rack", value: "r7" }] }) { __typename } }',
      { hosts: rack },
    )
    const claim = claimOf(await placeWith(api, { claim: { mode: 'CONFIRM' } }, { forceHosts: rack }))
    const others = await allBut(...rack)
    for (const seconds of [61, 120, 3_600]) {
      await pass(seconds, { heard: others })
      await look(api)
    }
    expect(await statesOf(api, rack)).toEqual(['SUSPECT', 'SUSPECT', 'SUSPECT'])
    const view = await livenessOf(api)
    expect(view).toMatchObject({ source: 'reports', suspectAfter: 'PT1M', downAfter: 'PT3M', suspect: 3, down: 0 })
    expect(view.withheld.map(({ name }: Json) => name)).toEqual(rack)
    expect(view.warning).toContain('All of rack r7 fell silent at once')
    expect(api.warnings).toEqual([view.warning])
    expect(await claimState(api, claim.id)).toBe('CONFIRMED')

    expect(await confirm(api, rack)).toEqual({
      __typename: 'LivenessConfirmPayload',
      hosts: rack.map((name) => ({ name, state: 'DOWN' })),
    })
    expect(await livenessOf(api)).toMatchObject({ suspect: 0, down: 3, withheld: [], warning: null })
    const refused = await placeWith(api, {}, { forceHosts: rack })
    expect(refused.reasons.map(({ text }: Json) => text)).toContainEqual(
      expect.stringMatching(/^The host is DOWN: the rack has no power; silent since 20\S+Z, longer than 60 s \(source reports\)\.$/),
    )
    expect(await claimState(api, claim.id)).toBe('CONFIRMED')
    await beat(api, rack)
    expect(await statesOf(api, rack)).toEqual(['UP', 'UP', 'UP'])
  })

  test('a source that is suddenly empty makes no host DOWN', async () => {
    const api = await startReplica()
    await report(api, named('empty', 3))
    const hosts = await everyHost()
    for (const seconds of [61, 120, 3_600]) {
      await pass(seconds)
      await look(api)
    }
    expect(new Set(await statesOf(api, hosts))).toEqual(new Set(['SUSPECT']))
    expect((await livenessOf(api)).withheld).toHaveLength(hosts.length)
    await beat(api, hosts)
    expect(new Set(await statesOf(api, hosts))).toEqual(new Set(['UP']))
  })

  test('a deleted table of leases makes no host DOWN', async () => {
    const api = await startReplica({ ...SETTINGS, suspectAfterMs: 1, downAfterMs: 2 })
    await report(api, named('wiped', 3))
    const hosts = await everyHost()
    // simulates that a replica has read signs of life all the time and found none
    await store.query('DELETE FROM lease')
    await store.query('UPDATE liveness_watch SET since_ms = 0, until_ms = until_ms + 3600000')
    await look(api)
    await look(api)
    expect(new Set(await statesOf(api, hosts))).toEqual(new Set(['SUSPECT']))
    await store.query('UPDATE liveness_watch SET until_ms = until_ms - 3600000')
    await beat(api, hosts)
  })
})

describe('several replicas that check the liveness of hosts', () => {
  let hosts: string[]
  let silent: string
  beforeEach(() => {
    hosts = named(`replicas-${randomUUID().slice(0, 8)}`, 6)
    silent = hosts[0] ?? ''
  })

  test('replicas that check at the same time write the result once; if one replica ends, the other continues', async () => {
    const [first, second] = [await startReplica(), await startReplica()]
    await report(first, hosts)
    const others = await allBut(silent)
    await pass(61, { heard: others })
    await Promise.all([look(first), look(second), look(first), look(second)])
    await Promise.all([look(second), look(first)])
    expect((await loggedOf([silent])).map(({ state }) => state)).toEqual(['SUSPECT'])

    await first.close()
    services.splice(services.indexOf(first), 1)
    await pass(120, { heard: others })
    await look(second)
    expect(await statesOf(second, [silent])).toEqual(['DOWN'])
    const writers = await store.query<{ writer: string }>('SELECT writer FROM log ORDER BY revision DESC LIMIT 1')
    expect((await loggedOf([silent])).at(-1)).toEqual({ writer: writers.rows[0]?.writer, host: silent, state: 'DOWN' })
    // a host that sends its heartbeat to a third replica is UP on every replica
    const third = await startReplica()
    await beat(third, [silent])
    await look(second)
    expect(await statesOf(second, [silent])).toEqual(['UP'])
  })

  test('if the replica that evaluates the leases ends, the other replica evaluates them', async () => {
    const [first, second] = [await startReplica(), await startReplica()]
    await report(first, hosts)
    await pass(61, { heard: await allBut(silent) })
    // simulates a check that hangs: its session holds the lock until the session ends
    const lock = new pg.Client(database.connection)
    lock.on('error', () => undefined)
    await lock.connect()
    const { rows } = await lock
      .query<{ pid: number }>(`BEGIN; SELECT pg_advisory_xact_lock(${0x67616e82}), pg_backend_pid() AS pid`)
      .then((results: Json) => results[1])
    await look(second)
    expect(await statesOf(second, [silent])).toEqual(['UP'])
    await store.query('SELECT pg_terminate_backend($1, 5000)', [rows[0]?.pid])
    await look(second)
    expect(await statesOf(second, [silent])).toEqual(['SUSPECT'])
  })

  test('if all replicas were stopped for an hour, no host becomes DOWN', async () => {
    const first = await startReplica()
    await report(first, hosts)
    await pass(61, { heard: await allBut(silent) })
    await look(first)
    await first.close()
    services.splice(services.indexOf(first), 1)
    await pass(3_600, { listened: false })
    const again = await startReplica()
    await look(again)
    await look(again)
    expect(await statesOf(again, hosts)).toEqual(['SUSPECT', 'UP', 'UP', 'UP', 'UP', 'UP'])
    // signs of life have been read since the restart, so a host that stays silent becomes DOWN
    await pass(181, { heard: await allBut(silent) })
    await beat(again, await allBut(silent))
    await look(again)
    expect(await statesOf(again, hosts)).toEqual(['DOWN', 'UP', 'UP', 'UP', 'UP', 'UP'])
  })
})

test('with GANTT_LIVENESS=static, no host can be confirmed to be down, because it would be UP again at the next check', async () => {
  const [name = ''] = named('static', 1)
  const api = await startReplica()
  await report(api, [name])
  await pass(61, { heard: await allBut(name) })
  await look(api)
  expect(await statesOf(api, [name])).toEqual(['SUSPECT'])
  await api.close()
  services.splice(services.indexOf(api), 1)
  const always = await startReplica({ ...SETTINGS, source: 'static' })
  const answer = await confirm(always, [name])
  expect(answer).toMatchObject({ __typename: 'ValidationError', message: expect.stringContaining('hostSetStatus') })
  await look(always)
  expect(await statesOf(always, [name])).toEqual(['UP'])
})
