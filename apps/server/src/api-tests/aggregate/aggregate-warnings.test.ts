import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeOf, dataOf, type Json, placeWith, startTestService, type TestService } from '../../testing/test-service.ts'

let api: TestService
let fast: string
let zone: string

const CREATE =
  'mutation ($in: AggregateCreateInput!) { aggregateCreate(input: $in) { ... on AggregatePayload { warnings { asked } aggregate { uuid } } } }'

async function gather(name: string, hosts: readonly string[], metadata: readonly Json[]): Promise<string> {
  const { aggregateCreate } = await dataOf(api, CREATE, { in: { name, hosts, metadata } })
  // the warnings are null, because only a dry run has warnings
  expect(aggregateCreate.warnings).toBeNull()
  return aggregateCreate.aggregate.uuid
}

async function claim(name: string, gantt: Json, extraSpecs: readonly Json[] = []): Promise<void> {
  const placed = await placeWith(api, {}, { flavor: { name, vcpus: 8, memoryMb: 1_024, extraSpecs }, ...gantt })
  expect(placed.__typename).toBe('SelectDestinationsPayload')
}

beforeAll(async () => {
  api = await startTestService()
  await api.report({ one: { cpuAllocationRatio: 1 }, two: { cpuAllocationRatio: 1 } })
  fast = await gather('fast', ['one'], [{ key: 'ssd', value: 'true' }])
  zone = await gather('zone', ['two'], [{ key: 'availability_zone', value: 'z2' }])
  const ssd = [{ key: 'aggregate_instance_extra_specs:ssd', value: 'true' }]
  // these two claims together fill the host; an edit of the aggregate affects both, and its warning counts both
  await claim('m1.ssd', {}, ssd)
  await claim('m1.ssd', {}, ssd)
  await claim('m1.zoned', { availabilityZone: 'z2' })
  await claim('m1.plain', {})
})
afterAll(async () => {
  expect(api.warnings).toEqual([])
  await api.close()
})

const PREVIEW = `mutation ($u: UUID!, $v: Int!, $in: AggregateUpdateInput!, $deadline: Duration) {
  aggregateUpdate(uuid: $u, ifVersion: $v, input: $in, dryRun: true) { ... on AggregatePayload {
    warnings(deadline: $deadline) { claims asked outOfTime notAskable refused hosts told { code filter host node claims text } } } } }`

const warningsOf = (u: string, input: Json): Promise<Json> =>
  dataOf(api, PREVIEW, { u, v: 1, in: input }).then(({ aggregateUpdate }: Json) => aggregateUpdate.warnings)

test('if an edit changes a key that instances of a host need, the warning has the count of claims, the filter and the reason', async () => {
  const found = await warningsOf(fast, { setMetadata: [{ key: 'ssd', value: 'nvme' }] })
  expect(found).toMatchObject({ claims: 2, asked: 2, outOfTime: 0, notAskable: 0, refused: 2, hosts: 1 })
  expect(found.told).toEqual([
    {
      code: 'aggregate.extra_spec',
      filter: 'AggregateInstanceExtraSpecsFilter',
      host: 'one',
      node: 'one',
      claims: 2,
      text: expect.stringMatching(
        /^one holds 2 claims of instances that AggregateInstanceExtraSpecsFilter would refuse there after the edit\. .+ssd.+\.$/,
      ),
    },
  ])
})

test('if a host leaves an aggregate, only instances that require the aggregate cause warnings', async () => {
  const found = await warningsOf(zone, { removeHosts: ['two'] })
  expect(found).toMatchObject({ claims: 2, asked: 2, refused: 1, hosts: 1 })
  expect(found.told).toMatchObject([{ code: 'zone.other', host: 'two', claims: 1 }])
})

test('a full host whose instances still meet their requests causes no warning', async () => {
  const found = await warningsOf(fast, { setMetadata: [{ key: 'rack', value: 'r1' }] })
  expect(found).toMatchObject({ claims: 2, asked: 2, refused: 0, hosts: 0, told: [] })
})

test('an edit that affects no claim checks none, and a deadline out of range is refused', async () => {
  expect(await warningsOf(fast, { name: 'faster' })).toMatchObject({ claims: 0, asked: 0 })
  expect(codeOf(await api.ask(PREVIEW, { u: fast, v: 1, in: {}, deadline: 'PT31S' }))).toBe('GRAPHQL_VALIDATION_FAILED')
})

test('removing an aggregate and adding a host to an aggregate cause warnings', async () => {
  const { aggregateDelete } = await dataOf(
    api,
    `mutation ($u: UUID!) { aggregateDelete(uuid: $u, ifVersion: 1, dryRun: true) { ... on AggregatePayload { warnings { refused told { host code } } } } }`,
    { u: fast },
  )
  expect(aggregateDelete.warnings).toEqual({ refused: 2, told: [{ host: 'one', code: 'aggregate.extra_spec' }] })
})
