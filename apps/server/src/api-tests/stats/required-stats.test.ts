import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf, dataOf, type Json, startTestService, type TestService } from '../../testing/test-service.ts'

let api: TestService
beforeAll(async () => {
  api = await startTestService()
})
afterAll(() => api.close())

const REQUIRED = `query ($profiles: [String!], $host: ResourceNameInput) { requiredStats(profiles: $profiles, host: $host) {
  profiles { profileName number } namespaces { namespace fields { field neededBy { profile part } } omittable } } }`
const required = async (variables: Json = {}): Promise<Json> => (await dataOf(api, REQUIRED, variables)).requiredStats

const REPORT = `mutation ($u: [ResourceStatsInput!]!) { updateResourceStats(input: { updates: $u }) { results { __typename
  ... on ResourceStatsApplied { required { namespaces { namespace fields { field } omittable } } host { stats } }
  ... on ValidationError { issues { path rule message } } } } }`
const incarnation = randomUUID()
let sequence = 0
const full = { vcpus: 8, vcpusUsed: 0, memoryMb: 65_536, memoryMbUsed: 0, localGb: 1_024, localGbUsed: 0 }
const report = async (host: string, more: Json = {}): Promise<Json> =>
  (
    await dataOf(api, REPORT, {
      u: [{ name: { host }, reporter: { incarnation, sequence: ++sequence }, report: { full: { ...full, ...more } } }],
    })
  ).updateResourceStats.results[0]

const CREATE = `mutation ($name: String!, $input: ProfileVersionInput!) { profileVersionCreate(profile: $name, input: $input) { __typename
  ... on ValidationError { issues { path message } } ... on ProfilePayload { version { id collects filters { name reads } weighers { name reads } } } } }`
const ACTIVATE = `mutation ($version: ID!) { profileActivate(version: $version) { __typename } }`
const lean = {
  filters: [{ name: 'ComputeFilter' }, { name: 'TraitsFilter' }],
  weighers: [{ name: 'RAMWeigher', multiplier: 1 }],
  collects: ['CLASSES'],
  note: 'plain machines',
}

const fieldsOf = ({ namespaces }: Json): string[] => namespaces[0].fields.map(({ field }: Json) => field)
const PLACE = `mutation ($gpus: GpuRequestInput) { selectDestinations(input: { idempotencyKey: "${randomUUID()}", spec: { gantt: { flavor: { vcpus: 1, memoryMb: 512 }, gpus: $gpus } } }) { __typename ... on NoValidHost { message } } }`

