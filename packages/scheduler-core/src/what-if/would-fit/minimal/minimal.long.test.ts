import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { byExtent, draws } from '../../../../../../testing/extent.ts'
import { copyFleet } from '../../../fleet/copy.ts'
import type { Fleet } from '../../../fleet/fleet.ts'
import { FEATURE_LEVEL } from '../../../records/change.ts'
import type { Profile } from '../../../records/profile.ts'
import { tooSmallForImage } from '../../../request/contradictions.ts'
import type { RequestSpec } from '../../../request/request-spec.ts'
import { aLog, aReport, aRequest, aUuid } from '../../../testing/index.ts'
import { canonicalJson } from '../../../values/canonical-json.ts'
import { atOnce } from '../../../values/steps.ts'
import { simulate } from '../../simulate.ts'
import { edit } from '../../testing.ts'
import { fleetOf, GIB, hostDrawn, inCell, profiles, requestDrawn } from '../drawn-refusals.suite.ts'
import type { ProposedChange } from '../remedies/remedy.ts'
import { applyTo } from '../trial.ts'
import { type Counterfactual, type WhatWouldFitOptions, whatWouldFit } from '../what-would-fit.ts'
import { containsAll } from './minimal.ts'

const isOver = () => false

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
      ...{ maxChanges: 2, first: 10, minHosts: 1, maxRuns: 100 },
      ...more,
    }),
  )

/** All sets that result from leaving out one change of a set, or one part of a change, such as one of several claims to wait for. */
const lackingOne = (changes: readonly ProposedChange[]): (readonly ProposedChange[])[] =>
  changes.flatMap((change) => {
    const others = changes.filter((one) => one !== change)
    const { names = [], of } = change.parts ?? {}
    const fewer = names.length < 2 ? [] : names.map((name) => names.filter((one) => one !== name))
    return [others, ...fewer.flatMap((some) => (of === undefined ? [] : [[...others, of(some)]]))]
  })

/**
 * Sets in which one number is nearer to its present value: by one step, by half of the steps, and by all steps but one. If there are at
 * most 10 steps, all numbers in between are used.
 */
const nearer = (changes: readonly ProposedChange[]): (readonly ProposedChange[])[] =>
  changes.flatMap((change) => {
    const { number } = change
    if (number === undefined) return []
    const { from, to, step = 1 } = number
    const towards = Math.sign(from - to)
    const all = Math.ceil(Math.abs(from - to) / step)
    // at most 10 numbers are tried one by one
    const tried = all <= 10 ? Array.from({ length: all }, (_, steps) => steps) : [1, Math.floor(all / 2), all - 1]
    const between = tried.flatMap((steps) => (steps > 0 && steps < all ? [to + towards * step * steps] : []))
    return [...new Set(between)].map((other) => changes.map((one) => (one === change ? number.at(other) : one)))
  })

/** Requirements that a request can have or lack: `of` reads a requirement, `from` copies it from another request. */
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
    // page size and CPU policy are left out, because they are separate requirements in this list
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

/** The requirements that a proposal drops, if they can be restored separately. */
const givenUp = (request: RequestSpec, changed: RequestSpec) =>
  wishes.filter(
    ({ of, from }) =>
      JSON.stringify(of(request)) !== JSON.stringify(of(changed)) && JSON.stringify(from(changed, request)) !== JSON.stringify(changed),
  )

/** The effect of a proposal as text. Two proposals with the same text lead to the same decision. */
const madeOf = ({ request, edits, filters }: Pick<Counterfactual, 'request' | 'edits' | 'filters'>): string =>
  canonicalJson({ request, edits, filters: filters ?? null })

const refused = fc
  .record({ hosts: fc.array(hostDrawn, { minLength: 1, maxLength: 5 }), request: requestDrawn, profile: fc.constantFrom(...profiles) })
  .filter(({ request }) => tooSmallForImage({ ...request, nova: null }).length === 0)
  // the service refuses a gang under Nova's rules
  .filter(({ request, profile }) => request.gang.length === 0 || profile.compat !== 'nova')
  .filter(({ hosts, request, profile }) => !fits(fleetOf(hosts), request, profile))

