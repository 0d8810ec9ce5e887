import fc from 'fast-check'
import { aUuid, type HostShape } from '../../testing/index.ts'
import { APART, cellsOf, fleetOf, type HostDrawn, MIB, profiles, type RequestDrawn, refuses, typedForm } from './drawn.ts'

export const hostDrawn: fc.Arbitrary<HostDrawn> = fc.record({
  shape: fc
    .record({
      vcpus: fc.integer({ min: 0, max: 8 }),
      memoryMb: fc.constantFrom(512, 1_024, 4_096, 8_192),
      localGb: fc.constantFrom(0, 10, 100),
      traits: fc.constantFrom<string[]>(
        [],
        ['FAST'],
        ['FAST', 'CUSTOM_LICENSED'],
        ['FAST', 'CUSTOM_QUIET'],
        ['CUSTOM_LICENSED', 'CUSTOM_QUIET'],
      ),
      gpus: fc.constantFrom<NonNullable<HostShape['gpus']>>(
        ...[
          [],
          [{ index: 0 }],
          [{ index: 0, model: 'A' }, { index: 1 }],
          [
            { index: 0, usedMilli: 1_000 },
            { index: 1, model: 'A' },
          ],
        ],
      ),
      numaCells: fc
        .array(fc.record({ cpus: fc.integer({ min: 1, max: 4 }), gib: fc.integer({ min: 1, max: 4 }) }), { maxLength: 2 })
        .map(cellsOf),
      pciPools: fc.constantFrom<NonNullable<HostShape['pciPools']>>(
        [],
        [{ vendorId: 'v1', productId: 'p', total: 1 }],
        [
          { vendorId: 'v1', productId: 'p', total: 2 },
          { vendorId: 'v2', productId: 'p', total: 1 },
        ],
      ),
    })
    .chain((shape) =>
      fc.constantFrom(0, 0, 0.5, 1).map((use): HostShape => {
        const used = (total: number) => Math.floor(total * use)
        return { ...shape, vcpusUsed: used(shape.vcpus), memoryMbUsed: used(shape.memoryMb), localGbUsed: used(shape.localGb) }
      }),
    ),
  zone: fc.constantFrom('z1', 'z2', null),
  rack: fc.constantFrom('r1', 'r2', null),
  isFast: fc.boolean(),
  isDisabled: fc.integer({ min: 0, max: 3 }).map((draw) => draw === 0),
  isMember: fc.boolean(),
  isHome: fc.integer({ min: 0, max: 3 }).map((draw) => draw === 0),
})

export const requestDrawn: fc.Arbitrary<RequestDrawn> = fc
  .record({
    vcpus: fc.integer({ min: 1, max: 10 }),
    memoryMb: fc.constantFrom(64, 1_024, 4_096, 16_384),
    rootGb: fc.constantFrom(0, 0, 20),
    place: fc.constantFrom<Partial<RequestDrawn>>(
      ...[{}, {}, { zone: 'z1' }, { zone: 'z1' }, { zone: 'z9' }, { forceHosts: ['h0'] }],
      ...[
        { forceHosts: ['h0', 'h1'], zone: 'z2' },
        { ignoreHosts: ['h0', 'h1'], zone: 'z1' },
      ],
    ),
    traits: fc.constantFrom<string[]>(
      [],
      [],
      ['FAST'],
      ['FAST', 'CUSTOM_LICENSED'],
      ['CUSTOM_LICENSED', 'CUSTOM_QUIET', 'FAST'],
      ['CUSTOM_NONE'],
    ),
    forbidden: fc.constantFrom<string[]>([], [], ['CUSTOM_LICENSED']),
    specs: fc.constantFrom<Record<string, string>>({}, {}, { 'aggregate_instance_extra_specs:ssd': 'true' }),
    group: fc.constantFrom<RequestDrawn['group']>(null, null, 'anti-affinity', 'affinity'),
    instances: fc.constantFrom(1, 1, 1, 2, 3, 5),
    cells: fc.array(fc.record({ cpus: fc.integer({ min: 1, max: 3 }), gib: fc.integer({ min: 1, max: 3 }), isDedicated: fc.boolean() }), {
      maxLength: 2,
    }),
    kind: fc.constantFrom('plain', 'plain', 'cells', 'devices'),
    devices: fc.constantFrom<RequestDrawn['devices']>(
      [{ count: 1, vendor: 'v1' }],
      [{ count: 3, vendor: 'v1' }],
      [
        { count: 1, vendor: 'v1' },
        { count: 2, vendor: 'v1' },
      ],
      [
        { count: 2, vendor: 'v1' },
        { count: 2, vendor: 'v2' },
      ],
    ),
  })
  .map(({ place, kind, cells, devices, vcpus, memoryMb, ...drawn }) => {
    const own = kind === 'cells' ? cells : []
    return {
      ...{ zone: null, forceHosts: [], ignoreHosts: [], ...place, ...drawn },
      // the flavor has the sum of the CPUs and memory of all cells
      vcpus: own.length > 0 ? own.reduce((sum, { cpus }) => sum + cpus, 0) : vcpus,
      memoryMb: own.length > 0 ? own.reduce((sum, { gib }) => sum + gib * MIB, 0) : memoryMb,
      cells: own,
      devices: kind === 'devices' ? devices : [],
    }
  })

