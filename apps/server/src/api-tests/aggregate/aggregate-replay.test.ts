import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeOf, dataOf, type Json, placeWith, startTestService, type TestService } from '../../testing/test-service.ts'

let api: TestService
let uuid: string
const decided: Json[] = []

beforeAll(async () => {
  api = await startTestService()
  await api.report({ one: { memoryMb: 65_536 }, two: { memoryMb: 32_768 } })
  const { aggregateCreate } = await dataOf(
    api,
    'mutation ($in: AggregateCreateInput!) { aggregateCreate(input: $in) { ... on AggregatePayload { replay { sampled } aggregate { uuid } } } }',
    { in: { name: 'fast', hosts: ['one'], metadata: [{ key: 'ssd', value: 'true' }] } },
  )
  // the replay is null, because only a dry run has a replay
  expect(aggregateCreate.replay).toBeNull()
  uuid = aggregateCreate.aggregate.uuid
  const ask = async (name: string, ...extraSpecs: readonly Json[]) =>
    decided.push(await placeWith(api, {}, { flavor: { name, vcpus: 1, memoryMb: 1_024, extraSpecs } }))
  await ask('m1.ssd', { key: 'aggregate_instance_extra_specs:ssd', value: 'true' })
  await ask('m1.plain')
  await ask('m1.nvme', { key: 'aggregate_instance_extra_specs:ssd', value: 'nvme' })
})
afterAll(async () => {
  expect(api.warnings).toEqual([])
  await api.close()
})

const PREVIEW = `mutation ($u: UUID!, $v: Int!, $in: AggregateUpdateInput!, $dry: Boolean!, $sample: Int, $deadline: Duration) {
  aggregateUpdate(uuid: $u, ifVersion: $v, input: $in, dryRun: $dry) { __typename ... on AggregatePayload { replay(sample: $sample, deadline: $deadline) {
    asOf drawn sampled outOfTime notReplayable unreadable newFailures newPlacements elsewhere
    otherwise { kind hostsBefore hostsAfter because decision { id } } room { flavor before after exact zones { zone before after } } } } } }`

const preview = (input: Json, more: Json = {}): Promise<Json> =>
  dataOf(api, PREVIEW, { u: uuid, v: 1, in: input, dry: true, ...more }).then(({ aggregateUpdate }: Json) => aggregateUpdate.replay)

test('a dry run of an edit without effect reports that it changes nothing', async () => {
  expect(await preview({ setMetadata: [{ key: 'rack', value: 'r1' }] })).toMatchObject({
    drawn: 3,
    sampled: 3,
    outOfTime: 0,
    notReplayable: 0,
    unreadable: 0,
    newFailures: 0,
    newPlacements: 0,
    elsewhere: 0,
    otherwise: [],
  })
})

test('a dry run lists the requests that would newly fail or find a host, and the capacity for each flavor before and after the edit', async () => {
  const found = await preview({ setMetadata: [{ key: 'ssd', value: 'nvme' }] })
  expect(found).toMatchObject({ sampled: 3, newFailures: 1, newPlacements: 1, elsewhere: 0 })
  const [failing, placed] = found.otherwise
  expect(failing).toMatchObject({ kind: 'NEW_FAILURE', hostsBefore: ['one'], hostsAfter: [], decision: { id: decided[0].decision.id } })
  expect(failing.because).toBe('There is no host in aggregates with ssd = true.')
  expect(placed).toMatchObject({ kind: 'NEW_PLACEMENT', hostsBefore: [], hostsAfter: ['one'], decision: { id: decided[2].decision.id } })
  const roomOf = (flavor: string): Json => found.room.find((one: Json) => one.flavor === flavor)
  const room = roomOf('m1.ssd').before
  expect(room).toBeGreaterThan(0)
  expect(roomOf('m1.ssd')).toMatchObject({ flavor: 'm1.ssd', before: room, after: 0, exact: true })
  expect(roomOf('m1.nvme')).toMatchObject({ flavor: 'm1.nvme', before: 0, after: room, exact: true })
  expect(roomOf('m1.plain').after).toBe(roomOf('m1.plain').before)
  // the dry run changed nothing
  const { aggregate } = await dataOf(api, 'query ($u: UUID!) { aggregate(uuid: $u) { version metadata { value } } }', { u: uuid })
  expect(aggregate).toEqual({ version: 1, metadata: [{ value: 'true' }] })
})

test('the capacity for a flavor is reported by zone, and moves with a host to another zone', async () => {
  const found = await preview({ availabilityZone: 'z9' })
  const { before, after, zones } = found.room.find((one: Json) => one.flavor === 'm1.plain')
  expect(after).toBe(before)
  const [most, ...others] = zones
  expect([most.zone, others.map(({ zone }: Json) => zone)]).toEqual(['nova', ['z9']])
  expect(most.before).toBe(before)
  expect(others[0]).toEqual({ zone: 'z9', before: 0, after: before - most.after })
})

test('if hosts leave an aggregate, requests that require the aggregate go to other hosts or fail', async () => {
  const found = await preview({ removeHosts: ['one'], addHosts: ['two'] })
  expect(found).toMatchObject({ newFailures: 0, elsewhere: 1 })
  expect(found.otherwise[0]).toMatchObject({ kind: 'ELSEWHERE', hostsBefore: ['one'], hostsAfter: ['two'] })
})

test('a sample contains the last requests, and a sample size out of range is refused', async () => {
  expect(await preview({ setMetadata: [{ key: 'ssd', value: 'nvme' }] }, { sample: 1 })).toMatchObject({
    drawn: 1,
    sampled: 1,
    newFailures: 0,
    newPlacements: 1,
  })
  for (const more of [{ sample: 0 }, { sample: 1_001 }, { deadline: 'PT31S' }])
    expect(codeOf(await api.ask(PREVIEW, { u: uuid, v: 1, in: {}, dry: true, ...more }))).toBe('GRAPHQL_VALIDATION_FAILED')
})