describe('of two numbers for the same subject, only the number that is nearer to the present value is proposed', () => {
  const saidOf = (fleet: Fleet, request: RequestSpec) =>
    ask(fleet, request, profiles[0] as Profile).counterfactuals.map(({ changes }) =>
      changes.map(({ subject, from, to }) => `${subject} ${from} -> ${to}`).join('; '),
    )
  test('an amount of 0 is not proposed if a larger amount suffices', () => {
    const log = aLog()
    const fpga = (total: number) => ({ inventories: [{ resourceClass: 'CUSTOM_FPGA', total }] })
    log.append([{ type: 'feature', level: FEATURE_LEVEL }, aReport('h0', fpga(2)), aReport('h1')])
    const request = aRequest({ flavor: { vcpus: 1, memoryMb: 1, extraSpecs: { 'resources:CUSTOM_FPGA': '3' } } })
    const ofClass = saidOf(log.fleet, request).filter((said) => said.startsWith('CUSTOM_FPGA '))
    expect(ofClass).toEqual(['CUSTOM_FPGA 3 -> 2'])
  })

  test('a set with a larger ratio, or with fewer instances, contains the set with the nearer numbers', () => {
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
    // not contained, because each set has one number that is nearer than in the other set
    expect(containsAll([ratio(10_000), instances(5)], [ratio(9_000), instances(4)])).toBe(false)
  })

  test('a set that raises an amount contains no set that lowers the amount', () => {
    const amount = (to: number): ProposedChange => ({
      ...{ kind: 'REQUEST', subject: 'CUSTOM_FPGA', from: '4', to: String(to), effort: 2 },
      number: { from: 4, to, at: amount },
    })
    expect(containsAll([amount(8)], [amount(3)])).toBe(false)
    expect(containsAll([amount(8)], [amount(6)])).toBe(true)
  })
})

test('if it suffices to accept GPUs that are not near, dropping the NUMA topology is not proposed', () => {
  const log = aLog()
  const shape = { vcpus: 2, memoryMb: GIB, numaCells: [{ id: 0, cpuset: [0, 1], memoryMb: GIB }], gpus: [{ index: 0 }] }
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, aReport('h0', shape), aReport('h1', { vcpus: 1, memoryMb: GIB })])
  const request = aRequest({ flavor: { vcpus: 2, memoryMb: GIB }, ...inCell, gpus: { count: 1, numaPolicy: 'required' } })
  const said = ask(log.fleet, request, profiles[0] as Profile).counterfactuals.map(({ changes }) => changes.map(({ subject }) => subject))
  expect(said).toContainEqual(['NUMA policy of GPUs'])
  expect(said).not.toContainEqual(['NUMA topology'])
})

describe('for random refusals', () => {
  test('each proposal makes the request fit, no part of it can be left out or reduced, and harmful ones are the last resort', () => {
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
      documents: 0,
      gangs: 0,
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
            // `from` of a change is the value in the request after the preceding changes
            if (number?.of !== undefined) expect([text, subject, own?.number?.from]).toEqual([text, subject, number.from])
            before = change?.(before) ?? before
          }
          const changed = applyTo(request, profile, changes).request
          // a document is not restored here: its conditions are checked in nova-forms/kept-conditions.test.ts
          const given = changed.nova === null && request.nova === null ? givenUp(request, changed) : []
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
        // if a changed request or waiting suffices, no change of last resort is proposed
        const isHarmless = (one: (typeof counterfactuals)[number]) =>
          !isLast(one) && one.changes.every(({ kind, waits }) => kind === 'REQUEST' || waits)
        if (counterfactuals.some(isHarmless)) expect(counterfactuals.filter(isLast), texts).toEqual([])
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
        met.documents += counterfactuals.filter(
          ({ changes, request: changed }) => changed.nova !== null && changes.some(({ kind }) => kind === 'REQUEST'),
        ).length
        met.gangs += ofSubject('memory of gang member') + ofSubject('vCPUs of gang member')
        met.waits += counterfactuals.filter(({ changes }) => changes.some(({ waits }) => waits)).length
        met.lastResorts += counterfactuals.filter(isLast).length
        met.spellings += counterfactuals.filter(({ changes }) =>
          changes.some(({ to }) => ['zone2', 'CUSTOM_FAST', 'ssd'].includes(to)),
        ).length
      }),
      draws(100, 100, 2_000),
    )
    // every kind of proposal occurs, but rare kinds need not occur in short runs
    const inManyRuns = ['ratios', 'reserves', 'spreads', 'policies', 'spellings', 'gangs']
    const rare = byExtent(inManyRuns, inManyRuns, [])
    for (const [kind, count] of Object.entries(met)) expect([kind, count > 0 || rare.includes(kind)]).toEqual([kind, true])
  })

  test('no host is brought up or enabled if a harmless change of the request suffices', () => {
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
      { numRuns: byExtent(40, 40, 500) },
    )
  })
})
