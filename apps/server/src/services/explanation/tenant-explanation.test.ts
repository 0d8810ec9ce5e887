import {
  type Change,
  examine,
  type Fleet,
  PASSES_ALL,
  type Profile,
  parseProfile,
  type RequestSpec,
  type RequestSpecInput,
  type TenantDemand,
  tenantDemandOf,
} from '@gantt/scheduler-core'
import { aLog, aReport, aRequest, aUuid, type HostShape } from '@gantt/scheduler-core/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { byExtent } from '../../../../../testing/extent.ts'
import { type DemandState, type Disclosed, explainTo } from './tenant-explanation.ts'

/** The fields of a request. A project can omit each field. */
type Parts = Partial<{
  readonly [Part in (typeof asked)[number]]: string | number
}>
const asked = ['ZONE', 'MEMORY', 'VCPUS', 'DISK', 'EXTRA_SPECS', 'TRAITS', 'RESOURCES', 'GPUS'] as const satisfies readonly TenantDemand[]

const requestOf = ({ ZONE, MEMORY = 0, VCPUS = 0, DISK = 0, EXTRA_SPECS, TRAITS, RESOURCES, GPUS }: Parts): RequestSpec => {
  const extraSpecs = {
    ...(EXTRA_SPECS !== undefined && { disk_kind: String(EXTRA_SPECS) }),
    ...(TRAITS !== undefined && { [`trait:${TRAITS}`]: 'required' }),
    ...(RESOURCES !== undefined && { 'resources:CUSTOM_A': String(RESOURCES) }),
  }
  const shape: Partial<RequestSpecInput> = {
    flavor: { vcpus: Number(VCPUS), memoryMb: Number(MEMORY), rootGb: Number(DISK), extraSpecs },
    projectId: 'p1',
    ...(ZONE !== undefined && { availabilityZone: String(ZONE) }),
    ...(GPUS !== undefined && { gpus: { count: Number(GPUS) } }),
  }
  return aRequest(shape)
}

interface Asking {
  readonly profile: Profile
  /** The demands of a request in the order in which filters evaluate them, grouped by filter. */
  readonly order: readonly (readonly TenantDemand[])[]
  /**
   * How many groups at the start of `order` are evaluated before the last filter that only operators see. If a filter of these groups
   * refuses all hosts, that last filter was not evaluated, and therefore no state is shown.
   */
  readonly unevaluated?: number
}

const profiles: Readonly<Record<string, Asking>> = {
  default: { profile: builtIn('default'), order: asked.map((demand) => [demand]) },
  'nova-compat': { profile: builtIn('nova-compat'), order: [['EXTRA_SPECS'], ['VCPUS', 'MEMORY', 'DISK', 'RESOURCES'], ['GPUS']] },
  'operators in between': {
    profile: aProfile(['RamFilter', 'CoreFilter', 'NumInstancesFilter', 'ComputeFilter']),
    order: [['MEMORY'], ['VCPUS'], ['DISK', 'RESOURCES'], ['GPUS']],
    unevaluated: 2,
  },
}

const size = fc.integer({ min: 1, max: 8 })
const host: fc.Arbitrary<{ readonly shape: HostShape; readonly isClosed: boolean; readonly isFast: boolean; readonly zone: string }> =
  fc.record({
    shape: fc.record({
      memoryMb: size,
      vcpus: size,
      localGb: size,
      traits: fc.subarray(['CUSTOM_T', 'CUSTOM_U']),
      inventories: fc.option(size, { nil: 0 }).map((total) => (total === 0 ? [] : [{ resourceClass: 'CUSTOM_A', total }])),
      gpus: fc.nat(2).map((count) => Array.from({ length: count }, (_, index) => ({ index }))),
    }),
    isClosed: fc.boolean(),
    isFast: fc.boolean(),
    zone: fc.constantFrom('z1', 'z2'),
  })
