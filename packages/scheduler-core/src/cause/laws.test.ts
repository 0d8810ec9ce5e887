import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { byExtent } from '../../../../testing/extent.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { examine, PASSES_ALL } from '../pipeline/examine.ts'
import type { Profile } from '../profiles/profile.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import type { HostShape } from '../testing/index.ts'
import { type Cause, causeOf } from './cause.ts'
import { causeText } from './cause-text.ts'
import { shortfallsOf, shortfallsText } from './shortfalls.ts'
import {
  APART,
  cellsOf,
  fleetOf,
  type HostDrawn,
  legacyForm,
  MIB,
  mend,
  novaForm,
  profiles,
  type RequestDrawn,
  refuses,
  typedForm,
} from './testing/drawn.ts'

const hostDrawn: fc.Arbitrary<HostDrawn> = fc.record({
  shape: fc
    .record({
      vcpus: fc.integer({ min: 0, max: 8 }),
      memoryMb: fc.constantFrom(512, 1_024, 4_096, 8_192),
      localGb: fc.constantFrom(0, 10, 100),
      traits: fc.constantFrom<string[]>([], ['FAST'], ['FAST', 'CUSTOM_LICENSED']),
      gpus: fc.constantFrom<NonNullable<HostShape['gpus']>>([], [{ index: 0 }], [{ index: 0, model: 'A' }, { index: 1 }]),
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

const requestDrawn: fc.Arbitrary<RequestDrawn> = fc
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
    traits: fc.constantFrom<string[]>([], [], ['FAST'], ['FAST', 'CUSTOM_LICENSED'], ['CUSTOM_NONE']),
    forbidden: fc.constantFrom<string[]>([], [], ['CUSTOM_LICENSED']),
    specs: fc.constantFrom<Record<string, string>>({}, {}, { 'aggregate_instance_extra_specs:ssd': 'true' }),
    group: fc.constantFrom<RequestDrawn['group']>(null, null, 'anti-affinity', 'affinity'),
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
      // cells have together what the flavor has
      vcpus: own.length > 0 ? own.reduce((sum, { cpus }) => sum + cpus, 0) : vcpus,
      memoryMb: own.length > 0 ? own.reduce((sum, { gib }) => sum + gib * MIB, 0) : memoryMb,
      cells: own,
      devices: kind === 'devices' ? devices : [],
    }
  })

/** What only the typed form can say, beside the rest. */
const typedOnly: fc.Arbitrary<object> = fc.constantFrom<object>(
  ...[{}, {}, { gpus: { count: 1 } }, { gpus: { count: 2, models: ['A'] } }],
  { topologySpread: [{ topologyKey: 'rack', maxSkew: 1 }], instanceGroup: { uuid: APART, policy: 'SOFT_ANTI_AFFINITY' } },
  { topologySpread: [{ topologyKey: 'rack', maxPerDomain: 1 }], instanceGroup: { uuid: APART, policy: 'SOFT_ANTI_AFFINITY' } },
)

const RUNS = byExtent(150, 10_000)

/** Positions of the hosts that the request admits. */
function admittedOf(fleet: Fleet, asked: RequestSpec, profile: Profile): ReadonlySet<number> {
  const { admitted } = examine(fleet, asked, profile, 's')
  return new Set([...admitted.keys()].filter((host) => admitted[host] === 1))
}

const refusal = fc
  .record({
    hosts: fc.array(hostDrawn, { minLength: 1, maxLength: 6 }),
    drawn: requestDrawn,
    more: typedOnly,
    profile: fc.constantFrom(...profiles),
  })
  .map(({ drawn, more, ...rest }) => ({ ...rest, drawn, asked: typedForm(drawn, more) }))
  .filter(({ hosts, asked, profile }) => refuses(fleetOf(hosts), asked, profile))

/** All that a cause says, but how many hosts each condition lets in by itself: that is of those hosts too. */
const saidOf = (cause: Cause): unknown => [
  causeText({ ...cause, admission: cause.admission.map((step) => ({ ...step, alone: 0 })) }),
  ...[cause.admitted, cause.refusals, cause.nearest, cause.admitted > 0 ? cause.code : null],
]

describe('the laws of the cause', () => {
  test('hosts that the request does not admit never change it, however many and however near they are', () => {
    let outsiders = 0
    fc.assert(
      fc.property(refusal, fc.array(hostDrawn, { minLength: 1, maxLength: 6 }), ({ hosts, asked, profile }, others) => {
        // members of groups count wherever they are
        const more = others.map((host, i) => ({ ...host, name: `other${i}`, isMember: false, isHome: false }))
        const admitted = admittedOf(fleetOf([...hosts, ...more]), asked, profile)
        const outside = more.filter((_, i) => !admitted.has(hosts.length + i))
        outsiders += outside.length
        const fleet = fleetOf(hosts)
        expect(saidOf(causeOf(fleetOf([...hosts, ...outside]), asked, profile))).toEqual(saidOf(causeOf(fleet, asked, profile)))
      }),
      { numRuns: RUNS },
    )
    expect(outsiders).toBeGreaterThan(0)
  })

  test('hosts that have none of a device that it asks for never change it, where others have some', () => {
    let without = 0
    fc.assert(
      fc.property(refusal, fc.array(hostDrawn, { minLength: 1, maxLength: 6 }), ({ hosts, asked, profile }, others) => {
        fc.pre(asked.gpus !== null || asked.pciRequests.length > 0 || asked.numaTopology !== null)
        const base = causeOf(fleetOf(hosts), asked, profile)
        fc.pre(base.admitted > 0)
        const more = others.map(({ shape, ...host }, i) => ({
          ...{ ...host, name: `other${i}`, isMember: false, isHome: false },
          shape: { ...shape, gpus: [], pciPools: [], numaCells: [] },
        }))
        without += more.length
        expect(saidOf(causeOf(fleetOf([...hosts, ...more]), asked, profile))).toEqual(saidOf(base))
      }),
      { numRuns: RUNS },
    )
    expect(without).toBeGreaterThan(0)
  })

  test('once all that is named of the nearest host is mended, and nothing else, the request fits there', () => {
    const met = new Set<string>()
    fc.assert(
      fc.property(refusal, ({ hosts, drawn, asked, profile }) => {
        const { nearest } = causeOf(fleetOf(hosts), asked, profile)
        if (nearest === null) return
        const position = Number(nearest.name.host.slice(1))
        const host = hosts[position]
        const mended = host && mend(host, nearest, drawn)
        if (mended === undefined) return
        const text = shortfallsText(shortfallsOf(nearest))
        for (const { required, actual } of shortfallsOf(nearest))
          for (const number of [required, actual])
            if (typeof number === 'number') expect(text).toMatch(new RegExp(`\\b(?:${number}|no|none)\\b`))
        for (const { reason } of nearest.refusals) met.add(reason.code.split('.')[0] ?? '')
        const { firstRefusing } = examine(fleetOf(hosts.map((one, i) => (i === position ? mended : one))), asked, profile, 's')
        expect(firstRefusing[position]).toBe(PASSES_ALL)
      }),
      { numRuns: RUNS },
    )
    // what is drawn reaches every kind of shortfall
    expect([...met].sort()).toEqual(expect.arrayContaining(['cpu', 'disk', 'gpu', 'host', 'memory', 'numa', 'pci', 'trait']))
  })

  test('the typed form, that of Nova and the dictionaries from before it have one cause', () => {
    fc.assert(
      fc.property(
        fc.array(hostDrawn, { minLength: 1, maxLength: 6 }),
        requestDrawn,
        fc.constantFrom(...profiles),
        (hosts, drawn, profile) => {
          const fleet = fleetOf(hosts)
          fc.pre(refuses(fleet, typedForm(drawn), profile))
          const cause = causeOf(fleet, typedForm(drawn), profile)
          for (const [form, asked] of Object.entries({ nova: novaForm(drawn), legacy: legacyForm(drawn) })) {
            const other = causeOf(fleet, asked, profile)
            expect([form, causeText(other), other.code]).toEqual([form, causeText(cause), cause.code])
          }
        },
      ),
      { numRuns: RUNS },
    )
  })

  test('the order of the filters does not change it', () => {
    fc.assert(
      fc.property(refusal, ({ hosts, asked, profile }) => {
        const fleet = fleetOf(hosts)
        const turned = { ...profile, filters: profile.filters.toReversed() }
        const { admitted, refusals, nearest } = causeOf(fleet, asked, profile)
        const other = causeOf(fleet, asked, turned)
        const codes = (all: typeof refusals) => new Map(all.map(({ code, hosts: count }) => [code, count]))
        expect(other.admitted).toBe(admitted)
        expect(codes(other.refusals)).toEqual(codes(refusals))
        expect(other.nearest?.name).toEqual(nearest?.name)
      }),
      { numRuns: byExtent(100, 10_000) },
    )
  })

  test('it counts each host that the request admits, and its nearest host is one of those', () => {
    fc.assert(
      fc.property(refusal, ({ hosts, asked, profile }) => {
        const fleet = fleetOf(hosts)
        const { admitted, refusals, nearest } = causeOf(fleet, asked, profile)
        const expected = admittedOf(fleet, asked, profile)
        expect(admitted).toBe(expected.size)
        const most = admitted > 0 ? admitted : Math.max(1, asked.forceHosts.length)
        for (const { hosts: count } of refusals) expect(count).toBeLessThanOrEqual(most)
        if (admitted === 0) return
        const index = fleet.hosts.records.findIndex(({ host }) => host === nearest?.name.host)
        expect(expected).toContain(index)
        expect(Math.max(...refusals.map(({ hosts: count }) => count))).toBeGreaterThan(0)
      }),
      { numRuns: byExtent(100, 10_000) },
    )
  })
})
