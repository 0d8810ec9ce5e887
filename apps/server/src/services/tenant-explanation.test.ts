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
import { type DemandState, type Telling, tell } from './tenant-explanation.ts'

/** Parts of a request, each of which a project can leave out. */
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
  /** The order in which it asks, those of one filter together. */
  readonly order: readonly (readonly TenantDemand[])[]
  /** How many of those come before a question of the operators'. */
  readonly untold?: number
}

const profiles: Readonly<Record<string, Asking>> = {
  default: { profile: builtIn('default'), order: asked.map((demand) => [demand]) },
  'nova-compat': { profile: builtIn('nova-compat'), order: [['EXTRA_SPECS'], ['VCPUS', 'MEMORY', 'DISK', 'RESOURCES'], ['GPUS']] },
  'operators in between': {
    profile: aProfile(['RamFilter', 'CoreFilter', 'NumInstancesFilter', 'ComputeFilter']),
    order: [['MEMORY'], ['VCPUS'], ['DISK', 'RESOURCES'], ['GPUS']],
    untold: 2,
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

type Teller = (telling: Telling) => ReturnType<typeof tell>

/** What a project is told of a request on a fleet. */
function toldBy(teller: Teller, fleet: Fleet, request: RequestSpec, profile: Profile) {
  const isPlaced = fits(fleet, request, profile)
  const reasons = isPlaced ? [] : examine(fleet, request, profile, 's').steps.flatMap((step) => step.reasons)
  return teller({ request, outcome: isPlaced ? 'PLACED' : 'NO_VALID_HOST', placed: isPlaced ? 1 : 0, profile, reasons })
}

/** All that a project finds out by placing: yes or no. */
const fits = (fleet: Fleet, request: RequestSpec, profile: Profile): boolean =>
  examine(fleet, request, profile, 's').firstRefusing.includes(PASSES_ALL)

/** The same states from nothing but whether parts of the request are placed. */
function foundOut(places: (parts: Parts) => boolean, whole: Parts, { order, untold = 0 }: Asking) {
  const states = new Map<TenantDemand, DemandState>()
  const given = asked.filter((demand) => whole[demand] !== undefined)
  if (places(whole)) return new Map(given.map((demand) => [demand, 'MET' as DemandState]))
  if (!places({})) return states
  let some: Parts = {}
  for (const [step, group] of order.entries()) {
    const next = given.filter((demand) => group.includes(demand))
    some = { ...some, ...Object.fromEntries(next.map((demand) => [demand, whole[demand]])) }
    const isMet = places(some)
    if (!isMet && step < untold) return new Map<TenantDemand, DemandState>()
    for (const demand of next) states.set(demand, isMet ? 'MET' : 'IN_THE_WAY')
    if (!isMet) return states
  }
  throw new Error('parts of the request that are all of it were placed, and the whole was not')
}

/** Whatever the fleet: what is told follows from which parts of the request would be placed. */
function holds(teller: Teller, name: string): void {
  const asking = profiles[name] as Asking
  const { profile } = asking
  fc.assert(
    fc.property(fc.array(host, { minLength: 1, maxLength: 5 }), parts, (hosts, whole) => {
      const fleet = fleetOf(hosts)
      const states = new Map(toldBy(teller, fleet, requestOf(whole), profile).demands.map(({ demand, state }) => [demand, state]))
      const found = foundOut((some) => fits(fleet, requestOf(some), profile), whole, asking)
      for (const [demand, state] of states) expect([demand, state]).toEqual([demand, found.get(demand) ?? 'NOT_TOLD'])
    }),
    { numRuns: 120, seed: 6, endOnFailure: true },
  )
}

describe.each(Object.keys(profiles))('by profile %s', (name) => {
  test('a project is told nothing that it could not find out by placing parts of its own request', () => holds(tell, name))
})

test('and this is noticed: telling every code that came up tells of single hosts', () => {
  const tellEveryCode: Teller = (telling) => {
    const codes: readonly string[] = telling.reasons.map(({ code }) => code)
    const known: Readonly<Record<string, TenantDemand | null>> = tenantDemandOf
    const cameUp = new Set(codes.map((code) => known[code]))
    const told = tell(telling)
    return { ...told, demands: told.demands.map((each) => (cameUp.has(each.demand) ? { ...each, state: 'IN_THE_WAY' } : each)) }
  }
  expect(() => holds(tellEveryCode, 'default')).toThrow(/Property failed/)
})

test('and this is noticed: telling how far a request came where the operators judge in between', () => {
  const { profile } = profiles.default as Asking
  // as if the profile were one that asks the operators first
  const tellAnyway: Teller = (telling) => tell({ ...telling, profile })
  expect(() => holds(tellAnyway, 'operators in between')).toThrow(/Property failed/)
})

test('asking with one size after the other tells the room of no host but the freest', () => {
  const { profile } = profiles.default as Asking
  const answers = (rooms: readonly number[]) => {
    const fleet = fleetOf(rooms.map((memoryMb) => ({ shape: { memoryMb }, isClosed: false, isFast: false, zone: 'z1' })))
    return Array.from({ length: 40 }, (_, MEMORY) => toldBy(tell, fleet, requestOf({ MEMORY: MEMORY + 1, VCPUS: 99 }), profile))
  }
  const one = answers([3, 9, 20, 31])
  expect(answers([4, 9, 30, 31])).toEqual(one)
  expect(answers([31])).toEqual(one)
  expect(answers([3, 9, 20, 30])).not.toEqual(one)
})

test('names of hosts, of aggregates and of other projects change nothing', () => {
  const { profile } = profiles.default as Asking
  fc.assert(
    fc.property(fc.array(host, { minLength: 1, maxLength: 4 }), parts, fc.string({ minLength: 1, maxLength: 8 }), (hosts, whole, name) => {
      const request = requestOf(whole)
      const told = toldBy(tell, fleetOf(hosts), request, profile)
      expect(toldBy(tell, fleetOf([...hosts].reverse(), name), request, profile)).toEqual(told)
    }),
    { numRuns: 40, seed: 6 },
  )
})

test('of several instances, those that found a place are counted, and the one that did not is told', () => {
  const { profile } = profiles.default as Asking
  const request = aRequest({ memoryMb: 8, projectId: 'p1', numInstances: 3 })
  const told = tell({ request, outcome: 'NO_VALID_HOST', placed: 1, profile, reasons: [{ filter: 'RamFilter', code: 'memory.short' }] })
  expect(told.headline).toBe('No host was found for instance 2 of 3. In the way: 8 MiB.')
  expect([told.placedCount, told.instanceCount]).toEqual([1, 3])
})

test.each<[string, Telling['reasons']]>([
  ['a filter that failed', [{ filter: 'RamFilter', code: 'filter.error' }]],
  ['a filter that nobody knows', [{ filter: 'RackFilter', code: 'memory.short' }]],
  ['a code that is not of the filter', [{ filter: 'RamFilter', code: 'disk.short' }]],
  ['a filter of the operators', [{ filter: 'ComputeFilter', code: 'host.disabled' }]],
  ['no host at all', []],
])('%s is not told', (_name, reasons) => {
  const { profile } = profiles.default as Asking
  const told = tell({ request: aRequest({ memoryMb: 8 }), outcome: 'NO_VALID_HOST', placed: 0, profile, reasons })
  expect(told.demands.map(({ state }) => state)).toEqual(['NOT_TOLD', 'NOT_TOLD'])
  expect(told.isInYourHands).toBe(null)
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