const parts: fc.Arbitrary<Parts> = fc.record(
  {
    ZONE: fc.constantFrom('z1', 'z3'),
    MEMORY: size,
    VCPUS: size,
    DISK: size,
    EXTRA_SPECS: fc.constant('fast'),
    TRAITS: fc.constantFrom('CUSTOM_T', 'CUSTOM_U'),
    RESOURCES: size,
    GPUS: fc.integer({ min: 1, max: 3 }),
  },
  { requiredKeys: [] },
)

type Explain = (disclosed: Disclosed) => ReturnType<typeof explainTo>

/** The state of each demand in the explanation that a project gets. */
function explainedBy(explain: Explain, fleet: Fleet, request: RequestSpec, profile: Profile) {
  const isPlaced = fits(fleet, request, profile)
  const reasons = isPlaced ? [] : examine(fleet, request, profile, 's').steps.flatMap((step) => step.reasons)
  return explain({ request, outcome: isPlaced ? 'PLACED' : 'NO_VALID_HOST', placed: isPlaced ? 1 : 0, profile, reasons })
}

/** True if the request fits on a host. A project can find this out by placing the request. */
const fits = (fleet: Fleet, request: RequestSpec, profile: Profile): boolean =>
  examine(fleet, request, profile, 's').firstRefusing.includes(PASSES_ALL)

/** Computes the state of each demand only by testing which parts of the request can be placed. */
function foundOut(places: (parts: Parts) => boolean, whole: Parts, { order, unevaluated = 0 }: Asking) {
  const states = new Map<TenantDemand, DemandState>()
  const given = asked.filter((demand) => whole[demand] !== undefined)
  if (places(whole)) return new Map(given.map((demand) => [demand, 'MET' as DemandState]))
  if (!places({})) return states
  let some: Parts = {}
  for (const [step, group] of order.entries()) {
    const next = given.filter((demand) => group.includes(demand))
    some = { ...some, ...Object.fromEntries(next.map((demand) => [demand, whole[demand]])) }
    const isMet = places(some)
    if (!isMet && step < unevaluated) return new Map<TenantDemand, DemandState>()
    for (const demand of next) states.set(demand, isMet ? 'MET' : 'IN_THE_WAY')
    if (!isMet) return states
  }
  throw new Error('each part of the request was placed, but the whole request was not')
}

/** Asserts for random fleets that the explanation contains only facts that a project can find out by placing parts of its request. */
function holds(explain: Explain, name: string): void {
  const asking = profiles[name] as Asking
  const { profile } = asking
  fc.assert(
    fc.property(fc.array(host, { minLength: 1, maxLength: 5 }), parts, (hosts, whole) => {
      const fleet = fleetOf(hosts)
      const states = new Map(explainedBy(explain, fleet, requestOf(whole), profile).demands.map(({ demand, state }) => [demand, state]))
      const found = foundOut((some) => fits(fleet, requestOf(some), profile), whole, asking)
      for (const [demand, state] of states) expect([demand, state]).toEqual([demand, found.get(demand) ?? 'NOT_TOLD'])
    }),
    { numRuns: byExtent(40, 120), seed: 6, endOnFailure: true },
  )
}

describe.each(Object.keys(profiles))('by profile %s', (name) => {
  test('an explanation reveals nothing that the project could not find out by placing parts of its own request', () =>
    holds(explainTo, name))
})

test('an explanation that returns every code that occurs fails the assertion, because it reveals single hosts', () => {
  const explainEveryCode: Explain = (disclosed) => {
    const codes: readonly string[] = disclosed.reasons.map(({ code }) => code)
    const known: Readonly<Record<string, TenantDemand | null>> = tenantDemandOf
    const cameUp = new Set(codes.map((code) => known[code]))
    const explained = explainTo(disclosed)
    return { ...explained, demands: explained.demands.map((each) => (cameUp.has(each.demand) ? { ...each, state: 'IN_THE_WAY' } : each)) }
  }
  expect(() => holds(explainEveryCode, 'default')).toThrow(/Property failed/)
})

