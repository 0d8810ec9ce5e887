import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { byExtent } from '../../../../testing/extent.ts'
import { canonicalJson } from '../canonical-json.ts'
import { FEATURE_LEVEL } from '../fleet/change.ts'
import { copyFleet } from '../fleet/copy.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { atOnce } from '../fleet/steps.ts'
import { builtInProfiles } from '../profiles/built-in.ts'
import type { Profile } from '../profiles/profile.ts'
import type { RequestSpec, RequestSpecInput } from '../request/request-spec.ts'
import { aClaim, aLog, aReport, aRequest, aUuid, type HostShape } from '../testing/index.ts'
import { containsAll } from './minimal.ts'
import type { ProposedChange } from './remedies/remedy.ts'
import { simulate } from './simulate.ts'
import { edit } from './testing.ts'
import { applyTo } from './trial.ts'
import { type Counterfactual, type WhatWouldFitOptions, whatWouldFit } from './what-would-fit.ts'

const GIB = 1_024
const isOver = () => false
const profiles = ['default', 'nova', 'nova-compat', 'best-fit', 'random'].map(
  (name) => builtInProfiles.find((known) => known.name === name) as Profile,
)

interface HostDrawn {
  readonly shape: HostShape
  readonly zone: 'zone1' | 'zone2' | null
  readonly state: 'ENABLED' | 'DISABLED' | 'MAINTENANCE' | 'DRAINING' | 'DOWN'
  /** GiB and seconds of reservations; 0 seconds: confirmed. */
  readonly held: readonly (readonly [gib: number, seconds: number])[]
  readonly isMember: boolean
  /** MiB that an operator keeps back, and a ratio of vCPUs that one set; null: neither. */
  readonly reserved: number | null
  readonly cpuRatio: number | null
}

const hostDrawn: fc.Arbitrary<HostDrawn> = fc.record({
  shape: fc
    .record({
      vcpus: fc.integer({ min: 1, max: 8 }),
      gib: fc.integer({ min: 1, max: 8 }),
      localGb: fc.constantFrom(0, 20, 100),
      traits: fc.constantFrom<string[]>([], [], ['CUSTOM_FAST'], ['CUSTOM_FAST', 'CUSTOM_QUIET']),
      gpus: fc.integer({ min: 0, max: 2 }),
      gpuNode: fc.constantFrom(null, 0, 1),
      fpgas: fc.integer({ min: 0, max: 4 }),
      cells: fc.integer({ min: 0, max: 2 }),
      pci: fc.integer({ min: 0, max: 2 }),
    })
    .map(
      ({ gib, gpus, gpuNode, fpgas, cells, pci, ...rest }): HostShape => ({
        ...rest,
        memoryMb: gib * GIB,
        supportedInstances: [{ arch: 'x86_64', hvType: 'kvm', vmMode: 'hvm' }],
        gpus: Array.from({ length: gpus }, (_, index) => ({ index, model: 'A100', numaNode: gpuNode })),
        inventories: fpgas === 0 ? [] : [{ resourceClass: 'CUSTOM_FPGA', total: fpgas }],
        numaCells: Array.from({ length: cells }, (_, id) => ({ id, cpuset: [0, 1, 2, 3].map((cpu) => cpu + id * 4), memoryMb: 2 * GIB })),
        pciPools: pci === 0 ? [] : [{ vendorId: 'v', productId: 'p', total: pci }],
      }),
    ),
  zone: fc.constantFrom('zone1', 'zone2', null),
  state: fc.constantFrom('ENABLED', 'ENABLED', 'ENABLED', 'DISABLED', 'MAINTENANCE', 'DRAINING', 'DOWN'),
  held: fc.array(fc.tuple(fc.integer({ min: 1, max: 3 }), fc.constantFrom(0, 60, 60, 120, 600)), { maxLength: 3 }),
  isMember: fc.boolean(),
  reserved: fc.constantFrom(null, GIB, 2 * GIB, 5 * GIB),
  cpuRatio: fc.constantFrom(null, null, 0.5, 2),
})

type Parts = Parameters<typeof aRequest>[0]
const group = { instanceGroup: { uuid: aUuid(7), policy: 'ANTI_AFFINITY' as const } }
const soft = { uuid: aUuid(8), policy: 'SOFT_ANTI_AFFINITY' as const }
const spreadBy = (spread: NonNullable<RequestSpecInput['topologySpread']>[number]): Parts => ({
  instanceGroup: soft,
  topologySpread: [spread],
})
const inCell: Parts = { numaTopology: { cells: [{ id: 0, cpus: [0, 1], memoryMb: GIB }] } }
const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0)
/** Mostly the first: a request with many wishes at once has no way out of two changes. */
const rarely = <Value>(usual: Value, ...others: readonly Value[]): fc.Arbitrary<Value> =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...others) })

