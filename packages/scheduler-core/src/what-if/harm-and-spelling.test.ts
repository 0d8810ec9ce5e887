import { describe, expect, test } from 'vitest'
import { reasonText } from '../decision/reason-text.ts'
import { FEATURE_LEVEL } from '../fleet/change.ts'
import { atOnce } from '../fleet/steps.ts'
import { builtInProfiles } from '../profiles/built-in.ts'
import { type Profile, profileSchema } from '../profiles/profile.ts'
import { aClaim, aLog, aReport, aRequest, aUuid, type HostShape } from '../testing/index.ts'
import type { ChangeKind } from './remedies/remedy.ts'
import { whatWouldFit } from './what-would-fit.ts'

const GIB = 1_024
const byDefault = builtInProfiles.find(({ name }) => name === 'default') as Profile
const withNova = (name: string, options: Record<string, unknown> = {}): Profile => {
  const nova = builtInProfiles.find((known) => known.name === 'nova-compat') as Profile
  return profileSchema.parse({ ...nova, number: 1, filters: [{ name, options: options as never }, { name: 'RamFilter' }] })
}

interface Case {
  readonly hosts: Readonly<Record<string, HostShape>>
  readonly request: Parameters<typeof aRequest>[0]
  readonly changes?: Parameters<ReturnType<typeof aLog>['append']>[0]
  readonly aggregates?: readonly { readonly name: string; readonly hosts: readonly string[]; readonly metadata: Record<string, string> }[]
  readonly profile?: Profile
  readonly kinds?: readonly ChangeKind[]
  readonly first?: number
}

function answerOf({
  hosts,
  request,
  changes = [],
  aggregates = [],
  profile = byDefault,
  kinds = ['REQUEST', 'FLEET', 'POLICY'],
  first = 10,
}: Case) {
  const log = aLog()
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, ...Object.entries(hosts).map(([name, shape]) => aReport(name, shape))])
  log.append(aggregates.map((next, i) => ({ type: 'aggregate', uuid: aUuid(20 + i), expectedVersion: 0, next })))
  for (const change of changes) expect(log.append([change])).toEqual([undefined])
  const options = { request: aRequest(request), profile, kinds, seed: 's', maxChanges: 2, first, minHosts: 1, mostRuns: 100 }
  return atOnce(whatWouldFit(log.fleet, { ...options, isOver: () => false }))
}

const saidOf = (given: Case): string[] =>
  answerOf(given).counterfactuals.map(({ changes }) => changes.map(({ subject, to }) => `${subject} -> ${to}`).join('; '))

const status = (host: string, to: 'DISABLED' | 'DRAINING' | 'MAINTENANCE') =>
  ({ type: 'status', host, node: host, status: to, reason: 'disk' }) as const
const down = (host: string) => ({ type: 'liveness', host, node: host, state: 'DOWN', reason: 'silent' }) as const
const extra = (extraSpecs: Record<string, string>) => ({ flavor: { vcpus: 1, memoryMb: 512, extraSpecs } })
const zone = (name: string, hosts: readonly string[]) => ({ name, hosts, metadata: { availability_zone: name } })

