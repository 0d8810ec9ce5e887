import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FEATURE_LEVEL } from '../fleet/change.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { examine, PASSES_ALL } from '../pipeline/examine.ts'
import { builtInProfiles } from '../profiles/built-in.ts'
import type { Profile } from '../profiles/profile.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import { aLog, aReport, aRequest, aUuid, type HostShape } from '../testing/index.ts'
import { causeOf, type NearestHost } from './cause.ts'
import { causeText } from './cause-text.ts'

interface HostDrawn {
  readonly name?: string
  readonly shape: HostShape
  readonly zone: 'z1' | 'z2' | null
  readonly isDisabled: boolean
}

const profiles = ['default', 'nova', 'nova-compat', 'best-fit'].map(
  (name) => builtInProfiles.find((known) => known.name === name) as Profile,
)

const hostDrawn: fc.Arbitrary<HostDrawn> = fc.record({
  shape: fc
    .record({
      vcpus: fc.integer({ min: 0, max: 8 }),
      memoryMb: fc.constantFrom(512, 1_024, 4_096, 8_192),
      localGb: fc.constantFrom(0, 10, 100),
      traits: fc.constantFrom<string[]>([], ['FAST'], ['FAST', 'CUSTOM_LICENSED']),
      gpus: fc.constantFrom<NonNullable<HostShape['gpus']>>([], [{ index: 0 }], [{ index: 0, model: 'A' }, { index: 1 }]),
    })
    .map((shape): HostShape => shape),
  zone: fc.constantFrom('z1', 'z2', null),
  isDisabled: fc.boolean(),
})

const request: fc.Arbitrary<RequestSpec> = fc
  .record({
    vcpus: fc.integer({ min: 0, max: 10 }),
    memoryMb: fc.constantFrom(0, 1_024, 4_096, 16_384),
    place: fc.constantFrom<Parameters<typeof aRequest>[0]>(
      {},
      { availabilityZone: 'z1' },
      { availabilityZone: 'z9' },
      { forceHosts: ['h0'] },
      { requestedDestination: { host: 'h1' }, availabilityZone: 'z2' },
      { ignoreHosts: ['h0', 'h1'], availabilityZone: 'z1' },
    ),
    traits: fc.constantFrom<string[]>([], ['FAST'], ['FAST', 'CUSTOM_LICENSED'], ['CUSTOM_NONE']),
    gpus: fc.constantFrom<Parameters<typeof aRequest>[0]>({}, {}, { gpus: { count: 1 } }, { gpus: { count: 2, models: ['A'] } }),
  })
  .map(({ vcpus, memoryMb, place, traits, gpus }) =>
    aRequest({ vcpus, memoryMb, ...place, ...gpus, requestedResources: [{ amounts: [], requiredTraits: traits }] }),
  )

function fleetOf(drawn: readonly HostDrawn[]): Fleet {
  const log = aLog()
  const hosts = drawn.map((host, i) => ({ ...host, name: host.name ?? `h${i}` }))
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, ...hosts.map(({ name, shape }) => aReport(name, shape))])
  log.append(
    (['z1', 'z2'] as const).map((zone, i) => ({
      type: 'aggregate' as const,
      uuid: aUuid(i + 1),
      expectedVersion: 0,
      next: {
        name: zone,
        hosts: hosts.flatMap((host) => (host.zone === zone ? [host.name] : [])),
        metadata: { availability_zone: zone },
      },
    })),
  )
  log.append(
    hosts.flatMap(({ isDisabled, name }) =>
      isDisabled ? [{ type: 'status' as const, host: name, node: name, status: 'DISABLED' as const, reason: 'test' }] : [],
    ),
  )
  return log.fleet
}

const refuses = (fleet: Fleet, asked: RequestSpec, profile: Profile): boolean =>
  !examine(fleet, asked, profile, 's').firstRefusing.includes(PASSES_ALL)

/** Positions of the hosts that the request admits. */
function admittedOf(fleet: Fleet, asked: RequestSpec, profile: Profile): ReadonlySet<number> {
  const { steps, refusedBy, bytesPerHost } = examine(fleet, asked, profile, 's')
  const admitting = causeOf(fleet, asked, profile).admission.map(({ filter }) => filter)
  const isRefusedBy = (host: number, s: number): boolean => (((refusedBy[host * bytesPerHost + (s >> 3)] as number) >> (s & 7)) & 1) === 1
  return new Set(
    fleet.hosts.records.flatMap(({ index }) =>
      steps.some(({ filter }, s) => admitting.includes(filter) && isRefusedBy(index, s)) ? [] : [index],
    ),
  )
}