const requestDrawn: fc.Arbitrary<RequestSpec> = fc
  .record({
    vcpus: fc.integer({ min: 1, max: 9 }),
    gib: fc.integer({ min: 1, max: 10 }),
    rootGb: fc.constantFrom(0, 0, 30),
    numInstances: fc.constantFrom(1, 1, 1, 2, 3, 5),
    place: rarely<Parts>(
      {},
      { availabilityZone: 'zone1' },
      { availabilityZone: 'zne2' },
      { forceHosts: ['h0'] },
      { ignoreHosts: ['h0'] },
      { forceHosts: ['h0'], requestedDestination: { host: 'h1' } },
      { forceHosts: ['h0'], forceNodes: ['h1'] },
      { requestedDestination: { host: 'h1', aggregates: [aUuid(3)] } },
      { requestedDestination: { forbiddenAggregates: [aUuid(1), aUuid(2), aUuid(3)] } },
    ),
    image: rarely<Parts>(
      {},
      { image: { architecture: 'x86_64', properties: { img_hv_type: 'xen' } } },
      { image: { properties: { hw_architecture: 'aarch64', img_hv_type: 'kvm', os_type: 'linux' } } },
    ),
    traits: rarely<string[]>([], ['CUSTOM_FAST'], ['CUSTOM_FSAT'], ['CUSTOM_NONE_SUCH'], ['CUSTOM_FSAT', 'CUSTOM_QUIET']),
    specs: rarely<Record<string, string>>({}, {}, {}, { 'resources:CUSTOM_FPGA': '3' }, { ssd: 'true' }, { sdd: 'true' }, { ssd: 'treu' }),
    devices: rarely<Parts>(
      {},
      { gpus: { count: 1 } },
      { gpus: { count: 2, models: ['A10'] } },
      { pciRequests: [{ count: 2, specs: [{ vendor_id: 'v' }] }] },
      { pciRequests: [1, 1].map((count) => ({ count, specs: [{ vendor_id: 'v' }] })) },
      { gpus: { count: 1 }, pciRequests: [{ count: 1, specs: [{ vendor_id: 'v' }], numaPolicy: 'required' }], ...inCell },
      { gpus: { count: 1, numaPolicy: 'required' }, ...inCell },
      {
        gpus: { count: 1, shareMilli: 500, numaPolicy: 'required' },
        ...inCell,
        pciRequests: [{ count: 1, specs: [{ vendor_id: 'v' }], numaPolicy: 'required' }],
      },
      { numaTopology: { cells: [{ id: 0, cpus: [0, 1], memoryMb: 3 * GIB, cpuPolicy: 'dedicated' }] } },
      { numaTopology: { cells: [{ id: 0, cpus: [0, 1, 2], memoryMb: GIB, cpuPolicy: 'dedicated' }] } },
      { numaTopology: { cells: [{ id: 0, cpus: [0, 1], memoryMb: GIB, pageSize: 1_048_576 }] } },
      { numaTopology: { cells: [{ id: 0, cpus: [0, 1], memoryMb: GIB, pageSize: 'large', cpuPolicy: 'dedicated' }] } },
      group,
      spreadBy({ topologyKey: 'host', maxPerDomain: 1 }),
      spreadBy({ topologyKey: 'host', maxSkew: 1 }),
      spreadBy({ topologyKey: 'availability_zone', maxSkew: 1, maxPerDomain: 2 }),
      spreadBy({ topologyKey: 'rack', maxSkew: 1 }),
    ),
  })
  .map(({ vcpus, gib, rootGb, numInstances, place, image, traits, specs, devices }) => {
    // a guest of cells has what its cells have together, else the service does not take it
    const cells = devices?.numaTopology?.cells
    const size =
      cells === undefined
        ? { vcpus, memoryMb: gib * GIB }
        : { vcpus: sumOf(cells.map(({ cpus }) => cpus.length)), memoryMb: sumOf(cells.map(({ memoryMb }) => memoryMb)) }
    return aRequest({
      flavor: { ...size, rootGb, extraSpecs: specs },
      requestedResources: [{ amounts: [], requiredTraits: traits }],
      ...{ numInstances, ...place, ...image, ...devices },
    })
  })