describe('a proposal does no harm where less will do', () => {
  const small = { up: { memoryMb: 2 * GIB }, other: { memoryMb: 8 * GIB } }
  const request = { memoryMb: 4 * GIB }
  const inGroup = { instanceGroup: { uuid: aUuid(7), policy: 'ANTI_AFFINITY' as const } }
  const member = aClaim({
    ...{ hosts: ['up'], grants: {}, mode: 'CONFIRM' },
    group: { uuid: aUuid(7), policy: 'ANTI_AFFINITY', maxServerPerHost: 1 },
  })

  test.each<[what: string, given: Case, least: string, isHarmful: RegExp]>([
    ['a host that is down stays down', { hosts: small, request, changes: [down('other')] }, 'memory -> 2048 MiB', /host other/],
    [
      'one in maintenance stays closed',
      { hosts: small, request, changes: [status('other', 'MAINTENANCE')] },
      'memory -> 2048 MiB',
      /host other/,
    ],
    [
      'one that is being emptied stays closed',
      { hosts: small, request, changes: [status('other', 'DRAINING')] },
      'memory -> 2048 MiB',
      /host other/,
    ],
    [
      'one that is disabled and down is not raised by opening it',
      { hosts: small, request, changes: [down('other'), status('other', 'DISABLED')] },
      ...(['memory -> 2048 MiB', /host other/] as const),
    ],
    [
      'a claim of others is not released',
      { hosts: { up: { memoryMb: 4 * GIB } }, request, changes: [aClaim({ hosts: ['up'], mode: 'CONFIRM' })] },
      ...(['memory -> 3072 MiB', /released/] as const),
    ],
    [
      'a claim of others is not released where it is enough to wait for another',
      {
        hosts: { up: { memoryMb: 5 * GIB } },
        request,
        changes: [aClaim({ key: 'a', hosts: ['up'], mode: 'CONFIRM' }), aClaim({ key: 'b', hosts: ['up'] })],
        kinds: ['FLEET'],
      },
      ...(['reservations on up -> wait until claim b.0 expires at 1970-01-01T00:01:01.000Z', /released/] as const),
    ],
    [
      'a server group keeps its rule where fewer instances will do',
      { hosts: { up: {}, other: {} }, request: { ...inGroup, numInstances: 3 } },
      ...(['instances -> 2', /policy of server group|not in it/] as const),
    ],
    [
      'an aggregate is not changed to say what a flavor misspells',
      { hosts: { up: {} }, request: extra({ ssd: 'ture' }), aggregates: [{ name: 'fast', hosts: ['up'], metadata: { ssd: 'true' } }] },
      ...(['extra spec ssd -> true', /aggregate/] as const),
    ],
    [
      'nor is a host taken into the aggregate of another wish',
      {
        hosts: small,
        request: { requestedDestination: { aggregates: [aUuid(20)] } },
        aggregates: [{ name: 'none', hosts: [], metadata: {} }],
      },
      ...(['aggregates asked for -> any', /joins/] as const),
    ],
  ])('%s', (_what, given, least, isHarmful) => {
    const said = saidOf(given)
    expect(said).toContain(least)
    for (const one of said) expect(one).not.toMatch(isHarmful)
  })

  test.each<[what: string, given: Case, never: RegExp]>([
    [
      'hosts kept for other projects',
      {
        hosts: { kept: {} },
        request: { projectId: 'p2' },
        aggregates: [{ name: 'tenants', hosts: ['kept'], metadata: { filter_tenant_id: 'p1' } }],
        profile: withNova('AggregateMultiTenancyIsolation'),
      },
      /AggregateMultiTenancyIsolation|tenants/,
    ],
    [
      'hosts kept for some images',
      { hosts: { kept: {} }, request: {}, profile: withNova('IsolatedHostsFilter', { isolated_hosts: ['kept'], isolated_images: ['i1'] }) },
      /filter IsolatedHostsFilter/,
    ],
  ])('%s stay so, whatever is allowed', (_what, given, never) => {
    for (const kinds of [['POLICY'], ['FLEET'], ['REQUEST', 'FLEET', 'POLICY']] as const)
      for (const one of saidOf({ ...given, kinds })) expect(one).not.toMatch(never)
  })

  test.each<[what: string, given: Case, told: string]>([
    ['a host may be brought back', { hosts: { up: {} }, request: {}, changes: [down('up')] }, 'host up -> up'],
    [
      'one may be taken out of maintenance',
      { hosts: { up: {} }, request: {}, changes: [status('up', 'MAINTENANCE')] },
      'host up -> enabled',
    ],
    [
      'one may be opened and brought back',
      { hosts: { up: {} }, request: {}, changes: [down('up'), status('up', 'DISABLED')] },
      'host up -> enabled and up',
    ],
    [
      'a group may be softened',
      { hosts: { up: {} }, request: inGroup, changes: [member] },
      'server group 00000000-0000-4000-8000-000000000007 -> not in it',
    ],
  ])('where nothing less will do, %s', (_what, given, told) => {
    expect(saidOf(given)).toContain(told)
  })
})

