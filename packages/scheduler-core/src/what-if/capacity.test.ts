import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { byExtent } from '../../../../testing/extent.ts'
import { definePlugin } from '../contracts/plugin.ts'
import { gatherPlugins } from '../contracts/plugins.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { importLegacyRequest } from '../nova/import/request.ts'
import { builtInProfiles } from '../profiles/built-in.ts'
import { type Profile, profileSchema } from '../records/profile.ts'
import { parseRequestSpec } from '../request/parse.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import { aClaim, aDocument, aFleet, aLog, aReport, aRequest, aUuid, type HostShape } from '../testing/index.ts'
import { atOnce } from '../values/steps.ts'
import { countCapacity } from './capacity.ts'
import type { CapacityOptions } from './capacity-groups.ts'
import { simulate } from './simulate.ts'

const profileNamed = (name: string) => builtInProfiles.find((profile) => profile.name === name) as Profile
const counted = (fleet: Fleet, request: RequestSpec, more: Partial<CapacityOptions> = {}) =>
  atOnce(
    countCapacity(fleet, {
      request,
      profile: profileNamed('default'),
      seed: 's',
      limit: 1_000_000,
      groupsOf: ({ zone }) => [zone],
      isOver: () => false,
      ...more,
    }),
  )

const shapes: fc.Arbitrary<HostShape> = fc
  .record({
    vcpus: fc.integer({ min: 0, max: 9 }),
    memoryMb: fc.integer({ min: 0, max: 9 }).map((gib) => gib * 1_024),
    gpus: fc.array(fc.record({ model: fc.constantFrom(null, 'A') }), { maxLength: 3 }),
    cells: fc.integer({ min: 0, max: 2 }),
    cpuAllocationRatio: fc.constantFrom(1, 1.5),
    devices: fc.integer({ min: 0, max: 3 }),
  })
  .map(({ gpus, cells, devices, ...shape }) => ({
    ...shape,
    gpus: gpus.map((gpu, index) => ({ ...gpu, index })),
    numaCells: Array.from({ length: cells }, (_, id) => ({ id, cpuset: [0, 1, 2, 3].map((cpu) => cpu + id * 4), memoryMb: 4_096 })),
    pciPools: devices === 0 ? [] : [{ vendorId: 'v', productId: 'p', total: devices }],
  }))

const group = (policy: 'AFFINITY' | 'ANTI_AFFINITY' | 'SOFT_AFFINITY' | 'SOFT_ANTI_AFFINITY', maxServerPerHost: number | null = null) => ({
  instanceGroup: { uuid: aUuid(7), policy, maxServerPerHost },
})
const requests: fc.Arbitrary<RequestSpec> = fc
  .record({
    vcpus: fc.integer({ min: 0, max: 3 }),
    memoryMb: fc.constantFrom(512, 1_024, 1_536),
    rootGb: fc.constantFrom(0, 7, 20),
    numInstances: fc.constantFrom(1, 3),
    extra: fc.constantFrom<Parameters<typeof aRequest>[0]>(
      {},
      {},
      { gpus: { shareMilli: 400 } },
      { gpus: { count: 2, models: ['A'] } },
      group('ANTI_AFFINITY'),
      group('ANTI_AFFINITY', 2),
      group('AFFINITY'),
      { instanceGroup: { uuid: aUuid(7), policy: 'AFFINITY', hosts: ['h1', 'h2'] } },
      group('SOFT_ANTI_AFFINITY'),
      { numaTopology: { cells: [{ id: 0, cpus: [0, 1], memoryMb: 1_024, cpuPolicy: 'dedicated' }] } },
      { pciRequests: [{ count: 1, specs: [{ vendor_id: 'v' }] }] },
      { ignoreHosts: ['h0'] },
      { ...group('SOFT_ANTI_AFFINITY'), topologySpread: [{ topologyKey: 'host', maxSkew: 1 }] },
      { ...group('SOFT_AFFINITY'), topologySpread: [{ topologyKey: 'zone', maxPerDomain: 3 }] },
      { ...group('SOFT_AFFINITY'), topologySpread: [{ topologyKey: 'zone', maxSkew: 2 }] },
      { ...group('SOFT_ANTI_AFFINITY'), topologySpread: [{ topologyKey: 'rack', maxPerDomain: 4, maxSkew: 2 }] },
    ),
  })
  .map(({ extra, vcpus, memoryMb, rootGb, ...shape }) => aRequest({ flavor: { vcpus, memoryMb, rootGb }, ...shape, ...extra }))