function fleetOf(drawn: readonly HostDrawn[]): Fleet {
  const log = aLog()
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, ...drawn.map(({ shape }, i) => aReport(`h${i}`, shape))])
  const membersOf = (isIn: (host: HostDrawn, i: number) => boolean) => drawn.flatMap((host, i) => (isIn(host, i) ? [`h${i}`] : []))
  const aggregates = [
    { name: 'zone1', hosts: membersOf(({ zone }) => zone === 'zone1'), metadata: { availability_zone: 'zone1' } },
    { name: 'zone2', hosts: membersOf(({ zone }) => zone === 'zone2'), metadata: { availability_zone: 'zone2' } },
    { name: 'fast', hosts: membersOf((_, i) => i % 2 === 0), metadata: { ssd: 'true' } },
  ]
  log.append(aggregates.map((next, i) => ({ type: 'aggregate', uuid: aUuid(i + 1), expectedVersion: 0, next })))
  for (const [i, { held, isMember, state, reserved, cpuRatio }] of drawn.entries()) {
    const host = `h${i}`
    const set = { type: 'hostAllocation', host, node: host, by: 'op', reason: 'test' } as const
    if (reserved !== null) log.append([{ ...set, resourceClass: 'MEMORY_MB', reserved }])
    if (cpuRatio !== null) log.append([{ ...set, resourceClass: 'VCPU', ratio: cpuRatio }])
    for (const [j, [gib, seconds]] of held.entries()) {
      const grants = { classes: { MEMORY_MB: gib * GIB } }
      const mode = seconds === 0 ? 'CONFIRM' : 'RESERVE'
      log.append([aClaim({ key: `${host}-${j}`, hosts: [host], grants, mode, ttlMs: Math.max(1, seconds) * 1_000 })])
    }
    const binding = { uuid: aUuid(7), policy: 'ANTI_AFFINITY', maxServerPerHost: 1 } as const
    if (isMember && i % 2 === 0)
      log.append([
        aClaim({
          key: `${host}-soft`,
          hosts: [host],
          grants: {},
          mode: 'CONFIRM',
          group: { uuid: aUuid(8), policy: 'SOFT_ANTI_AFFINITY', maxServerPerHost: null },
        }),
      ])
    if (isMember) log.append([aClaim({ key: `${host}-member`, hosts: [host], grants: {}, group: binding })])
    if (state === 'DOWN') log.append([{ type: 'liveness', host, node: host, state, reason: 'silent' }])
    else if (state !== 'ENABLED') log.append([{ type: 'status', host, node: host, status: state, reason: 'test' }])
  }
  return log.fleet
}

const fits = (fleet: Fleet, request: RequestSpec, profile: Profile): boolean =>
  atOnce(simulate(fleet, { requests: [{ request, count: 1 }], profile, seed: 's', isOver })).failed === 0

function fitsWith(fleet: Fleet, request: RequestSpec, profile: Profile, changes: readonly ProposedChange[]): boolean {
  const applied = applyTo(request, profile, changes)
  return fits(edit(copyFleet(fleet), applied.edits), applied.request, applied.profile)
}

const ask = (fleet: Fleet, request: RequestSpec, profile: Profile, more: Partial<WhatWouldFitOptions> = {}) =>
  atOnce(
    whatWouldFit(fleet, {
      ...{ request, profile, isOver, seed: 's', kinds: ['REQUEST', 'FLEET', 'POLICY'] },
      ...{ maxChanges: 2, first: 10, minHosts: 1, mostRuns: 100 },
      ...more,
    }),
  )

/** Every way to leave one part of some changes out: a change, or a part of one, such as a claim that is waited for. */
const lackingOne = (changes: readonly ProposedChange[]): (readonly ProposedChange[])[] =>
  changes.flatMap((change) => {
    const others = changes.filter((one) => one !== change)
    const { names = [], of } = change.parts ?? {}
    const fewer = names.length < 2 ? [] : names.map((name) => names.filter((one) => one !== name))
    return [others, ...fewer.flatMap((some) => (of === undefined ? [] : [[...others, of(some)]]))]
  })

