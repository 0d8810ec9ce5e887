import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataOf, type Json, startTestService, type TestService } from '../../testing/test-service.ts'

let api: TestService
beforeAll(async () => {
  api = await startTestService()
  await api.report({ a: {}, b: { memoryMb: 1_024 } })
})
afterAll(() => api.close())

const instance = '00000000-0000-4000-8000-000000000005'
const wire = (name: string, version: string, data: Json): Json => ({
  'nova_object.name': name,
  'nova_object.namespace': 'nova',
  'nova_object.version': version,
  'nova_object.data': data,
})
const size = { name: 'm1', vcpus: 1, memory_mb: 4_096, root_gb: 1, ephemeral_gb: 0, swap: 0, extra_specs: {} }
const forms: Readonly<Record<string, Json>> = {
  typed: { gantt: { flavor: { vcpus: 1, memoryMb: 4_096 }, instanceUuids: [instance] } },
  RequestSpec: {
    nova: wire('RequestSpec', '1.14', { flavor: wire('Flavor', '1.2', size), num_instances: 1, instance_uuid: instance }),
  },
  dictionaries: {
    legacy: {
      request_spec: {
        ...{ instance_properties: { uuid: instance, project_id: null }, instance_type: size, num_instances: 1, image: {} },
        instance_uuids: [instance],
      },
      filter_properties: {},
    },
  },
}

const SELECT = `mutation ($in: SelectDestinationsInput!) { selectDestinations(input: $in) { __typename
  ... on SelectDestinationsPayload { destinations { selected { host { name } claim { id fence } } } }
  ... on NoValidHost { decision { id } } ... on UserError { message } } }`
const FIT = `query ($in: WhatWouldFitInput!) { whatWouldFit(input: $in) { headline
  counterfactuals { text exampleHosts { hostName } simulation } } }`
const SIMULATE = 'query ($in: SimulateInput!) { simulate(input: $in) { placed failed } }'

const select = async (input: Json): Promise<Json> =>
  (await dataOf(api, SELECT, { in: { idempotencyKey: randomUUID(), ...input } })).selectDestinations

describe.each(Object.entries(forms))('a refused move, %s', (_form, spec) => {
  test.each(['LIVE_MIGRATE', 'COLD_MIGRATE', 'EVACUATE'])(
    '%s: no proposal leaves the instance on the host that it must leave',
    async (intent) => {
      const profile = 'nova-compat'
      const placed = await select({ spec, profile, claim: { mode: 'CONFIRM' } })
      const [{ selected }] = placed.destinations
      expect(selected.host.name).toBe('a')
      const moveOf = { id: selected.claim.id, fence: selected.claim.fence }
      const refused = await select({ spec, profile, intent, moveOf })
      expect(refused.__typename).toBe('NoValidHost')
      const { headline, counterfactuals } = (await dataOf(api, FIT, { in: { decisionId: refused.decision.id } })).whatWouldFit
      expect(headline).toContain('memory')
      expect(counterfactuals.length).toBeGreaterThan(1)
      for (const { text, exampleHosts, simulation } of counterfactuals) {
        expect([text, text.includes('hosts to ignore'), exampleHosts.map(({ hostName }: Json) => hostName).includes('a')]).toEqual([
          text,
          false,
          false,
        ])
        const { requests, profile: by, at, seed, ...changes } = simulation
        expect([text, (await dataOf(api, SIMULATE, { in: simulation })).simulate]).toEqual([text, { placed: 1, failed: 0 }])
        // without the change of the fleet or the profile, the simulated request is refused, as the move was
        if (Object.keys(changes).length > 0)
          expect([text, (await dataOf(api, SIMULATE, { in: { requests, profile: by, at, seed } })).simulate]).toEqual([
            text,
            { placed: 0, failed: 1 },
          ])
      }
      await dataOf(api, 'mutation ($c: [ClaimRef!]!) { claimRelease(claims: $c) { __typename } }', { c: [moveOf] })
    },
  )
})