/** Requests in Nova's form, as Kilo sent them. Some have a server group without a uuid, which claims do not join. */
const documents: fc.Arbitrary<RequestSpec> = fc
  .record({
    vcpus: fc.integer({ min: 1, max: 3 }),
    memory_mb: fc.constantFrom(512, 1_536),
    extra_specs: fc.constantFrom({}, { 'hw:numa_nodes': '1' }, { 'hw:cpu_policy': 'dedicated' }),
    group: fc.constantFrom(
      {},
      {},
      { group_updated: true, group_hosts: ['h0', 'h1'], group_policies: ['anti-affinity'] },
      { group_updated: true, group_hosts: ['h1'], group_policies: ['affinity'] },
      { scheduler_hints: { different_host: [aUuid(3)] }, retry: { num_attempts: 1, hosts: [['h0', 'h0']] } },
    ),
  })
  .map(({ vcpus, memory_mb, extra_specs, group: filter_properties }) => {
    const instance_type = { name: 'm', flavorid: '1', vcpus, memory_mb, root_gb: 0, ephemeral_gb: 0, swap: 0, extra_specs }
    const request_spec = { num_instances: 1, instance_type, image: {}, instance_properties: { uuid: aUuid(5), vcpus, memory_mb } }
    const imported = importLegacyRequest({ request_spec, filter_properties })
    const parsed = imported.ok ? parseRequestSpec(imported.document) : imported
    if (!('value' in parsed)) throw new Error(JSON.stringify(parsed))
    return parsed.value
  })

/** Draws fleets. `policy` is the policy of a server group that has a member on h0 before the count. Null if there is no such group. */
const fleets = fc.record({
  hosts: fc.array(shapes, { minLength: 1, maxLength: 6 }),
  policy: fc.constantFrom('AFFINITY', 'ANTI_AFFINITY', null),
  /** True if h0 and h1 are in zone az1 and rack r1, and h2 to h4 are in rack r2. */
  isDivided: fc.boolean(),
  /** The size of a shared pool with the disks of h0 to h2, in GiB. Null if the disks are on the hosts. */
  poolGib: fc.option(fc.nat({ max: 60 }), { nil: null }),
})

interface Town {
  readonly hosts: readonly HostShape[]
  readonly policy: string | null
  readonly poolGib?: number | null
  readonly isDivided?: boolean
}

function fleetOf({ hosts, policy, poolGib = null, isDivided = false }: Town): Fleet {
  const log = aLog()
  log.append(hosts.map((shape, i) => aReport(`h${i}`, shape)))
  if (policy === 'AFFINITY' || policy === 'ANTI_AFFINITY')
    log.append([
      aClaim({ hosts: ['h0'], grants: {}, group: { uuid: aUuid(7), policy, maxServerPerHost: policy === 'ANTI_AFFINITY' ? 1 : null } }),
    ])
  if (isDivided) {
    const near = { name: 'near', hosts: ['h0', 'h1'], metadata: { availability_zone: 'az1', rack: 'r1' } }
    const far = { name: 'far', hosts: ['h2', 'h3', 'h4'], metadata: { rack: 'r2' } }
    log.append([near, far].map((next, i) => ({ type: 'aggregate', uuid: aUuid(10 + i), expectedVersion: 0, next })))
  }
  if (poolGib !== null) {
    const sharing = { name: 'shared', hosts: ['h0', 'h1', 'h2'], metadata: { 'gantt:disk_pool': aUuid(8) } }
    log.append([
      { type: 'feature', level: 6 },
      { type: 'aggregate', uuid: aUuid(9), expectedVersion: 0, next: sharing },
      aDocument('h0', 'storage', { pools: [{ uuid: aUuid(8), name: 'shared', totalGib: poolGib }] }),
    ])
  }
  return log.fleet
}

describe.each([
  profileNamed('default'),
  profileNamed('first-fit'),
  profileNamed('random'),
  profileNamed('nova-compat'),
  profileSchema.parse({
    ...profileNamed('nova-compat'),
    number: 1,
    filters: [...profileNamed('nova-compat').filters, { name: 'NumInstancesFilter', options: { max_instances_per_host: 2 } }],
  }),
])('by the profile $name@$number', (profile) => {
  test('the count equals the number of instances placed one by one until no host takes another one', () => {
    fc.assert(
      fc.property(fleets, fc.oneof({ weight: 2, arbitrary: requests }, { weight: 1, arbitrary: documents }), (town, request) => {
        const one = { ...request, numInstances: 1 }
        const placing = atOnce(
          simulate(fleetOf(town), { requests: [{ request: one, count: 200 }], profile, seed: 's', isOver: () => false }),
        )
        const { fits, exact, groups, bottlenecks } = counted(fleetOf(town), request, { profile, groupsOf: ({ host }) => [host] })
        expect(exact).toBe(true)
        expect(fits).toBe(placing.placed)
        expect(groups.reduce((sum, group) => sum + group.fits, 0)).toBe(fits)
        for (const { fits: there, fitsIfPooled } of groups) if (fitsIfPooled !== null) expect(fitsIfPooled).toBeGreaterThanOrEqual(there)
        expect(bottlenecks.reduce((sum, { hosts }) => sum + hosts, 0)).toBe(town.hosts.length)
      }),
      { numRuns: byExtent(8, 25) },
    )
  })
})

