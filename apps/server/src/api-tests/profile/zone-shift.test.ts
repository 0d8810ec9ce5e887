import { afterAll, beforeAll, expect, test } from 'vitest'
import { dataOf, type Json, placeWith, startTestService, type TestService } from '../../testing/test-service.ts'

const zoneOf: Readonly<Record<string, string>> = { a1: 'az1', a2: 'az1', b1: 'az2', bare: 'nova' }
/** One entry for each request: the resources of one instance of the request. */
const asks = [
  { VCPU: 1, MEMORY_MB: 1_024 },
  { VCPU: 2, MEMORY_MB: 2_048, DISK_GB: 20 },
  { VCPU: 1, MEMORY_MB: 512, CUSTOM_TPU: 3 },
  { VCPU: 4, MEMORY_MB: 30_000 },
  { VCPU: 1, MEMORY_MB: 999_999 },
] as const satisfies readonly Readonly<Record<string, number>>[]
const INSTANCES = 2
/** The zone that the first request names. The fleet has no such zone. */
const MISSING_ZONE = 'az9'

const filters = [{ name: 'RamFilter' }, { name: 'ResourceClassFilter' }]
const SPREADS = { filters: [...filters, { name: 'AvailabilityZoneFilter' }], weighers: [{ name: 'RAMWeigher', multiplier: 1 }] }

let api: TestService
const decided = new Map<string, Readonly<Record<string, number>>>()

beforeAll(async () => {
  api = await startTestService()
  const custom = [{ resourceClass: 'CUSTOM_TPU', total: 16 }]
  await api.report({
    a1: { inventories: custom },
    a2: { memoryMb: 20_000 },
    b1: { memoryMb: 40_000, inventories: custom },
    bare: { memoryMb: 9_000 },
  })
  for (const [zone, hosts] of [
    ['az1', ['a1', 'a2']],
    ['az2', ['b1']],
  ])
    await dataOf(
      api,
      'mutation ($hosts: [String!], $zone: String!) { aggregateCreate(input: { name: $zone, availabilityZone: $zone, hosts: $hosts }) { __typename } }',
      { zone, hosts },
    )
  await dataOf(api, 'mutation ($input: ProfileVersionInput!) { profileVersionCreate(profile: "policy", input: $input) { __typename } }', {
    input: { ...SPREADS, note: 'spreads' },
  })
  for (const { VCPU: vcpus, MEMORY_MB: memoryMb, ...rest } of asks) {
    const { DISK_GB: rootGb = 0, ...others } = rest as Readonly<Record<string, number>>
    const extraSpecs = Object.entries(others).map(([key, value]) => ({ key: `resources:${key}`, value: String(value) }))
    const { decision } = await placeWith(
      api,
      { profile: 'policy' },
      {
        flavor: { vcpus, memoryMb, rootGb, extraSpecs },
        numInstances: INSTANCES,
        ...(decided.size === 0 ? { availabilityZone: MISSING_ZONE } : {}),
      },
    )
    decided.set(decision.id, { VCPU: vcpus, MEMORY_MB: memoryMb, ...rest })
  }
})
afterAll(async () => {
  expect(api.warnings).toEqual([])
  await api.close()
})

const COMPARE = `query ($candidate: ProfileCandidateInput!) { compareProfiles(baseline: "policy", candidate: $candidate) {
  sampled newFailures newPlacements elsewhere
  zones { zone baseline candidate resources { resourceClass baseline candidate } }
  disagreements { decision { id } baselineHosts candidateHosts } } }`

const DECISIONS = '{ decisions(first: 50) { nodes { id destinations { selected { host { name } } } } } }'

test.each<[string, Json, Json]>([
  ['packs', { weighers: [{ name: 'RAMWeigher', multiplier: -1 }] }, { newFailures: 0, newPlacements: 0 }],
  [
    'fails some',
    { filters: [...SPREADS.filters, { name: 'NumInstancesFilter', options: { max_instances_per_host: 1 } }] },
    { newFailures: 2, newPlacements: 0 },
  ],
  ['places more', { filters }, { newFailures: 0, newPlacements: 1 }],
  ['is the same', {}, { newFailures: 0, newPlacements: 0, elsewhere: 0 }],
])(
  'the shift of a candidate that %s has for each zone and class the resources of the requests placed there',
  async (_name, parts, counts) => {
    const { compareProfiles: found } = await dataOf(api, COMPARE, { candidate: { draft: { ...SPREADS, ...parts } } })
    expect(found).toMatchObject(counts)
    expect(found.sampled).toBe(asks.length)
    const { decisions } = await dataOf(api, DECISIONS)
    const expected: Record<string, number> = {}
    const add = (zone: string, version: string, resourceClass: string, amount: number): void => {
      const key = `${zone} ${resourceClass} ${version}`
      expected[key] = (expected[key] ?? 0) + amount
    }
    for (const { id, destinations } of decisions.nodes) {
      const own: readonly string[] = destinations.map(({ selected }: Json) => selected.host.name)
      const other = found.disagreements.find(({ decision }: Json) => decision.id === id)
      expect(other?.baselineHosts ?? own).toEqual(own)
      for (const [version, hosts] of [
        ['baseline', own],
        ['candidate', other?.candidateHosts ?? own],
      ] as const)
        for (const host of hosts)
          for (const [resourceClass, amount] of Object.entries({ ...decided.get(id), instances: 1 }))
            add(zoneOf[host] ?? host, version, resourceClass, amount)
    }
    const shown: Record<string, number> = {}
    for (const { zone, resources, ...instances } of found.zones)
      for (const { resourceClass, ...amounts } of [...resources, { resourceClass: 'instances', ...instances }])
        for (const version of ['baseline', 'candidate'])
          if (amounts[version] > 0) shown[`${zone} ${resourceClass} ${version}`] = amounts[version]
    expect(shown).toEqual(expected)
    expect(Object.keys(shown)).toEqual(expect.arrayContaining([expect.stringContaining('CUSTOM_TPU'), expect.stringContaining('DISK_GB')]))
  },
)