/** The host with what the facts of its refusals ask for. */
function mend(host: HostDrawn, { refusals }: NearestHost): HostDrawn {
  let { shape, zone, isDisabled } = host
  for (const { reason, facts } of refusals) {
    if (reason.code === 'host.disabled') isDisabled = false
    if (reason.code === 'zone.other') zone = reason.need as 'z1'
    if (reason.code.startsWith('gpu.')) shape = { ...shape, gpus: [0, 1].map((index) => ({ index, model: 'A' })) }
    for (const { subject, required } of facts) {
      if (subject === 'trait') shape = { ...shape, traits: [...(shape.traits ?? []), String(required)] }
      if (subject === 'MEMORY_MB') shape = { ...shape, memoryMb: Number(required) }
      if (subject === 'VCPU') shape = { ...shape, vcpus: Number(required) }
    }
  }
  return { ...host, shape, zone, isDisabled }
}

const refusal = fc
  .record({ hosts: fc.array(hostDrawn, { minLength: 1, maxLength: 6 }), asked: request, profile: fc.constantFrom(...profiles) })
  .filter(({ hosts, asked, profile }) => refuses(fleetOf(hosts), asked, profile))

describe('the laws of the cause', () => {
  test('hosts that the request does not admit never change it, however many and however near they are', () => {
    fc.assert(
      fc.property(refusal, fc.array(hostDrawn, { minLength: 1, maxLength: 6 }), ({ hosts, asked, profile }, others) => {
        const more = others.map((host, i) => ({ ...host, name: `other${i}` }))
        const fleet = fleetOf(hosts)
        const larger = fleetOf([...hosts, ...more])
        const admitted = admittedOf(larger, asked, profile)
        const outside = more.filter((_, i) => !admitted.has(hosts.length + i))
        const cause = causeOf(fleet, asked, profile)
        const besides = causeOf(fleetOf([...hosts, ...outside]), asked, profile)
        // how many each condition lets in by itself is of those hosts too
        const text = (one: typeof cause) => causeText({ ...one, admission: one.admission.map((step) => ({ ...step, alone: 0 })) })
        expect(text(besides)).toBe(text(cause))
        expect(besides).toMatchObject({ admitted: cause.admitted, refusals: cause.refusals, nearest: cause.nearest })
        if (cause.admitted > 0) expect(besides.code).toBe(cause.code)
      }),
      { numRuns: 300 },
    )
  })

  test('once all that is named of the nearest host is mended, and nothing else, the request fits there', () => {
    fc.assert(
      fc.property(refusal, ({ hosts, asked, profile }) => {
        const { nearest } = causeOf(fleetOf(hosts), asked, profile)
        if (nearest === null) return
        const position = Number(nearest.name.host.slice(1))
        const mended = hosts.map((host, i) => (i === position ? mend(host, nearest) : host))
        const { firstRefusing } = examine(fleetOf(mended), asked, profile, 's')
        expect(firstRefusing[position]).toBe(PASSES_ALL)
      }),
      { numRuns: 300 },
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
      { numRuns: 200 },
    )
  })

  test('it counts each host that the request admits, and its nearest host is one of those', () => {
    fc.assert(
      fc.property(refusal, ({ hosts, asked, profile }) => {
        const fleet = fleetOf(hosts)
        const { admitted, refusals, nearest } = causeOf(fleet, asked, profile)
        const expected = admittedOf(fleet, asked, profile)
        expect(admitted).toBe(expected.size)
        for (const { hosts: count } of refusals) expect(count).toBeLessThanOrEqual(Math.max(admitted, 1))
        if (admitted === 0) return
        const index = fleet.hosts.records.findIndex(({ host }) => host === nearest?.name.host)
        expect(expected).toContain(index)
        expect(Math.max(...refusals.map(({ hosts: count }) => count))).toBeGreaterThan(0)
      }),
      { numRuns: 200 },
    )
  })
})