test('an explanation that reports how many filters of operators a request passed fails the assertion', () => {
  const { profile } = profiles.default as Asking
  // explains with a different `profile`, in which the operators' filters come first
  const explainAnyway: Explain = (disclosed) => explainTo({ ...disclosed, profile })
  expect(() => holds(explainAnyway, 'operators in between')).toThrow(/Property failed/)
})

test('requests of increasing size reveal only the free capacity of the emptiest host', () => {
  const { profile } = profiles.default as Asking
  const answers = (rooms: readonly number[]) => {
    const fleet = fleetOf(rooms.map((memoryMb) => ({ shape: { memoryMb }, isClosed: false, isFast: false, zone: 'z1' })))
    return Array.from({ length: 40 }, (_, MEMORY) => explainedBy(explainTo, fleet, requestOf({ MEMORY: MEMORY + 1, VCPUS: 99 }), profile))
  }
  const one = answers([3, 9, 20, 31])
  expect(answers([4, 9, 30, 31])).toEqual(one)
  expect(answers([31])).toEqual(one)
  expect(answers([3, 9, 20, 30])).not.toEqual(one)
})

test('other names of hosts and aggregates, and another order of the hosts, do not change the explanation', () => {
  const { profile } = profiles.default as Asking
  fc.assert(
    fc.property(fc.array(host, { minLength: 1, maxLength: 4 }), parts, fc.string({ minLength: 1, maxLength: 8 }), (hosts, whole, name) => {
      const request = requestOf(whole)
      const explained = explainedBy(explainTo, fleetOf(hosts), request, profile)
      expect(explainedBy(explainTo, fleetOf([...hosts].reverse(), name), request, profile)).toEqual(explained)
    }),
    { numRuns: 40, seed: 6 },
  )
})

test('if not all instances are placed, the placed instances are counted and the first instance without a host is explained', () => {
  const { profile } = profiles.default as Asking
  const request = aRequest({ memoryMb: 8, projectId: 'p1', numInstances: 3 })
  const explained = explainTo({
    request,
    outcome: 'NO_VALID_HOST',
    placed: 1,
    profile,
    reasons: [{ filter: 'RamFilter', code: 'memory.short' }],
  })
  expect(explained.headline).toBe('No host was found for instance 2 of 3. The cause: 8 MiB.')
  expect([explained.placedCount, explained.instanceCount]).toEqual([1, 3])
})

test('if one filter refuses several demands together, no demand is said to be unmet by itself', () => {
  const { profile } = profiles['nova-compat'] as Asking
  const roomy = { isClosed: false, isFast: true, zone: 'z1' }
  const fleet = fleetOf([
    { shape: { memoryMb: 8, vcpus: 1 }, ...roomy },
    { shape: { memoryMb: 1, vcpus: 8 }, ...roomy },
  ])
  const texts = (given: Parts) => {
    const { headline, demands } = explainedBy(explainTo, fleet, requestOf(given), profile)
    return { headline, demands: demands.map(({ demand, state, text }) => [demand, state, text]) }
  }
  expect(texts({ MEMORY: 4, VCPUS: 4, GPUS: 1 })).toEqual({
    headline: 'No host was found for the instance. No host meets these requirements together: 4 vCPUs, 4 MiB.',
    demands: [
      [
        'VCPUS',
        'IN_THE_WAY',
        'No host meets this requirement together with 4 MiB. Choose a flavor with fewer virtual CPUs, or ask again later.',
      ],
      [
        'MEMORY',
        'IN_THE_WAY',
        'No host meets this requirement together with 4 vCPUs. Choose a flavor with less memory, or ask again later.',
      ],
      ['GPUS', 'NOT_TOLD', 'It is not shown whether this requirement is met.'],
    ],
  })
  const [met, first, second] = texts({ MEMORY: 4, VCPUS: 4, EXTRA_SPECS: 'fast' }).demands
  expect(met).toEqual(['EXTRA_SPECS', 'MET', 'At least one host meets this requirement.'])
  expect(first?.[2]).toMatch(/^No host that meets all requirements listed as met meets this requirement together with 4 MiB\. /)
  expect(second?.[2]).toMatch(/^No host that meets all requirements listed as met meets this requirement together with 4 vCPUs\. /)
})