describe('names that are misspelt', () => {
  const flavored = (name: string) => ({ flavor: { name, vcpus: 1, memoryMb: 512 } })
  const kept = (names: string) => [{ name: 'kept', hosts: ['a'], metadata: { instance_type: names } }]
  const byFlavor = withNova('AggregateTypeAffinityFilter')
  test.each<[what: string, given: Case, first: string]>([
    [
      'a zone',
      { hosts: { a: {} }, request: { availabilityZone: 'zone-nroth' }, aggregates: [zone('zone-north', ['a'])] },
      'availability zone -> zone-north',
    ],
    [
      'a zone in another case',
      { hosts: { a: {} }, request: { availabilityZone: 'AZ1' }, aggregates: [zone('az1', ['a'])] },
      'availability zone -> az1',
    ],
    [
      'a trait of the flavor',
      { hosts: { a: { traits: ['HW_CPU_X86_AVX2'] } }, request: extra({ 'trait:HW_CPU_X86_AXV2': 'required' }) },
      'trait HW_CPU_X86_AXV2 -> HW_CPU_X86_AVX2',
    ],
    [
      'a trait of a group, which another host has than the nearest',
      {
        hosts: { a: {}, b: {}, c: { traits: ['CUSTOM_FAST'] } },
        request: { requestedResources: [{ amounts: [], requiredTraits: ['CUSTOM_FSAT'] }] },
      },
      'trait CUSTOM_FSAT -> CUSTOM_FAST',
    ],
    [
      'a key of an extra spec',
      { hosts: { a: {} }, request: extra({ storgae: 'ssd' }), aggregates: [{ name: 'x', hosts: ['a'], metadata: { storage: 'ssd' } }] },
      'key of extra spec storgae -> storage',
    ],
    [
      'its value',
      {
        hosts: { a: {} },
        request: extra({ storage: 'nvem' }),
        aggregates: [{ name: 'x', hosts: ['a'], metadata: { storage: 'nvme,ssd' } }],
      },
      'extra spec storage -> nvme',
    ],
    [
      'a resource class',
      { hosts: { a: { inventories: [{ resourceClass: 'CUSTOM_FPGA', total: 2 }] } }, request: extra({ 'resources:CUSTOM_FGPA': '1' }) },
      'resource class -> CUSTOM_FPGA',
    ],
    [
      'a flavor',
      { hosts: { a: {} }, request: flavored('m1.lrage'), aggregates: kept('m1.large,m1.small'), profile: byFlavor },
      'flavor -> m1.large',
    ],
    [
      'a GPU model',
      { hosts: { a: { gpus: [{ index: 0, model: 'A100' }] } }, request: { gpus: { models: ['A10O'] } } },
      'GPU model -> A100',
    ],
    ['a host', { hosts: { 'cmp-14': {} }, request: { forceHosts: ['cpm-14'] } }, 'host asked for -> cmp-14'],
    [
      'a key of a spread',
      {
        hosts: { a: {} },
        request: { instanceGroup: { uuid: aUuid(7), policy: 'SOFT_ANTI_AFFINITY' }, topologySpread: [{ topologyKey: 'rakc', maxSkew: 1 }] },
        aggregates: [{ name: 'r', hosts: ['a'], metadata: { rack: 'r1' } }],
      },
      'spread over rakc -> rack',
    ],
  ])('%s is told first, as one that the fleet has', (_what, given, first) => {
    expect(saidOf(given)[0]).toBe(first)
  })

  test.each<[what: string, given: Case, subject: string]>([
    [
      'a trait of the flavor, which it requires already',
      {
        hosts: { a: { traits: ['CUSTOM_FAST'] } },
        request: extra({ 'trait:CUSTOM_FSAT': 'required', 'trait:CUSTOM_FAST': 'required' }),
      },
      'trait CUSTOM_FSAT',
    ],
    [
      'a trait of a group, which the flavor requires already',
      {
        hosts: { a: { traits: ['CUSTOM_FAST'] } },
        request: { ...extra({ 'trait:CUSTOM_FAST': 'required' }), requestedResources: [{ amounts: [], requiredTraits: ['CUSTOM_FSAT'] }] },
      },
      'trait CUSTOM_FSAT',
    ],
    [
      'a trait that it forbids',
      {
        hosts: { a: { traits: ['CUSTOM_FAST'] } },
        request: extra({ 'trait:CUSTOM_FSAT': 'required', 'trait:CUSTOM_FAST': 'forbidden' }),
      },
      'trait CUSTOM_FSAT',
    ],
    [
      'a key of an extra spec, which it has with another value',
      {
        hosts: { a: {} },
        request: extra({ storgae: 'ssd', storage: 'nvme' }),
        aggregates: [{ name: 'x', hosts: ['a'], metadata: { storage: 'nvme,ssd' } }],
      },
      'key of extra spec storgae',
    ],
    [
      'a key of an extra spec, which it has in its scope',
      {
        hosts: { a: {} },
        request: extra({ storgae: 'ssd', 'aggregate_instance_extra_specs:storage': 'nvme' }),
        aggregates: [{ name: 'x', hosts: ['a'], metadata: { storage: 'nvme,ssd' } }],
      },
      'key of extra spec storgae',
    ],
    [
      'a resource class of which it asks an amount',
      {
        hosts: { a: { inventories: [{ resourceClass: 'CUSTOM_FPGA', total: 9 }] } },
        request: extra({ 'resources:CUSTOM_FGPA': '1', 'resources:CUSTOM_FPGA': '2' }),
      },
      'resource class',
    ],
    [
      'a class of which its flavor asks an amount itself',
      { hosts: { a: {} }, request: extra({ 'resources:MEMROY_MB': '1' }) },
      'resource class',
    ],
    [
      'a key of a spread, over which it spreads already',
      {
        hosts: { a: {} },
        request: {
          instanceGroup: { uuid: aUuid(7), policy: 'SOFT_ANTI_AFFINITY' },
          topologySpread: [
            { topologyKey: 'rakc', maxSkew: 1 },
            { topologyKey: 'rack', maxPerDomain: 2 },
          ],
        },
        aggregates: [{ name: 'r', hosts: ['a'], metadata: { rack: 'r1' } }],
      },
      'spread over rakc',
    ],
  ])('%s is not the other name, or a wish would be lost', (_what, given, subject) => {
    const { counterfactuals } = answerOf(given)
    // other changes are found, so an empty list below is about the name alone
    expect(counterfactuals.length).toBeGreaterThan(0)
    const renamed = counterfactuals.flatMap(({ changes }) => changes.filter((change) => change.subject === subject && change.effort < 1.4))
    expect(renamed.map(({ from, to }) => `${from} -> ${to}`)).toEqual([])
  })

  test('the sentence says a misspelt name once', () => {
    const given: Case = { hosts: { a: { traits: ['CUSTOM_FAST'] } }, request: extra({ 'trait:CUSTOM_FSAT': 'required' }) }
    expect(answerOf(given).counterfactuals[0]?.text).toBe('request: trait CUSTOM_FSAT -> CUSTOM_FAST: unlocks 1 host (a)')
  })

  test('of two spellings of one key only the value that is misspelt changes', () => {
    const given: Case = {
      hosts: { a: {} },
      request: extra({ storage: 'nvem', 'aggregate_instance_extra_specs:storage': 'ssd' }),
      aggregates: [{ name: 'x', hosts: ['a'], metadata: { storage: 'nvme,ssd' } }],
    }
    const [first] = answerOf(given).counterfactuals
    expect(first?.request.flavor.extraSpecs).toEqual({ storage: 'nvme', 'aggregate_instance_extra_specs:storage': 'ssd' })
  })

  test.each<[what: string, given: Case]>([
    [
      'a zone that is there, and full',
      {
        hosts: { a: { memoryMb: 256 }, b: {} },
        request: { availabilityZone: 'az1' },
        aggregates: [zone('az1', ['a']), zone('az2', ['b'])],
      },
    ],
    ['a trait like no other', { hosts: { a: { traits: ['CUSTOM_FAST'] } }, request: extra({ 'trait:HW_GPU': 'required' }) }],
    ['a flavor like no other', { hosts: { a: {} }, request: flavored('huge'), aggregates: kept('m1.large'), profile: byFlavor }],
  ])('%s is not taken for another one', (_what, given) => {
    const efforts = answerOf(given).counterfactuals.map(({ effort }) => effort)
    // those of names are the least of all
    expect(efforts.filter((effort) => effort < 1.4)).toEqual([])
  })
})