/** Every way to bring one number of some changes nearer to what it is now: by one step, by half of the way, and all but one. */
const nearer = (changes: readonly ProposedChange[]): (readonly ProposedChange[])[] =>
  changes.flatMap((change) => {
    const { number } = change
    if (number === undefined) return []
    const { from, to, step = 1 } = number
    const towards = Math.sign(from - to)
    const all = Math.ceil(Math.abs(from - to) / step)
    const between = [1, Math.floor(all / 2), all - 1].flatMap((steps) => (steps > 0 && steps < all ? [to + towards * step * steps] : []))
    return [...new Set(between)].map((other) => changes.map((one) => (one === change ? number.at(other) : one)))
  })

/** Fields that a request may have or not have, each by itself: how they are read, and the request with what another one says of it. */
const wishes: readonly {
  readonly path: string
  of(request: RequestSpec): unknown
  from(request: RequestSpec, other: RequestSpec): RequestSpec
}[] = [
  { path: 'forceHosts', of: ({ forceHosts }) => forceHosts, from: (one, { forceHosts }) => ({ ...one, forceHosts }) },
  { path: 'forceNodes', of: ({ forceNodes }) => forceNodes, from: (one, { forceNodes }) => ({ ...one, forceNodes }) },
  ...(['host', 'aggregates'] as const).map((name) => ({
    path: `requestedDestination.${name}`,
    of: ({ requestedDestination }: RequestSpec) => requestedDestination?.[name],
    from: (one: RequestSpec, { requestedDestination }: RequestSpec): RequestSpec => ({
      ...one,
      requestedDestination: requestedDestination && {
        ...requestedDestination,
        ...one.requestedDestination,
        [name]: requestedDestination[name],
      },
    }),
  })),
  ...[1, 2, 3].map(aUuid).map((uuid) => ({
    path: `requestedDestination.forbiddenAggregates ${uuid}`,
    of: ({ requestedDestination }: RequestSpec) => requestedDestination?.forbiddenAggregates.includes(uuid) ?? false,
    from: (one: RequestSpec): RequestSpec => ({
      ...one,
      requestedDestination: one.requestedDestination && {
        ...one.requestedDestination,
        forbiddenAggregates: [...one.requestedDestination.forbiddenAggregates, uuid],
      },
    }),
  })),
  {
    path: 'image.architecture',
    of: ({ image }) => image?.architecture,
    from: (one, other) => ({ ...one, image: one.image && { ...one.image, architecture: other.image?.architecture ?? null } }),
  },
  ...['hw_architecture', 'img_hv_type', 'os_type'].map((key) => ({
    path: `image.properties.${key}`,
    of: ({ image }: RequestSpec) => image?.properties[key],
    from: (one: RequestSpec, other: RequestSpec): RequestSpec => ({
      ...one,
      image: one.image && { ...one.image, properties: { ...one.image.properties, [key]: other.image?.properties[key] ?? '' } },
    }),
  })),
  ...[0, 1].map((i) => ({
    path: `pciRequests.${i}`,
    of: ({ pciRequests }: RequestSpec) => pciRequests.length > i,
    from: (one: RequestSpec, { pciRequests }: RequestSpec): RequestSpec => ({ ...one, pciRequests: pciRequests.slice(0, i + 1) }),
  })),
  {
    path: 'numaTopology',
    of: ({ numaTopology }) => numaTopology === null,
    // all but the pages and the policy, which are wishes of their own
    from: (one, { numaTopology }) => ({
      ...one,
      numaTopology: numaTopology && {
        ...numaTopology,
        cells: numaTopology.cells.map((cell) => ({ ...cell, pageSize: null, cpuPolicy: 'shared' })),
      },
    }),
  },
  ...(['pageSize', 'cpuPolicy'] as const).map((name) => ({
    path: `numaTopology.${name}`,
    of: ({ numaTopology }: RequestSpec) => numaTopology?.cells[0]?.[name],
    from: (one: RequestSpec, other: RequestSpec): RequestSpec => ({
      ...one,
      numaTopology: one.numaTopology && {
        ...one.numaTopology,
        cells: one.numaTopology.cells.map((cell) => ({ ...cell, [name]: other.numaTopology?.cells[0]?.[name] })),
      },
    }),
  })),
]

/** What a proposal gives up of the request, as far as it can be had back alone. */
const givenUp = (request: RequestSpec, changed: RequestSpec) =>
  wishes.filter(
    ({ of, from }) =>
      JSON.stringify(of(request)) !== JSON.stringify(of(changed)) && JSON.stringify(from(changed, request)) !== JSON.stringify(changed),
  )

