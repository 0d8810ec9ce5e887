import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answer, dataOf, type Json, startTestService, type TestService } from '../../testing/test-service.ts'

let api: TestService
let agent: string

beforeAll(async () => {
  api = await startTestService()
  await api.report({ 'host-1': {}, 'host-2': {} })
  agent = (await api.service.keys.create({ name: 'k', account: 'agents', scopes: ['REPORT'], hosts: ['host-1'] })).secret
})
afterAll(async () => {
  expect(api.warnings).toEqual([])
  await api.close()
})

const PLACE = `mutation ($in: SelectDestinationsInput!) { selectDestinations(input: $in) { __typename
  ... on SelectDestinationsPayload { destinations { selected { host { name } } } } ... on NoValidHost { message } } }`

/** The value of a root field. If the answer has no data, throws an error with the whole answer. */
const rootOf = ({ data, text }: Answer, name: string): Json => {
  if (!data) throw new Error(text)
  return data[name]
}

describe('a key bound to hosts does not change what other hosts can use', () => {
  const REPORT = `mutation ($updates: [ResourceStatsInput!]!) { updateResourceStats(input: { updates: $updates }) { appliedCount
    results { __typename ... on ValidationError { code message path issues { path rule } } } } }`
  const pool = '70000000-0000-4000-8000-0000000000a1'
  const volume = '70000000-0000-4000-8000-0000000000a2'
  const port = '70000000-0000-4000-8000-0000000000a3'
  const documents = {
    storage: { pools: [{ uuid: pool, name: 'ceph', distance: 0, totalGib: 1 }], volumes: [{ uuid: volume, pool }] },
    network: { physicalNetworks: [], ports: [{ uuid: port, physicalNetwork: 'nowhere', here: true }] },
    attestation: { trust_lvl: 'trusted' },
  }
  const under = (host: string, namespace: string, document: unknown, incarnation: string) => ({
    name: { host },
    reporter: { incarnation, sequence: 1 },
    report: { namespace: { namespace, version: '1.0', document } },
  })
  const send = async (key: string, ...updates: readonly unknown[]): Promise<Json> =>
    rootOf(await api.ask(REPORT, { updates }, key), 'updateResourceStats')

  test.each([
    ['storage', documents.storage],
    ['storage', { pools: [] }],
    ['network', documents.network],
    ['network', { physicalNetworks: [] }],
  ] as const)('its report of %s is refused, whatever the document has: %j', async (namespace, document) => {
    const { appliedCount, results } = await send(
      agent,
      under('host-2', namespace, document, randomUUID()),
      under('host-1', namespace, document, randomUUID()),
      under('host-1', 'attestation', documents.attestation, randomUUID()),
    )
    const path = ['input', 'updates', '1', 'report', 'namespace', 'namespace']
    expect(appliedCount).toBe(1)
    expect(results).toMatchObject([
      { code: 'FORBIDDEN', path: ['input', 'updates', '0', 'name', 'host'], issues: [{ rule: 'key.bound' }] },
      { code: 'FORBIDDEN', path, issues: [{ path, rule: 'key.bound' }] },
      { __typename: 'ResourceStatsApplied' },
    ])
    expect(results[1].message).toContain('report it with a key that is not bound')
    const held = await dataOf(api, `{ host(name: "host-1") { namespace(name: "${namespace}") { version } } }`)
    expect(held.host.namespace).toBeNull()
  })

  test('a pool keeps the space that another key reported', async () => {
    const storage = { pools: [{ uuid: pool, name: 'ceph', totalGib: 1_000 }], volumes: [{ uuid: volume, pool }] }
    const unbound = await api.keyWith('REPORT')
    expect((await send(unbound, under('host-2', 'storage', storage, randomUUID()))).appliedCount).toBe(1)
    const used = { name: 'shared', hosts: ['host-2'], metadata: [{ key: 'gantt:disk_pool', value: pool }] }
    await api.ask('mutation ($in: AggregateCreateInput!) { aggregateCreate(input: $in) { __typename } }', { in: used })
    expect((await send(agent, under('host-1', 'storage', documents.storage, randomUUID()))).appliedCount).toBe(0)
    const spec = { gantt: { forceHosts: ['host-2'], flavor: { vcpus: 1, memoryMb: 64, rootGb: 10 } } }
    const placed = rootOf(await api.ask(PLACE, { in: { idempotencyKey: randomUUID(), spec } }), 'selectDestinations')
    expect(placed).toMatchObject({ destinations: [{ selected: { host: { name: 'host-2' } } }] })
  })
})