test('if a random choice decides how many instances fit, the count equals a simulation with the same seed', () => {
  // The pool has space for one disk, so either h0 or h2 takes an instance. If h0 has none, the spread limits the zone of h2 and h3 to two
  // instances.
  const fleet = () => fleetOf({ hosts: [{}, { memoryMb: 0 }, {}, {}], policy: null, isDivided: true, poolGib: 20 })
  const request = aRequest({
    flavor: { vcpus: 0, memoryMb: 512, rootGb: 20 },
    ...group('SOFT_AFFINITY'),
    topologySpread: [{ topologyKey: 'zone', maxSkew: 2 }],
  })
  const profile = profileNamed('random')
  const found = new Set<number>()
  for (let i = 0; i < 40; i++) {
    const seed = `seed ${i}`
    const { placed } = atOnce(simulate(fleet(), { requests: [{ request, count: 50 }], profile, seed, isOver: () => false }))
    expect(counted(fleet(), request, { profile, seed }).fits, seed).toBe(placed)
    found.add(placed)
  }
  expect(found.size).toBeGreaterThan(1)
})

test('the space of a pool that three hosts share is counted once, and a host with its own disk is counted in addition', () => {
  const hosts = [{}, {}, {}, { localGb: 45 }]
  const fleet = fleetOf({ hosts, policy: null, poolGib: 100 })
  const request = aRequest({ flavor: { vcpus: 1, memoryMb: 1, rootGb: 20 } })
  expect(counted(fleet, request)).toMatchObject({
    fits: 7,
    exact: true,
    method: 'ONE_BY_ONE',
    hostsWithRoom: 2,
    bottlenecks: [
      { code: 'pool.short', resource: 'shared', hosts: 3, hostsWithRoom: 1 },
      { code: 'disk.short', hosts: 1, hostsWithRoom: 1 },
    ],
  })
  expect([fleet.hosts.pools.free(aUuid(8)), counted(fleet, aRequest()).method]).toEqual([100, 'PER_HOST'])
})

describe('filters that read other hosts', () => {
  test('a topology spread limits the count, although hosts have more free capacity', () => {
    const fleet = fleetOf({ hosts: [{ vcpus: 2 }, { vcpus: 2 }, { vcpus: 8 }], policy: null, isDivided: true })
    const spread = (rule: object) =>
      aRequest({ vcpus: 1, ...group('SOFT_ANTI_AFFINITY'), topologySpread: [{ topologyKey: 'zone', ...rule }] })
    // az1 has space for 4 instances, so with maxSkew 1 the zone of h2 takes 5
    expect(counted(fleet, spread({ maxSkew: 1 }))).toMatchObject({
      ...{ fits: 9, exact: true, method: 'ONE_BY_ONE', hostsWithRoom: 3 },
      bottlenecks: expect.arrayContaining([
        expect.objectContaining({ code: 'cpu.short', hosts: 2 }),
        expect.objectContaining({ code: 'topology.skew', hosts: 1, hostsWithRoom: 1 }),
      ]),
    })
    expect(counted(fleet, spread({ maxPerDomain: 3 })).fits).toBe(6)
    expect(counted(fleet, aRequest({ vcpus: 1 })).method).toBe('PER_HOST')
  })

  const withFilter = (more: object) =>
    aFleet(
      { h1: { vcpus: 1, cpuAllocationRatio: 4 }, h2: { vcpus: 1, cpuAllocationRatio: 4 } },
      gatherPlugins([
        definePlugin({
          ...{ name: 'pairs', version: '1.0.0', description: 'In pairs.' },
          filters: [
            {
              ...{ name: 'FirstOfAllFilter', description: 'No host of the fleet has an instance.', reads: [], ...more },
              prepare: (_request, { hosts }) => ({
                passes: () => hosts.records.every(({ index }) => hosts.columns.instances[index] === 0),
                reason: () => ({ code: 'host.excluded' }),
              }),
            },
          ],
        }),
      ]),
    )
  const profile = profileSchema.parse({ ...profileNamed('default'), number: 1, filters: [{ name: 'FirstOfAllFilter' }] })

  test.each([
    ['hosts are counted together if a filter of a plug-in declares nothing', {}, 'ONE_BY_ONE', 1],
    ['hosts are counted together if a filter of a plug-in declares that it reads other hosts', { readsOtherHosts: true }, 'ONE_BY_ONE', 1],
    ['hosts are counted separately if a filter of a plug-in declares that it reads only one host', { readsHostOnly: true }, 'PER_HOST', 2],
  ] as const)('%s', (_what, more, method, fits) => {
    expect(counted(withFilter(more), aRequest(), { profile })).toMatchObject({ method, fits })
  })
})