/** What is decided with a proposal, however it was come to. */
const madeOf = ({ request, edits, filters }: Pick<Counterfactual, 'request' | 'edits' | 'filters'>): string =>
  canonicalJson({ request, edits, filters: filters ?? null })

const refused = fc
  .record({ hosts: fc.array(hostDrawn, { minLength: 1, maxLength: 5 }), request: requestDrawn, profile: fc.constantFrom(...profiles) })
  .filter(({ hosts, request, profile }) => !fits(fleetOf(hosts), request, profile))

describe('of two numbers for one thing only the nearer to what it is now is told', () => {
  const saidOf = (fleet: Fleet, request: RequestSpec) =>
    ask(fleet, request, profiles[0] as Profile).counterfactuals.map(({ changes }) =>
      changes.map(({ subject, from, to }) => `${subject} ${from} -> ${to}`).join('; '),
    )
  test('where one of them is none', () => {
    const log = aLog()
    const fpga = (total: number) => ({ inventories: [{ resourceClass: 'CUSTOM_FPGA', total }] })
    log.append([{ type: 'feature', level: FEATURE_LEVEL }, aReport('h0', fpga(2)), aReport('h1')])
    const request = aRequest({ flavor: { vcpus: 1, memoryMb: 1, extraSpecs: { 'resources:CUSTOM_FPGA': '3' } } })
    const ofClass = saidOf(log.fleet, request).filter((said) => said.startsWith('CUSTOM_FPGA '))
    expect(ofClass).toEqual(['CUSTOM_FPGA 3 -> 2'])
  })

  test('where it is a ratio beside fewer instances', () => {
    const ratio = (milli: number): ProposedChange => ({
      ...{ kind: 'POLICY', subject: 'VCPU allocation ratio of host h0', from: '1', to: String(milli / 1_000), effort: 5 },
      number: { from: 1_000, to: milli, at: ratio },
    })
    const instances = (count: number): ProposedChange => ({
      ...{ kind: 'REQUEST', subject: 'instances', from: '7', to: String(count), effort: 3 },
      number: { from: 7, to: count, at: instances },
    })
    expect(containsAll([ratio(10_000), instances(5)], [ratio(9_000), instances(5)])).toBe(true)
    expect(containsAll([ratio(9_000), instances(5)], [ratio(10_000), instances(5)])).toBe(false)
    expect(containsAll([ratio(9_000), instances(4)], [ratio(9_000), instances(5)])).toBe(true)
    // neither has less of both
    expect(containsAll([ratio(10_000), instances(5)], [ratio(9_000), instances(4)])).toBe(false)
  })

  test('asking more is not asking less, however near', () => {
    const amount = (to: number): ProposedChange => ({
      ...{ kind: 'REQUEST', subject: 'CUSTOM_FPGA', from: '4', to: String(to), effort: 2 },
      number: { from: 4, to, at: amount },
    })
    expect(containsAll([amount(8)], [amount(3)])).toBe(false)
    expect(containsAll([amount(8)], [amount(6)])).toBe(true)
  })
})

test('whoever may have GPUs farther away is not told to give up the cells that they are near to', () => {
  const log = aLog()
  const shape = { vcpus: 2, memoryMb: GIB, numaCells: [{ id: 0, cpuset: [0, 1], memoryMb: GIB }], gpus: [{ index: 0 }] }
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, aReport('h0', shape), aReport('h1', { vcpus: 1, memoryMb: GIB })])
  const request = aRequest({ flavor: { vcpus: 2, memoryMb: GIB }, ...inCell, gpus: { count: 1, numaPolicy: 'required' } })
  const said = ask(log.fleet, request, profiles[0] as Profile).counterfactuals.map(({ changes }) => changes.map(({ subject }) => subject))
  expect(said).toContainEqual(['NUMA policy of GPUs'])
  expect(said).not.toContainEqual(['NUMA topology'])
})

