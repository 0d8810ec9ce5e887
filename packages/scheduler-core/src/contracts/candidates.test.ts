import fc from 'fast-check'
import { expect, test } from 'vitest'
import { byExtent } from '../../../../testing/extent.ts'
import { openOverlay } from '../fleet/overlay.ts'
import { createNovaScheduler } from '../nova/compat/nova-scheduler.ts'
import { compileProfile } from '../pipeline/compile.ts'
import { prepareFilters, runFilters } from '../pipeline/filtering/run-filters.ts'
import { builtInProfiles } from '../profiles/built-in.ts'
import { profileSchema } from '../records/profile.ts'
import { createChanceScheduler, createFilterScheduler } from '../schedulers/filter-scheduler.ts'
import { aLog, aReport, aRequest, aUuid } from '../testing/index.ts'
import { NAMED_BY_ALL } from '../values/levels.ts'
import type { CompiledProfile } from './compiled-profile.ts'
import type { Filter } from './filter.ts'
import type { Scheduler } from './scheduler.ts'

const compiled = compileProfile(profileSchema.parse({ name: 'test', number: 1, filters: [{ name: 'RamFilter' }], weighers: [] }))

/**
 * A fleet with the hosts h0 to h5, which first reported in mixed order. Hosts with an even number have two nodes. The first nodes of h0, h1
 * and h2 have no memory. h0, h1 and h2 are in an aggregate.
 */
function townAt(level: number) {
  const log = aLog()
  log.append([{ type: 'feature', level }])
  const names = ['h3', 'h0', 'h5', 'h1', 'h4', 'h2']
  log.append(names.map((name, i) => aReport(name, { memoryMb: i % 2 === 0 ? 4_096 : 0 })))
  log.append(names.filter((name) => 'h0 h2 h4'.includes(name)).map((name) => ({ ...aReport(name), node: `${name}-b` })))
  log.append([{ type: 'aggregate', uuid: aUuid(1), expectedVersion: 0, next: { name: 'a', hosts: ['h0', 'h1', 'h2'], metadata: {} } }])
  return log.fleet
}
const fleet = townAt(NAMED_BY_ALL)

const hosts = fc.constantFrom('h0', 'h1', 'h2', 'h3', 'h4', 'h5', 'none')
const nodes = fc.constantFrom('h0', 'h0-b', 'h1', 'h2-b', 'none')
const aggregates = fc.constant<string[]>([aUuid(1)])
const some = <Name>(name: fc.Arbitrary<Name>) => fc.oneof(fc.constant<Name[]>([]), fc.array(name, { maxLength: 4 }))
const requests = fc
  .record({
    forceHosts: some(hosts),
    forceNodes: some(nodes),
    ignoreHosts: some(hosts),
    destination: fc.record({ host: hosts, node: nodes, aggregates, forbiddenAggregates: aggregates }, { requiredKeys: [] }),
  })
  .map(({ destination, ...lists }) => aRequest({ ...lists, forceVerify: 'ALL', requestedDestination: destination }))

/** Removes `candidates.named` from the profile. The candidates filter is then called for every host. */
function askingEach({ candidates: { named: _, ...candidates }, ...others }: CompiledProfile): CompiledProfile {
  return { ...others, candidates }
}

test.each([NAMED_BY_ALL - 1, NAMED_BY_ALL])(
  'at level %i filtering only the hosts that a request names gives the same result as filtering all hosts',
  (level) => {
    const fleet = townAt(level)
    let named = 0
    const numRuns = byExtent(120, 500)
    fc.assert(
      fc.property(requests, (request) => {
        const steps = prepareFilters(compiled, request, fleet)
        if (steps[0]?.named !== undefined) named++
        expect(runFilters(steps, fleet)).toEqual(runFilters(prepareFilters(askingEach(compiled), request, fleet), fleet))
      }),
      { numRuns },
    )
    // about nine of ten random requests name hosts
    expect(named).toBeGreaterThan(numRuns / 2)
  },
)

