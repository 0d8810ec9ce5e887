import { describe, expect, test } from 'vitest'
import { aClaim, aUuid, type HostShape } from '../../../testing/index.ts'
import { reasonText } from '../../../text/reason-text.ts'
import { answerOf, type Case, extra, GIB, saidOf, withNova } from '../testing/case.ts'

const status = (host: string, to: 'DISABLED' | 'DRAINING' | 'MAINTENANCE') =>
  ({ type: 'status', host, node: host, status: to, reason: 'disk' }) as const
const down = (host: string) => ({ type: 'liveness', host, node: host, state: 'DOWN', reason: 'silent' }) as const

describe('if a harmless change suffices, no harmful change is proposed', () => {
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
      'a host in maintenance stays closed',
      { hosts: small, request, changes: [status('other', 'MAINTENANCE')] },
      'memory -> 2048 MiB',
      /host other/,
    ],
    ['a draining host stays closed', { hosts: small, request, changes: [status('other', 'DRAINING')] }, 'memory -> 2048 MiB', /host other/],
    [
      'a host that is disabled and down stays as it is',
      { hosts: small, request, changes: [down('other'), status('other', 'DISABLED')] },
      ...(['memory -> 2048 MiB', /host other/] as const),
    ],
    [
      'a claim of others is not released',
      { hosts: { up: { memoryMb: 4 * GIB } }, request, changes: [aClaim({ hosts: ['up'], mode: 'CONFIRM' })] },
      ...(['memory -> 3072 MiB', /released/] as const),
    ],
    [
      'a claim of others is not released if waiting for another one suffices',
      {
        hosts: { up: { memoryMb: 5 * GIB } },
        request,
        changes: [aClaim({ key: 'a', hosts: ['up'], mode: 'CONFIRM' }), aClaim({ key: 'b', hosts: ['up'] })],
        kinds: ['FLEET'],
      },
      ...(['reservations on up -> wait until claim b.0 expires at 1970-01-01T00:01:01.000Z', /released/] as const),
    ],
    [
      'a server group keeps its policy and its members if fewer instances suffice',
      { hosts: { up: {}, other: {} }, request: { ...inGroup, numInstances: 3 } },
      ...(['instances -> 2', /policy of server group|not in it/] as const),
    ],
    [
      'an aggregate is not changed to match a misspelt extra spec',
      { hosts: { up: {} }, request: extra({ ssd: 'ture' }), aggregates: [{ name: 'fast', hosts: ['up'], metadata: { ssd: 'true' } }] },
      ...(['extra spec ssd -> true', /aggregate/] as const),
    ],
    [
      'a host is not added to the aggregate that the request requires',
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
      'hosts that are reserved for other projects',
      {
        hosts: { kept: {} },
        request: { projectId: 'p2' },
        aggregates: [{ name: 'tenants', hosts: ['kept'], metadata: { filter_tenant_id: 'p1' } }],
        profile: withNova('AggregateMultiTenancyIsolation'),
      },
      /AggregateMultiTenancyIsolation|tenants/,
    ],
    [
      'hosts that are reserved for certain images',
      { hosts: { kept: {} }, request: {}, profile: withNova('IsolatedHostsFilter', { isolated_hosts: ['kept'], isolated_images: ['i1'] }) },
      /filter IsolatedHostsFilter/,
    ],
  ])('%s are never opened, whatever kinds of changes are requested', (_what, given, never) => {
    for (const kinds of [['POLICY'], ['FLEET'], ['REQUEST', 'FLEET', 'POLICY']] as const)
      for (const one of saidOf({ ...given, kinds })) expect(one).not.toMatch(never)
  })

  test.each<[what: string, given: Case, expected: string]>([
    ['a host can be brought up', { hosts: { up: {} }, request: {}, changes: [down('up')] }, 'host up -> up'],
    [
      'a host can be taken out of maintenance',
      { hosts: { up: {} }, request: {}, changes: [status('up', 'MAINTENANCE')] },
      'host up -> enabled',
    ],
    [
      'a host can be enabled and brought up',
      { hosts: { up: {} }, request: {}, changes: [down('up'), status('up', 'DISABLED')] },
      'host up -> enabled and up',
    ],
    [
      'the instance can leave its server group',
      { hosts: { up: {} }, request: inGroup, changes: [member] },
      'server group 00000000-0000-4000-8000-000000000007 -> not in it',
    ],
  ])('if no smaller change suffices, %s', (_what, given, expected) => {
    expect(saidOf(given)).toContain(expected)
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
      'waits for the reservation that frees enough, not for an earlier one that is too small',
      { hosts: { a: { memoryMb: 8 * GIB } }, request: { memoryMb: 6 * GIB }, changes: [reserve('small', 1, 60), reserve('large', 5, 600)] },
      `wait until claim large.0 expires at ${at(601)}`,
    ],
    [
      'waits for the reservation that ends first if either of two reservations suffices',
      { hosts: { a: { memoryMb: 8 * GIB } }, request: { memoryMb: 4 * GIB }, changes: [reserve('late', 3, 600), reserve('soon', 3, 60)] },
      `wait until claim soon.0 expires at ${at(61)}`,
    ],
    [
      'waits for the end of two reservations if both are needed',
      { hosts: { a: { memoryMb: 8 * GIB } }, request: { memoryMb: 8 * GIB }, changes: [reserve('one', 4, 60), reserve('two', 4, 120)] },
      `wait until claims one.0, two.0 expire, the last at ${at(121)}`,
    ],
    [
      'waits for the reservation of a member of the server group',
      {
        hosts: { a: {} },
        request: { instanceGroup: { uuid: aUuid(7), policy: 'ANTI_AFFINITY' } },
        changes: [aClaim({ hosts: ['a'], grants: {}, group })],
      },
      `wait until claim k1.0 expires at ${at(61)}`,
    ],
    [
      'waits for the reservation of a GPU',
      {
        hosts: { a: { gpus: [{ index: 0 }] } },
        request: { gpus: { count: 1 } },
        changes: [aClaim({ hosts: ['a'], grants: { gpu: [{ index: 0, milli: 400 }] } })],
      },
      `wait until claim k1.0 expires at ${at(61)}`,
    ],
    [
      'waits for the reservation of an instance that must be on a different host',
      {
        hosts: { a: {} },
        request: { schedulerHints: { different_host: [aUuid(5)] } },
        changes: [aClaim({ hosts: ['a'], grants: {}, instances: [aUuid(5)] })],
      },
      `wait until claim k1.0 expires at ${at(61)}`,
    ],
    [
      'waits for the reservation that ends first if either of two reserved devices suffices',
      {
        hosts: { a: { pciPools: [{ vendorId: 'v', productId: 'p', total: 2 }] } },
        request: { pciRequests: [{ count: 1, specs: [{ vendor_id: 'v' }] }] },
        changes: [device('late', 600), device('soon', 60)],
      },
      `wait until claim soon.0 expires at ${at(61)}`,
    ],
    [
      'waits for the reservation that ends first if either of two NUMA cells suffices',
      {
        hosts: { a: { numaCells: [0, 1].map((id) => ({ id, cpuset: [id * 2, id * 2 + 1], memoryMb: 2 * GIB })) } },
        request: { vcpus: 1, memoryMb: 2 * GIB, numaTopology: { cells: [{ id: 0, cpus: [0], memoryMb: 2 * GIB }] } },
        changes: [inCell('late', 0, 600), inCell('soon', 1, 60)],
      },
      `wait until claim soon.0 expires at ${at(61)}`,
    ],
    [
      'waits for the member that ends first if a group allows at most two members on a host',
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

test('if fewer proposals are requested, they are the first of all proposals, in the same order', () => {
  const given: Case = {
    hosts: { a: { memoryMb: 16 * GIB, vcpus: 8 }, b: { memoryMb: 5 * GIB, vcpus: 8 } },
    request: { memoryMb: 6 * GIB, vcpus: 4, numInstances: 3 },
  }
  const all = saidOf(given)
  expect(all.length).toBeGreaterThan(2)
  for (const first of [1, 2, 3]) expect(saidOf({ ...given, first })).toEqual(all.slice(0, first))
})

describe('an amount that an operator reserved on a host', () => {
  const reserving = (reserved: number) =>
    ({ type: 'hostAllocation', host: 'a', node: 'a', resourceClass: 'MEMORY_MB', reserved, by: 'kim', reason: 'tests of backups' }) as const
  const ofReport = (reserved: number): HostShape => ({
    memoryMb: 65_536,
    inventories: [{ resourceClass: 'MEMORY_MB', total: 65_536, reserved }],
  })
  test.each<[what: string, given: Case, sentence: string, proposals: readonly string[]]>([
    [
      'can be reduced if the total is too small, and the sentence names the amount and the operator',
      { hosts: { a: { memoryMb: 65_536 } }, request: { memoryMb: GIB }, changes: [reserving(65_000)] },
      'Memory: 1024 MiB needed by one instance; the host has 536 MiB in total; 65000 of its 65536 MiB are reserved (set by kim: tests of backups).',
      ['memory -> 536 MiB', 'reserved MEMORY_MB of host a -> 64512 MiB'],
    ],
    [
      'can be reduced if too little is free',
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
      'is never reduced below the reserved amount in the report of the host',
      { hosts: { a: ofReport(64_600) }, request: { memoryMb: GIB }, changes: [reserving(65_000)] },
      'Memory: 1024 MiB needed by one instance; the host has 536 MiB in total; 65000 of its 65536 MiB are reserved (set by kim: tests of backups).',
      ['memory -> 536 MiB'],
    ],
    [
      'is not changed if the report states it, and the sentence names the report',
      { hosts: { a: ofReport(65_000) }, request: { memoryMb: GIB } },
      'Memory: 1024 MiB needed by one instance; the host has 536 MiB in total; 65000 of its 65536 MiB are reserved (by its report).',
      ['memory -> 536 MiB'],
    ],
  ])('%s', (_what, given, sentence, proposals) => {
    const [reason] = answerOf(given).cause?.nearest?.refusals.map((refusal) => refusal.reason) ?? []
    expect(reason && reasonText(reason)).toBe(sentence)
    expect(saidOf(given)).toEqual(proposals)
  })
})