describe('of random refusals', () => {
  test('each proposal makes the request fit, none of its parts can be left out or be less, and none is harmful', () => {
    const met = {
      proposals: 0,
      numbers: 0,
      ratios: 0,
      reserves: 0,
      spreads: 0,
      policies: 0,
      pairs: 0,
      waits: 0,
      lastResorts: 0,
      spellings: 0,
    }
    fc.assert(
      fc.property(refused, fc.constantFrom(1, 3, 10), ({ hosts, request, profile }, first) => {
        const fleet = fleetOf(hosts)
        const { counterfactuals } = ask(fleet, request, profile, { first })
        const texts = counterfactuals.map(({ text }) => text).join('\n')
        for (const { changes, text, ...what } of counterfactuals) {
          const made = madeOf(what)
          expect([text, fitsWith(fleet, request, profile, changes)]).toEqual([text, true])
          for (const fewer of [...lackingOne(changes), ...nearer(changes)]) {
            const left = fewer.map(({ subject, to }) => `${subject} ${to}`)
            expect([text, left, fitsWith(fleet, request, profile, fewer)]).toEqual([text, left, false])
          }
          let before = request
          for (const { subject, number, request: change } of changes) {
            const own = number?.of?.(before)
            // what it is said to be now the request has, with the changes before it
            if (number?.of !== undefined) expect([text, subject, own?.number?.from]).toEqual([text, subject, number.from])
            before = change?.(before) ?? before
          }
          const changed = applyTo(request, profile, changes).request
          const given = givenUp(request, changed)
          for (const { path, from } of given) {
            const kept: ProposedChange = {
              kind: 'REQUEST',
              subject: path,
              from: null,
              to: 'kept',
              effort: 1,
              request: (one) => from(one, request),
            }
            expect([text, path, fitsWith(fleet, request, profile, [...changes, kept])]).toEqual([text, path, false])
          }
          for (const other of counterfactuals)
            if (other.changes !== changes) {
              expect([text, other.text, containsAll(changes, other.changes)]).toEqual([text, other.text, false])
              expect([text, other.text, madeOf(other)]).not.toEqual([text, other.text, made])
            }
        }
        const isLast = ({ changes }: (typeof counterfactuals)[number]) => changes.some(({ lastResort = false }) => lastResort)
        // where another request, or waiting, is enough, nobody else is touched
        const isMild = (one: (typeof counterfactuals)[number]) =>
          !isLast(one) && one.changes.every(({ kind, waits }) => kind === 'REQUEST' || waits)
        if (counterfactuals.some(isMild)) expect(counterfactuals.filter(isLast), texts).toEqual([])
        const efforts = counterfactuals.map(({ effort }) => effort)
        expect(efforts).toEqual(efforts.toSorted((a, b) => a - b))
        expect(counterfactuals.length).toBeLessThanOrEqual(first)
        met.proposals += counterfactuals.length
        met.pairs += counterfactuals.filter(({ changes }) => changes.length > 1).length
        met.numbers += counterfactuals.filter(({ changes }) => nearer(changes).length > 0).length
        met.ratios += counterfactuals.filter(({ edits }) => edits.ratios.length > 0).length
        met.reserves += counterfactuals.filter(({ edits }) => edits.reserves.length > 0).length
        const ofSubject = (start: string) =>
          counterfactuals.filter(({ changes }) => changes.some(({ subject }) => subject.startsWith(start))).length
        met.spreads += ofSubject('spread over')
        met.policies += ofSubject('NUMA policy of')
        met.waits += counterfactuals.filter(({ changes }) => changes.some(({ waits }) => waits)).length
        met.lastResorts += counterfactuals.filter(isLast).length
        met.spellings += counterfactuals.filter(({ changes }) =>
          changes.some(({ to }) => ['zone2', 'CUSTOM_FAST', 'ssd'].includes(to)),
        ).length
      }),
      // in so few runs that every kind is reached is chance: those of one seed reach them
      byExtent({ numRuns: 80, seed: 1 }, { numRuns: 2_000 }),
    )
    // what is drawn reaches every kind; those that few refusals are about in many runs alone
    const rare = byExtent(['ratios', 'reserves', 'spreads', 'policies'], [])
    for (const [kind, count] of Object.entries(met)) expect([kind, count > 0 || rare.includes(kind)]).toEqual([kind, true])
  })

  test('no host is raised or opened where a smaller request alone will do', () => {
    fc.assert(
      fc.property(refused, ({ hosts, request, profile }) => {
        const fleet = fleetOf(hosts)
        const shrunk = ask(fleet, request, profile, { kinds: ['REQUEST'] }).counterfactuals.filter(
          ({ changes }) => !changes.some(({ lastResort = false }) => lastResort),
        )
        if (shrunk.length === 0) return
        const raised = ask(fleet, request, profile).counterfactuals.flatMap(({ edits }) => edits.enableHosts)
        const states = raised.map((host) => hosts[Number(host.slice(1))]?.state)
        expect(states).toEqual([])
      }),
      { numRuns: byExtent(40, 500) },
    )
  })
})