describe('the details of the count', () => {
  const fleet = (): Fleet => {
    const log = aLog()
    log.append([aReport('h1', { vcpus: 4 }), aReport('h2', { vcpus: 8, memoryMb: 2_048 }), aReport('h3', { vcpus: 0 })])
    log.append([
      { type: 'aggregate', uuid: aUuid(1), expectedVersion: 0, next: { name: 'z', hosts: ['h3'], metadata: { availability_zone: 'az1' } } },
    ])
    return log.fleet
  }

  test('fitsIfPooled combines the free resources of all hosts, except hosts that are excluded for other reasons than amounts', () => {
    const fleet = aFleet({ h1: { vcpus: 3 }, h2: { vcpus: 3 }, h3: { vcpus: 1 }, h4: { vcpus: 9 } })
    const request = aRequest({ flavor: { vcpus: 2, memoryMb: 512 }, ignoreHosts: ['h4'] })
    expect(counted(fleet, request).groups).toMatchObject([{ fits: 2, fitsIfPooled: 3 }])
    const nothing = aRequest({ flavor: { vcpus: 0, memoryMb: 0 } })
    expect(counted(fleet, nothing, { limit: 5 }).groups).toMatchObject([{ fitsIfPooled: null }])
  })

  test('each group has its bottleneck, with the count of hosts that the bottleneck affects', () => {
    expect(counted(fleet(), aRequest())).toMatchObject({
      fits: 6,
      exact: true,
      cut: null,
      method: 'PER_HOST',
      hostsWithRoom: 2,
      groups: [
        { key: 'nova', fits: 6, hosts: 2, hostsWithRoom: 2, bottleneck: { hosts: 1, hostsWithRoom: 1 } },
        { key: 'az1', fits: 0, hosts: 1, hostsWithRoom: 0, bottleneck: { code: 'cpu.too_few', resource: 'VCPU' } },
      ],
    })
    expect(counted(fleet(), aRequest()).bottlenecks.map(({ code, hosts }) => [code, hosts])).toEqual(
      expect.arrayContaining([
        ['cpu.short', 1],
        ['memory.short', 1],
        ['cpu.too_few', 1],
      ]),
    )
  })

  const zoned = (extra: Parameters<typeof aRequest>[0], profile = profileNamed('default')) => {
    const log = aLog()
    log.append([
      ...[1, 2].map((i) => aReport(`small${i}`, { memoryMb: 512 })),
      aReport('held', { traits: ['FAST'], gpus: [{ index: 0, model: 'A100' }] }),
      ...[1, 2, 3].map((i) => aReport(`other${i}`, { memoryMb: 256 })),
    ])
    const hosts = ['small1', 'small2', 'held']
    log.append([
      { type: 'aggregate', uuid: aUuid(1), expectedVersion: 0, next: { name: 'z', hosts, metadata: { availability_zone: 'z1' } } },
    ])
    log.append([aClaim({ hosts: ['held'], grants: { classes: { MEMORY_MB: 65_536 - 1_024 } } })])
    return counted(log.fleet, aRequest({ memoryMb: 1_024, ...extra }), { profile }).bottlenecks.map(
      ({ admitted, code, hosts: count }) => `${admitted ? 'admitted' : 'not meant'}: ${code} on ${count}`,
    )
  }
  // In each row, the memory of the hosts that the request excludes is too small. The memory filter, which refuses them too, comes before
  // the filter that excludes them.
  test.each<[what: string, extra: Parameters<typeof aRequest>[0], expected: readonly string[]]>([
    ['a zone', { availabilityZone: 'z1' }, ['admitted: memory.short on 3', 'not meant: zone.other on 3']],
    [
      'a trait',
      { requestedResources: [{ amounts: [], requiredTraits: ['FAST'] }] },
      ['admitted: memory.short on 1', 'not meant: trait.missing on 5'],
    ],
    ['hosts by name', { forceHosts: ['held'] }, ['admitted: memory.short on 1', 'not meant: host.not_requested on 5']],
    ['a zone without hosts', { availabilityZone: 'z9' }, ['not meant: zone.other on 6']],
    ['hosts to ignore', { ignoreHosts: ['other1', 'other2', 'other3'] }, ['admitted: memory.short on 3', 'not meant: host.excluded on 3']],
    [
      'an aggregate',
      { requestedDestination: { aggregates: [aUuid(1)] } },
      ['admitted: memory.short on 3', 'not meant: aggregate.not_member on 3'],
    ],
    ['nothing', {}, ['admitted: memory.short on 6']],
  ])(
    'bottlenecks of admitted hosts are first, and bottlenecks of hosts that the request excludes are marked: %s',
    (_what, extra, expected) => {
      expect(zoned(extra)).toEqual(expected)
      // the result is the same if the profile lists its filters in reverse order
      const turned = profileSchema.parse({ ...profileNamed('default'), number: 1, filters: profileNamed('default').filters.toReversed() })
      expect(zoned(extra, turned)).toEqual(expected)
    },
  )

  test('counting stops at the limit or the deadline, and the result says that the count is not exact', () => {
    expect(counted(fleet(), aRequest(), { limit: 3 })).toMatchObject({ fits: 3, exact: false, cut: 'limit' })
    expect(counted(fleet(), aRequest(), { limit: 4 })).toMatchObject({ fits: 4, exact: false, cut: 'limit' })
    let hosts = 1
    expect(counted(fleet(), aRequest(), { isOver: () => hosts-- === 0 })).toMatchObject({ fits: 4, exact: false, cut: 'deadline' })
  })

  test('if the last host is full exactly at the limit, the count is exact', () => {
    const log = aLog()
    log.append([aReport('h1', { vcpus: 4 })])
    expect(counted(log.fleet, aRequest(), { limit: 4 })).toMatchObject({ fits: 4, exact: true })
  })

  test('for a request that needs no resources, counting stops at the limit', () => {
    expect(counted(fleet(), aRequest({ vcpus: 0, memoryMb: 0 }), { limit: 50 })).toMatchObject({ fits: 50, cut: 'limit' })
  })
})