describe('waiting for reservations', () => {
  const at = (seconds: number): string => new Date(seconds * 1_000).toISOString()
  const reserve = (key: string, gib: number, ttlS: number) =>
    aClaim({ key, hosts: ['a'], grants: { classes: { MEMORY_MB: gib * GIB } }, ttlMs: ttlS * 1_000 })
  const group = { uuid: aUuid(7), policy: 'ANTI_AFFINITY', maxServerPerHost: 1 } as const
  const device = (key: string, ttlS: number) =>
    aClaim({ key, hosts: ['a'], grants: { pci: [{ request: 0, pool: 'v:p', count: 1 }] }, ttlMs: ttlS * 1_000 })
  const inCell = (key: string, cell: number, ttlS: number) =>
    aClaim({ key, hosts: ['a'], grants: { numa: [{ guest: 0, cell, cpus: 1, memoryMb: GIB }] }, ttlMs: ttlS * 1_000 })
  test.each<[what: string, given: Case, wait: string]>([
    [
      'for the one whose end is enough, not for one that ends before and is too small',
      { hosts: { a: { memoryMb: 8 * GIB } }, request: { memoryMb: 6 * GIB }, changes: [reserve('small', 1, 60), reserve('large', 5, 600)] },
      `wait until claim large.0 expires at ${at(601)}`,
    ],
    [
      'for the first that ends where either is enough',
      { hosts: { a: { memoryMb: 8 * GIB } }, request: { memoryMb: 4 * GIB }, changes: [reserve('late', 3, 600), reserve('soon', 3, 60)] },
      `wait until claim soon.0 expires at ${at(61)}`,
    ],
    [
      'for both where both are needed, until the last of them',
      { hosts: { a: { memoryMb: 8 * GIB } }, request: { memoryMb: 8 * GIB }, changes: [reserve('one', 4, 60), reserve('two', 4, 120)] },
      `wait until claims one.0, two.0 expire, the last at ${at(121)}`,
    ],
    [
      'for a member of the server group that is only reserved',
      {
        hosts: { a: {} },
        request: { instanceGroup: { uuid: aUuid(7), policy: 'ANTI_AFFINITY' } },
        changes: [aClaim({ hosts: ['a'], grants: {}, group })],
      },
      `wait until claim k1.0 expires at ${at(61)}`,
    ],
    [
      'for a GPU',
      {
        hosts: { a: { gpus: [{ index: 0 }] } },
        request: { gpus: { count: 1 } },
        changes: [aClaim({ hosts: ['a'], grants: { gpu: [{ index: 0, milli: 400 }] } })],
      },
      `wait until claim k1.0 expires at ${at(61)}`,
    ],
    [
      'for an instance that is not to be near, and only reserved',
      {
        hosts: { a: {} },
        request: { schedulerHints: { different_host: [aUuid(5)] } },
        changes: [aClaim({ hosts: ['a'], grants: {}, instances: [aUuid(5)] })],
      },
      `wait until claim k1.0 expires at ${at(61)}`,
    ],
    [
      'for one of two devices that are reserved, the first that is free again',
      {
        hosts: { a: { pciPools: [{ vendorId: 'v', productId: 'p', total: 2 }] } },
        request: { pciRequests: [{ count: 1, specs: [{ vendor_id: 'v' }] }] },
        changes: [device('late', 600), device('soon', 60)],
      },
      `wait until claim soon.0 expires at ${at(61)}`,
    ],
    [
      'for one of two cells, the first that is free again',
      {
        hosts: { a: { numaCells: [0, 1].map((id) => ({ id, cpuset: [id * 2, id * 2 + 1], memoryMb: 2 * GIB })) } },
        request: { vcpus: 1, memoryMb: 2 * GIB, numaTopology: { cells: [{ id: 0, cpus: [0], memoryMb: 2 * GIB }] } },
        changes: [inCell('late', 0, 600), inCell('soon', 1, 60)],
      },
      `wait until claim soon.0 expires at ${at(61)}`,
    ],
    [
      'for one of two members of a group that may have two on a host',
      {
        hosts: { a: {} },
        request: { instanceGroup: { uuid: aUuid(7), policy: 'ANTI_AFFINITY', maxServerPerHost: 2 } },
        changes: [
          aClaim({ key: 'late', hosts: ['a'], grants: {}, group: { ...group, maxServerPerHost: 2 }, ttlMs: 600_000 }),
          aClaim({ key: 'soon', hosts: ['a'], grants: {}, group: { ...group, maxServerPerHost: 2 } }),
        ],
      },
      `wait until claim soon.0 expires at ${at(61)}`,
    ],
  ])('%s', (_what, given, wait) => {
    const waits = answerOf({ ...given, kinds: ['FLEET'] }).counterfactuals.flatMap(({ changes }) =>
      changes.filter(({ waits: some }) => some),
    )
    expect(waits.map(({ to }) => to)).toEqual([wait])
  })
})

