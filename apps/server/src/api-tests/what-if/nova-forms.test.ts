import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataOf, type Json, startTestService, type TestService } from '../../testing/test-service.ts'

let api: TestService
beforeAll(async () => {
  api = await startTestService()
  await api.report({ w1: { memoryMb: 4_096, traits: ['CUSTOM_W'] }, w2: {} })
})
afterAll(async () => {
  expect(api.warnings).toEqual([])
  await api.close()
})

const wire = (name: string, version: string, data: Json): Json => ({
  'nova_object.name': name,
  'nova_object.namespace': 'nova',
  'nova_object.version': version,
  'nova_object.data': data,
})
const size = { name: 'm1', vcpus: 1, memory_mb: 8_192, root_gb: 1, ephemeral_gb: 0, swap: 0, extra_specs: {} }
const image = wire('ImageMeta', '1.8', { id: 'i', properties: wire('ImageMetaProps', '1.34', { traits_required: ['CUSTOM_W'] }) })
const spec = (data: Json = {}) => wire('RequestSpec', '1.14', { flavor: wire('Flavor', '1.2', size), image, num_instances: 1, ...data })
const uuids = [1, 2, 3].map((number) => `00000000-0000-4000-8000-00000000000${number}`)
const legacy = {
  request_spec: {
    ...{ instance_properties: { uuid: uuids[0], project_id: 'p' }, instance_type: size, num_instances: 1 },
    image: { id: 'i', properties: { 'trait:CUSTOM_W': 'required' } },
  },
  filter_properties: {},
}

const wouldFit = async (input: Json): Promise<Json> =>
  (
    await dataOf(
      api,
      'query ($in: WhatWouldFitInput!) { whatWouldFit(input: $in) { fits counterfactuals { text exampleHosts { hostName } simulation } } }',
      { in: { profile: 'nova-compat', kinds: ['REQUEST'], ...input } },
    )
  ).whatWouldFit
const simulate = async (input: Json): Promise<Json> =>
  (await dataOf(api, 'query ($in: SimulateInput!) { simulate(input: $in) { placed failed } }', { in: input })).simulate

describe('proposals for a request in Nova’s form', () => {
  test.each<[what: string, given: Json]>([
    ['a RequestSpec', { nova: spec() }],
    ['dictionaries', { legacy }],
  ])('%s: the proposals keep the trait of the image, stay in Nova’s form, and are placed when they are simulated', async (_what, given) => {
    const { fits, counterfactuals } = await wouldFit({ spec: given })
    expect([fits, counterfactuals[0]?.text]).toEqual([false, 'request: memory 8192 MiB -> 4096 MiB: unlocks 1 host (w1)'])
    for (const { text, simulation } of counterfactuals) {
      expect([text, Object.keys(simulation.requests[0].spec)]).toEqual([text, Object.keys(given)])
      expect([text, await simulate(simulation)]).toEqual([text, { placed: 1, failed: 0 }])
    }
  })

  test('a proposal contains the uuids that Nova sends in addition to a RequestSpec', async () => {
    const { counterfactuals } = await wouldFit({ spec: { nova: { spec: spec(), instance_uuids: uuids } } })
    expect(counterfactuals.length).toBeGreaterThan(0)
    for (const { text, simulation } of counterfactuals) {
      // a proposal for one instance has no list of uuids
      const { instance_uuids: named = uuids.slice(0, 1) } = simulation.requests[0].spec.nova
      expect([text, uuids.slice(0, named.length)]).toEqual([text, named])
      expect([text, await simulate(simulation)]).toEqual([text, { placed: named.length, failed: 0 }])
    }
  })
})