describe('requiredStats', () => {
  test('requiredStats lists the fields that the default profile reads, their readers, and the fields that may be omitted', async () => {
    const { profiles, namespaces } = await required()
    expect(profiles).toEqual([{ profileName: 'default', number: 0 }])
    expect(namespaces).toHaveLength(1)
    expect(namespaces[0].namespace).toBe('compute')
    expect(namespaces[0].omittable).toEqual(expect.arrayContaining(['HYPERVISOR_TYPE', 'HOST_IP', 'CPU_INFO', 'METRICS', 'FREE_DISK_GB']))
    expect(namespaces[0].omittable).not.toEqual(expect.arrayContaining(['NUM_IO_OPS']))
    const traits = namespaces[0].fields.find(({ field }: Json) => field === 'traits')
    expect(traits.neededBy).toEqual([{ profile: 'default@0', part: 'TraitsFilter' }])
    expect(namespaces[0].fields.find(({ field }: Json) => field === 'localGb').neededBy).not.toEqual([])
  })

  test('requiredStats for a missing profile is refused with its path', async () => {
    const { text } = await api.ask(REQUIRED, { profiles: ['default', 'nobody'] })
    expect(text).toContain('nobody')
    expect(codeOf(await api.ask(REQUIRED, { profiles: ['nobody'] }))).toBe('GRAPHQL_VALIDATION_FAILED')
  })

  test('a profile that needs fewer fields shortens requiredStats and the list in the answer to a report, and omitted fields are shown as unknown', async () => {
    expect((await report('h1', { gpus: [{ index: 0 }], traits: ['A'] })).required.namespaces[0].omittable).not.toContain('GPUS')
    const created = (await dataOf(api, CREATE, { name: 'default', input: lean })).profileVersionCreate
    expect(created).toMatchObject({
      __typename: 'ProfilePayload',
      version: {
        collects: ['CLASSES'],
        filters: [{ reads: [] }, { reads: ['traits'] }],
        weighers: [{ reads: expect.arrayContaining(['memoryMb']) }],
      },
    })
    expect((await dataOf(api, ACTIVATE, { version: created.version.id })).profileActivate.__typename).toBe('ProfilePayload')
    const now = await required()
    expect(now.profiles).toEqual([{ profileName: 'default', number: 1 }])
    expect(fieldsOf(now)).not.toContain('gpus')
    // every claim needs this field, so no filter or weigher is named
    expect(now.namespaces[0].fields.find(({ field }: Json) => field === 'instances').neededBy).toEqual([])
    expect(now.namespaces[0].omittable).toEqual(expect.arrayContaining(['GPUS', 'NUMA_CELLS', 'PCI_POOLS', 'NUM_IO_OPS']))

    const { omittable } = now.namespaces[0]
    const applied = await report('h1', { traits: ['A'], omitted: omittable })
    expect(applied.required.namespaces[0].omittable).toEqual(omittable)
    expect(applied.host.stats).toMatchObject({ version: '1.2', traits: ['A'], gpus: [] })
    expect((await dataOf(api, PLACE, { gpus: { count: 1 } })).selectDestinations).toMatchObject({ __typename: 'NoValidHost' })
    const why = `query { explainPlacement(input: { subject: { spec: { gantt: { flavor: { vcpus: 1, memoryMb: 512 }, gpus: { count: 1 } } } } }) { reasons { code } } }`
    const { text } = await api.ask(why)
    expect(text).toContain('host.not_reported')
  })

  test('requiredStats includes the kinds of resources that claims on the host hold, whatever profiles need', async () => {
    const held = await report('h2', { gpus: [{ index: 0 }] })
    expect(held.required.namespaces[0].omittable).toContain('GPUS')
    const { selectDestinations } = await dataOf(api, PLACE, { gpus: { count: 1 } })
    expect(selectDestinations.__typename).toBe('SelectDestinationsPayload')
    const of = await required({ host: { host: 'h2' } })
    expect(of.namespaces[0].fields.find(({ field }: Json) => field === 'gpus').neededBy).toEqual([{ profile: null, part: 'gpu' }])
    expect((await required()).namespaces[0].omittable).toContain('GPUS')
  })

  test.each([
    ['a key with REPORT alone', {}],
    ['a key bound to the host', { hosts: ['h4'] }],
  ])('with %s the answer to each report lists the required fields, but not their readers', async (_name, bound) => {
    const { secret } = await api.service.keys.create({ name: 'k', account: 'agents', scopes: ['REPORT'], ...bound })
    const updates = () => ({ u: [{ name: { host: 'h4' }, reporter: { incarnation, sequence: ++sequence }, report: { full } }] })
    const mutation = (of: string) => `mutation ($u: [ResourceStatsInput!]!) { updateResourceStats(input: { updates: $u }) { results {
      ... on ResourceStatsApplied { required { ${of} } } } } }`
    const { data, text } = await api.ask(mutation('namespaces { namespace fields { field } omittable }'), updates(), secret)
    const update: Json = data?.updateResourceStats
    expect(update?.results[0].required.namespaces[0]?.namespace, text).toBe('compute')
    for (const of of ['profiles { number }', 'namespaces { fields { neededBy { part } } }'])
      expect((await api.ask(mutation(of), updates(), secret)).text).toContain('FORBIDDEN')
  })

  test.each([
    [{ omitted: ['GPUS', 'GPUS'] }, 'must not name a field twice'],
    [{ omitted: ['GPUS'], gpus: [{ index: 0 }] }, 'it contains gpus'],
    [{ omitted: ['GPUS'], version: '1.1' }, 'not a field'],
  ])('a report that contradicts itself is refused: %j', async (more, says) => {
    const refused = await report('h3', more)
    expect(refused.__typename).toBe('ValidationError')
    expect(JSON.stringify(refused.issues)).toContain(says)
  })
})