describe('a host that takes 100,000 instances or more', () => {
  const requestOf = (extra: Parameters<typeof aRequest>[0] = {}) => aRequest({ flavor: { vcpus: 0, memoryMb: 1, rootGb: 0 }, ...extra })

  test('is filled in fewer than 10 steps if the request needs only amounts', () => {
    const fleet = aFleet({ h: { vcpus: 1, memoryMb: 300_000 } })
    const join = vi.spyOn(fleet.groups, 'join')
    expect(counted(fleet, requestOf())).toMatchObject({ fits: 300_000, exact: true, hostsWithRoom: 1 })
    expect(join.mock.calls.length).toBeLessThan(10)
  })

  test('is filled one instance at a time if the request needs GPUs, with yields in between, and stops at the deadline', () => {
    const gpus = Array.from({ length: 8 }, (_, index) => ({ index, model: null }))
    const fleet = aFleet({ h: { vcpus: 1, memoryMb: 100_000, gpus } })
    const request = requestOf({ gpus: { shareMilli: 1 } })
    const options = { request, profile: profileNamed('default'), seed: 's', limit: 100_000, groupsOf: () => [] }
    const steps = [...countCapacity(fleet, { ...options, isOver: () => false })].length
    expect(steps).toBeGreaterThan(8_000 / 256)
    let looks = 0
    expect(counted(fleet, request, { isOver: () => looks++ === 3 })).toMatchObject({ fits: 3 * 256 - 1, exact: false, cut: 'deadline' })
  })
})

test.each<[string, string, Parameters<typeof aRequest>[0]]>([
  ['a query', 'JsonFilter', { schedulerHints: { query: ['["not", ["=", "$free_ram_mb", 4096]]'] } }],
  [
    'an extra spec',
    'ComputeCapabilitiesFilter',
    { flavor: { vcpus: 1, memoryMb: 2_048, extraSpecs: { 'capabilities:free_ram_mb': 's!= 4096' } } },
  ],
])('a host is full if %s refuses its present free memory, although the host would pass with less', (_what, name, more) => {
  const profile = { ...profileNamed('nova-compat'), filters: [{ name, options: {} }], weighers: [] }
  const fleet = aFleet({ h1: { vcpus: 16, memoryMb: 8_192 } })
  expect(counted(fleet, aRequest({ vcpus: 1, memoryMb: 2_048, ...more }), { profile }).fits).toBe(2)
})