test('demands that are met are listed first, although the filter that refused also checks the demands of earlier filters', () => {
  const { profile } = profiles.default as Asking
  const explained = explainTo({
    request: requestOf({ MEMORY: 4, VCPUS: 4, TRAITS: 'CUSTOM_T' }),
    outcome: 'NO_VALID_HOST',
    placed: 0,
    profile,
    reasons: [{ filter: 'ResourceClassFilter', code: 'class.unit' }],
  })
  expect(explained.demands.map(({ demand, state }) => [demand, state])).toEqual([
    ['TRAITS', 'MET'],
    ['MEMORY', 'IN_THE_WAY'],
    ['VCPUS', 'IN_THE_WAY'],
  ])
})

test.each<[string, Disclosed['reasons']]>([
  ['a filter that failed', [{ filter: 'RamFilter', code: 'filter.error' }]],
  ['an unknown filter', [{ filter: 'RackFilter', code: 'memory.short' }]],
  ['a code of another filter', [{ filter: 'RamFilter', code: 'disk.short' }]],
  ['a filter on settings of operators', [{ filter: 'ComputeFilter', code: 'host.disabled' }]],
  ['no host at all', []],
])('an explanation does not reveal %s', (_name, reasons) => {
  const { profile } = profiles.default as Asking
  const explained = explainTo({ request: aRequest({ memoryMb: 8 }), outcome: 'NO_VALID_HOST', placed: 0, profile, reasons })
  expect(explained.demands.map(({ state }) => state)).toEqual(['NOT_TOLD', 'NOT_TOLD'])
  expect(explained.isInYourHands).toBe(null)
})

function fleetOf(hosts: readonly { shape: HostShape; isClosed: boolean; isFast: boolean; zone: string }[], prefix = 'h'): Fleet {
  const log = aLog()
  const nameOf = (i: number) => `${prefix}${i}`
  log.append(hosts.map(({ shape }, i) => aReport(nameOf(i), shape)))
  const aggregate = (number: number, metadata: Record<string, string>, isIn: (host: (typeof hosts)[number]) => boolean): Change => ({
    type: 'aggregate',
    uuid: aUuid(number),
    expectedVersion: 0,
    next: { name: `${prefix} ${number}`, metadata, hosts: hosts.flatMap((each, i) => (isIn(each) ? [nameOf(i)] : [])) },
  })
  log.append([
    aggregate(1, { availability_zone: 'z1' }, ({ zone }) => zone === 'z1'),
    aggregate(2, { availability_zone: 'z2' }, ({ zone }) => zone === 'z2'),
    aggregate(3, { disk_kind: 'fast' }, ({ isFast }) => isFast),
    ...hosts.flatMap(({ isClosed }, i): Change[] =>
      isClosed ? [{ type: 'status', host: nameOf(i), node: nameOf(i), status: 'DISABLED', reason: prefix }] : [],
    ),
  ])
  return log.fleet
}

function builtIn(name: string): Profile {
  const profile = aLog().fleet.profiles.find(name)
  if (profile === undefined) throw new Error(`there is no profile ${name}`)
  return profile
}

function aProfile(filters: readonly string[]): Profile {
  const parsed = parseProfile({ name: 'own', number: 1, filters: filters.map((name) => ({ name })), weighers: [] })
  if (!parsed.ok) throw new Error(parsed.problems.map(({ message }) => message).join('; '))
  return parsed.value
}