const machines = fc.array(
  fc.record({
    host: fc.nat(7),
    isOther: fc.boolean(),
    gib: fc.integer({ min: 0, max: 8 }),
    vcpus: fc.integer({ min: 1, max: 12 }),
    gpus: fc.nat(2),
  }),
  { minLength: 1, maxLength: 12 },
)
const lists = fc.record({
  forceHosts: some(fc.constantFrom('h0', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'h7', 'none')),
  forceNodes: fc.oneof({ weight: 3, arbitrary: fc.constant<string[]>([]) }, some(fc.constantFrom('h0', 'h1-b', 'h2', 'none'))),
  ignoreHosts: some(hosts),
  forceVerify: fc.constantFrom('NONE' as const, 'HARD' as const, 'ALL' as const),
  requestedDestination: fc.constantFrom(undefined, { host: 'h1' }, { host: 'none' }, { host: 'h2', node: 'h2-b' }),
  numInstances: fc.integer({ min: 1, max: 3 }),
  memoryMb: fc.constantFrom(256, 3_072),
  gpus: fc.constantFrom(undefined, { count: 1 }),
})

/** Every profile of the release, and a profile that chooses randomly among the three best hosts. */
const profiles = [
  ...builtInProfiles,
  profileSchema.parse({ ...builtInProfiles[0], name: 'draws', number: 1, hostSubsetSize: 3, tieOrder: 'seeded' }),
]
const schedulerOf = (of: CompiledProfile): Scheduler =>
  (of.profile.compat === 'nova' ? createNovaScheduler : of.profile.scheduler === 'chance' ? createChanceScheduler : createFilterScheduler)(
    of,
  )

test.each(profiles.map((profile) => [profile.name, profile] as const))('%s: reading only named hosts changes no decision', (_, profile) => {
  const own = compileProfile(profile)
  fc.assert(
    fc.property(machines, lists, fc.string(), (shapes, { requestedDestination, gpus, ...shape }, seed) => {
      const log = aLog()
      log.append(
        shapes.map(({ host, isOther, gib, vcpus, gpus: count }) => ({
          ...aReport(`h${host}`, {
            ...{ memoryMb: gib * 1_024, vcpus },
            gpus: Array.from({ length: count }, (_, index) => ({ index, model: null })),
          }),
          ...(isOther && { node: `h${host}-b` }),
        })),
      )
      const request = aRequest({ ...shape, ...(requestedDestination && { requestedDestination }), ...(gpus && { gpus }) })
      const claimIds = Array.from({ length: request.numInstances }, (_, i) => `c${i}`)
      const select = (compiled: CompiledProfile) => {
        const overlay = openOverlay(log.fleet)
        try {
          return schedulerOf(compiled).select(request, log.fleet, overlay, {
            seed,
            alternatesPerInstance: 2,
            allOrNothing: false,
            claimIds,
          })
        } finally {
          overlay.discard()
        }
      }
      expect(select(own)).toStrictEqual(select(askingEach(own)))
    }),
    { numRuns: byExtent(30, 100) },
  )
})

test('if a request names no hosts, the filters of the profile are called for every host', () => {
  const [step] = compiled.filters
  if (step === undefined) throw new Error('expected a profile with a filter')
  const sure: Filter = {
    ...step.filter,
    prepare: () => {
      const [first = 0] = fleet.hosts.records.map(({ index }) => index)
      return { passes: () => true, only: [first, first], reason: () => ({ code: 'host.excluded' }) }
    },
  }
  const { hosts } = runFilters(prepareFilters({ ...compiled, filters: [{ ...step, filter: sure }] }, aRequest(), fleet), fleet)
  expect([...hosts]).toEqual(fleet.hosts.records.map(({ index }) => index))
})

test('if a request names hosts, filters are called only for these hosts', () => {
  const asked: number[] = []
  const [candidates, ...others] = prepareFilters(compiled, aRequest({ forceHosts: ['h2', 'h0', 'h2'] }), fleet)
  const { prepared } = candidates ?? {}
  if (candidates === undefined || prepared === undefined) throw new Error('expected a candidates filter that applies to the request')
  const listening = { ...prepared, passes: (host: Parameters<typeof prepared.passes>[0]) => asked.push(host) > 0 && prepared.passes(host) }
  const { steps } = runFilters([{ ...candidates, prepared: listening }, ...others], fleet)
  const indices = fleet.hosts.records.filter(({ host }) => ['h0', 'h2'].includes(host)).map(({ index }) => index)
  expect(asked).toEqual(indices)
  expect(steps[0]).toEqual({ filter: 'Candidates', entered: fleet.hosts.count, passed: 4 })
})
