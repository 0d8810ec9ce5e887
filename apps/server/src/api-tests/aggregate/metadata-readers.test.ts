import { afterAll, beforeAll, expect, test } from 'vitest'
import { dataOf, type Json, startTestService, type TestService } from '../../testing/test-service.ts'

let api: TestService
let uuid: string

const ask = (query: string, variables?: Record<string, unknown>): Promise<Json> => dataOf(api, query, variables)
const METADATA = `query ($uuid: UUID!, $at: Moment) { aggregate(uuid: $uuid, at: $at) {
  metadata { key value isOwn unusedReaders similarKeys readers { kind part key by profiles } } } }`
/**
 * For each metadata key, `named` are the filters and weighers that read exactly this key, and `pattern` those that read it by a pattern.
 */
const readers = async (at: string | null = null): Promise<Record<string, Json>> => {
  const { metadata } = (await ask(METADATA, { uuid, at })).aggregate
  return Object.fromEntries(
    metadata.map(({ key, isOwn, unusedReaders, similarKeys, readers: all }: Json) => [
      key,
      {
        ...{ isOwn, unusedReaders, similarKeys },
        named: all.flatMap(({ part, by, profiles }: Json) => (by === null ? [[part, profiles]] : [])),
        pattern: all.flatMap(({ part, by }: Json) => (by === null ? [] : [[part, by]])),
      },
    ]),
  )
}

beforeAll(async () => {
  api = await startTestService()
  await api.report({ h1: {} })
  const metadata = ['availability_zone', 'availabilty_zone', 'filter_tenant_id', 'ssd'].map((key) => ({ key, value: 'x' }))
  const { aggregateCreate } = await ask(
    'mutation ($in: AggregateCreateInput!) { aggregateCreate(input: $in) { ... on AggregatePayload { aggregate { uuid } } } }',
    { in: { name: 'rack', hosts: ['h1'], metadata } },
  )
  uuid = aggregateCreate.aggregate.uuid
})
afterAll(() => api.close())

test('each key lists the filters and weighers of profiles in use that read it, and a key that nothing reads lists similar keys', async () => {
  const before = await readers()
  expect(before.availability_zone).toMatchObject({ isOwn: true, similarKeys: [], named: [['AvailabilityZoneFilter', ['default@0']]] })
  expect(before.availabilty_zone).toMatchObject({ isOwn: false, similarKeys: ['availability_zone'], named: [] })
  expect(before.filter_tenant_id).toMatchObject({ unusedReaders: ['AggregateMultiTenancyIsolation'], similarKeys: [], named: [] })
  expect(before.ssd.pattern).toContainEqual(['AggregateInstanceExtraSpecsFilter', 'extra specs of flavors'])

  const { asOf } = (await ask('{ fleet { asOf } }')).fleet
  const created = await ask(
    `mutation ($in: ProfileVersionInput!) { profileVersionCreate(profile: "gold", input: $in) { __typename ... on UserError { message } } }`,
    { in: { filters: [{ name: 'AggregateMultiTenancyIsolation' }], weighers: [], note: 'kept apart' } },
  )
  expect(created.profileVersionCreate).not.toHaveProperty('message')
  expect((await readers()).filter_tenant_id).toMatchObject({ unusedReaders: [], named: [['AggregateMultiTenancyIsolation', ['gold@1']]] })
  expect((await readers(asOf)).filter_tenant_id.named).toEqual([])
})

test('the filters and weighers of profiles list the metadata that they can read', async () => {
  const { profileParts } = await ask('{ profileParts { name readsMetadata { key by option } } }')
  const reads = (name: string) => profileParts.find((part: Json) => part.name === name).readsMetadata
  expect(reads('AvailabilityZoneFilter')).toEqual([{ key: 'availability_zone', by: null, option: null }])
  expect(reads('AggregateInstanceExtraSpecsFilter')).toEqual([{ key: '*', by: 'extra specs of flavors', option: null }])
  expect(reads('RAMWeigher')).toEqual([{ key: 'ram_weight_multiplier', by: null, option: 'aggregateMultiplier' }])
  expect(reads('RamFilter')).toEqual([])
})