test('as many answers as are asked for are the least of all, so that the first is what the headline tells', () => {
  const given: Case = {
    hosts: { a: { memoryMb: 16 * GIB, vcpus: 8 }, b: { memoryMb: 5 * GIB, vcpus: 8 } },
    request: { memoryMb: 6 * GIB, vcpus: 4, numInstances: 3 },
  }
  const all = saidOf(given)
  expect(all.length).toBeGreaterThan(2)
  for (const first of [1, 2, 3]) expect(saidOf({ ...given, first })).toEqual(all.slice(0, first))
})

describe('what an operator keeps back of a host', () => {
  const reserving = (reserved: number) =>
    ({ type: 'hostAllocation', host: 'a', node: 'a', resourceClass: 'MEMORY_MB', reserved, by: 'kim', reason: 'tests of backups' }) as const
  const ofReport = (reserved: number): HostShape => ({
    memoryMb: 65_536,
    inventories: [{ resourceClass: 'MEMORY_MB', total: 65_536, reserved }],
  })
  test.each<[what: string, given: Case, sentence: string, proposals: readonly string[]]>([
    [
      'may be less where there is too little in all, and the sentence says who keeps how much',
      { hosts: { a: { memoryMb: 65_536 } }, request: { memoryMb: GIB }, changes: [reserving(65_000)] },
      '1024 MiB needed by one instance; the host has 536 MiB in all; 65000 of its 65536 MiB are reserved (set by kim: tests of backups).',
      ['memory -> 536 MiB', 'reserved MEMORY_MB of host a -> 64512 MiB'],
    ],
    [
      'may be less where too little is left',
      {
        hosts: { a: { memoryMb: 65_536 } },
        request: { memoryMb: GIB },
        changes: [reserving(60_000), aClaim({ hosts: ['a'], mode: 'CONFIRM', grants: { classes: { MEMORY_MB: 5_000 } } })],
        kinds: ['REQUEST', 'POLICY'],
      },
      'Memory: 1024 MiB needed, 536 free; 60000 of its 65536 MiB are reserved (set by kim: tests of backups).',
      ['memory -> 536 MiB', 'reserved MEMORY_MB of host a -> 59512 MiB', 'MEMORY_MB allocation ratio of host a -> 1.089'],
    ],
    [
      'is no less than what the host keeps back itself',
      { hosts: { a: ofReport(64_600) }, request: { memoryMb: GIB }, changes: [reserving(65_000)] },
      '1024 MiB needed by one instance; the host has 536 MiB in all; 65000 of its 65536 MiB are reserved (set by kim: tests of backups).',
      ['memory -> 536 MiB'],
    ],
    [
      'is not changed where the report says it, and the sentence says so',
      { hosts: { a: ofReport(65_000) }, request: { memoryMb: GIB } },
      '1024 MiB needed by one instance; the host has 536 MiB in all; 65000 of its 65536 MiB are reserved (by its report).',
      ['memory -> 536 MiB'],
    ],
  ])('%s', (_what, given, sentence, proposals) => {
    const [reason] = answerOf(given).cause?.nearest?.refusals.map((refusal) => refusal.reason) ?? []
    expect(reason && reasonText(reason)).toBe(sentence)
    expect(saidOf(given)).toEqual(proposals)
  })
})