/**
 * Draws at least one host, zone or aggregate that a request names, and hosts that it excludes. Often all hosts that match the request are
 * excluded.
 */
export const placesDrawn = fc
  .record({
    zone: fc.constantFrom('z1', 'z2', null),
    aggregates: fc.constantFrom<string[]>([], [], [aUuid(3)], [aUuid(1), aUuid(4)]),
    forceHosts: fc.constantFrom<string[]>([], [], ['h0'], ['h0', 'h1'], ['gone']),
    ignoreHosts: fc.subarray(['h0', 'h1', 'h2', 'h3', 'h4', 'h5']),
  })
  .filter(({ zone, aggregates, forceHosts }) => zone !== null || aggregates.length > 0 || forceHosts.length > 0)

/** Draws conditions that only the typed form of a request can express, and not the forms of Nova. They are added to a random request. */
export const typedOnly: fc.Arbitrary<object> = fc.constantFrom<object>(
  ...[{}, {}, { gpus: { count: 1 } }, { gpus: { count: 2, models: ['A'] } }],
  { topologySpread: [{ topologyKey: 'rack', maxSkew: 1 }], instanceGroup: { uuid: APART, policy: 'SOFT_ANTI_AFFINITY' } },
  { topologySpread: [{ topologyKey: 'rack', maxPerDomain: 1 }], instanceGroup: { uuid: APART, policy: 'SOFT_ANTI_AFFINITY' } },
)

const some = <T>(...items: T[]): fc.Arbitrary<T[]> => fc.oneof(fc.constant<T[]>([]), fc.shuffledSubarray(items, { minLength: 2 }))

const uuids = [aUuid(1), aUuid(2), aUuid(3), aUuid(5)]

const groupDrawn = fc.record({
  amounts: some(
    { resourceClass: 'CUSTOM_B', amount: 1 },
    { resourceClass: 'CUSTOM_A', amount: 2 },
    { resourceClass: 'VCPU', amount: 1 },
    { resourceClass: 'VCPU', amount: 2 },
  ),
  requiredTraits: some('CUSTOM_QUIET', 'CUSTOM_NONE', 'FAST'),
  forbiddenTraits: some('CUSTOM_LICENSED', 'CUSTOM_FAR'),
  memberOf: some(...uuids),
})

/** Draws lists for a request in the typed form, with their elements in random order. */
export const listsDrawn: fc.Arbitrary<object> = fc
  .record(
    {
      forceHosts: fc.shuffledSubarray(['h0', 'h1', 'h2', 'gone']),
      forceNodes: fc.shuffledSubarray(['h0', 'h1', 'gone']),
      ignoreHosts: fc.shuffledSubarray(['h0', 'h1', 'h3', 'gone']),
      requestedDestination: fc.record({ aggregates: some(...uuids), forbiddenAggregates: some(...uuids) }),
      requestedResources: fc.array(groupDrawn, { maxLength: 2 }),
      gpus: fc.record({ count: fc.integer({ min: 1, max: 3 }), models: some('A', 'B', 'C') }),
      schedulerHints: fc.record({ same_host: some(...uuids), different_host: some(...uuids), near_volume: some(...uuids) }),
      volumes: some(...uuids),
      ports: some(...uuids),
      image: fc.record({ properties: fc.constantFrom({}, { hw_architecture: 'aarch64', img_hv_type: 'hyperv', os_distro: 'x' }) }),
      topologySpread: fc.shuffledSubarray([
        { topologyKey: 'rack', maxPerDomain: 1 },
        { topologyKey: 'zone', maxSkew: 1 },
        { topologyKey: 'host', maxPerDomain: 1 },
      ]),
    },
    { requiredKeys: [] },
  )
  .map(({ topologySpread = [], ...lists }) =>
    topologySpread.length === 0
      ? lists
      : {
          ...lists,
          topologySpread,
          instanceGroup: { uuid: APART, policy: 'SOFT_ANTI_AFFINITY', hosts: ['h1', 'h0'], apartFrom: [...uuids].reverse() },
        },
  )

/** Draws a fleet, a request and a profile such that not all instances of the request find a host. */
export const refusal = fc
  .record({
    hosts: fc.array(hostDrawn, { minLength: 1, maxLength: 6 }),
    drawn: requestDrawn,
    more: typedOnly,
    profile: fc.constantFrom(...profiles),
  })
  .map(({ drawn, more, ...rest }) => ({ ...rest, drawn, asked: typedForm(drawn, more) }))
  .filter(({ hosts, asked, profile }) => refuses(fleetOf(hosts), asked, profile))
