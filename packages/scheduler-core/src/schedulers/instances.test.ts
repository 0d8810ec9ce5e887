import fc from 'fast-check'
import { expect, test } from 'vitest'
import { byExtent } from '../../../../testing/extent.ts'
import { weighers } from '../bundled.ts'
import type { CompiledProfile } from '../contracts/compiled-profile.ts'
import type { Selection } from '../contracts/scheduler.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { openOverlay } from '../fleet/overlay.ts'
import { compileProfile } from '../pipeline/compile.ts'
import { profileSchema } from '../records/profile.ts'
import { aClaim, aLog, aReport, aRequest, aUuid, type HostShape } from '../testing/index.ts'
import type { HostIndex } from '../values/host-index.ts'
import { createChanceScheduler, createFilterScheduler } from './filter-scheduler.ts'

const host: fc.Arbitrary<HostShape> = fc
  .record({
    vcpus: fc.integer({ min: 1, max: 12 }),
    gib: fc.integer({ min: 1, max: 8 }),
    localGb: fc.constantFrom(20, 50),
    runningVms: fc.nat(3),
    numIoOps: fc.nat(2),
    gpus: fc.nat(3),
    cells: fc.nat(2),
    traits: fc.constantFrom<string[]>([], ['CUSTOM_FAST']),
  })
  .map(({ gib, gpus, cells, ...shape }) => ({
    ...shape,
    memoryMb: gib * 1_024,
    gpus: Array.from({ length: gpus }, (_, index) => ({ index, model: null })),
    numaCells: Array.from({ length: cells }, (_, id) => ({ id, cpuset: [0, 1, 2, 3].map((cpu) => cpu + id * 4), memoryMb: 4_096 })),
  }))

const hosts = fc.array(host, { minLength: 1, maxLength: 20 })

/** A fleet with the given hosts, two aggregates (the first sets a multiplier), and one claim of a server group on host h0. */
function fleetOf(hosts: readonly HostShape[]): Fleet {
  const log = aLog()
  log.append(hosts.map((shape, i) => aReport(`h${i}`, shape)))
  const names = hosts.map((_, i) => `h${i}`)
  const metadata = { availability_zone: 'z1', ram_weight_multiplier: '-2' }
  log.append([
    { type: 'aggregate', uuid: aUuid(1), expectedVersion: 0, next: { name: 'a', hosts: names.filter((_, i) => i % 3 === 0), metadata } },
    {
      type: 'aggregate',
      uuid: aUuid(2),
      expectedVersion: 0,
      next: { name: 'b', hosts: names.filter((_, i) => i % 2 === 0), metadata: {} },
    },
  ])
  log.append([aClaim({ hosts: ['h0'], group: { uuid: aUuid(9), policy: 'ANTI_AFFINITY', maxServerPerHost: 2 } })])
  return log.fleet
}

const group = (policy: 'AFFINITY' | 'ANTI_AFFINITY' | 'SOFT_AFFINITY' | 'SOFT_ANTI_AFFINITY', uuid = aUuid(7)) => ({ uuid, policy })
const asks = fc.constantFrom<Parameters<typeof aRequest>[0]>(
  {},
  { gpus: { shareMilli: 300 } },
  { gpus: { count: 1 } },
  { instanceGroup: group('AFFINITY') },
  { instanceGroup: group('ANTI_AFFINITY') },
  { instanceGroup: { ...group('ANTI_AFFINITY'), maxServerPerHost: 3 } },
  { instanceGroup: { ...group('ANTI_AFFINITY', aUuid(9)), maxServerPerHost: 4 } },
  { instanceGroup: group('AFFINITY', aUuid(9)) },
  { instanceGroup: group('SOFT_AFFINITY') },
  { instanceGroup: group('SOFT_ANTI_AFFINITY') },
  { numaTopology: { cells: [{ id: 0, cpus: [0], memoryMb: 512, cpuPolicy: 'dedicated' }] } },
  { ignoreHosts: ['h1', 'h2'] },
  { availabilityZone: 'z1' },
)
const requests = fc
  .record({ numInstances: fc.integer({ min: 2, max: 40 }), vcpus: fc.nat(2), memoryMb: fc.constantFrom(0, 256, 1_024), ask: asks })
  .map(({ ask, ...shape }) => aRequest({ ...shape, ...ask }))

const profiles = fc
  .record({
    weighers: fc.uniqueArray(
      fc.record({ name: fc.constantFrom(...weighers.map(({ name }) => name)), multiplier: fc.integer({ min: -2, max: 2 }) }),
      {
        selector: ({ name }) => name,
        maxLength: 4,
      },
    ),
    normalisation: fc.constantFrom('minmax', 'minmax', 'fixed', 'rank'),
    tieOrder: fc.constantFrom('first-seen', 'seeded'),
    hostSubsetSize: fc.constantFrom(1, 3),
  })
  .map((shape) =>
    profileSchema.parse({
      name: 'any',
      number: 1,
      filters: [
        'ComputeFilter',
        'AvailabilityZoneFilter',
        'ServerGroupAffinityFilter',
        'CoreFilter',
        'ServerGroupAntiAffinityFilter',
        'RamFilter',
      ].map((name) => ({ name })),
      ...shape,
    }),
  )

/** Removes the declaration `readsHostOnly` from filters and weighers. Every instance is then decided by a scan of all hosts. */
const forgetful = (compiled: CompiledProfile): CompiledProfile => ({
  ...compiled,
  candidates: withoutMemory(compiled.candidates),
  filters: compiled.filters.map((step) => ({ ...step, filter: withoutMemory(step.filter) })),
  weighers: compiled.weighers.map((step) => {
    const { cacheKey: _, ...weigher } = withoutMemory(step.weigher)
    return { ...step, weigher }
  }),
})

const withoutMemory = <Part extends { readonly readsHostOnly?: true }>({ readsHostOnly: _, ...part }: Part): Omit<Part, 'readsHostOnly'> =>
  part

/** Makes the filters fail and the weighers return NaN on some hosts, once these hosts are nearly full. */
function withFaults(compiled: CompiledProfile, fleet: Fleet): CompiledProfile {
  const isFull = (host: HostIndex) => (fleet.hosts.classColumns('VCPU').free[host] as number) < 2
  return {
    ...compiled,
    filters: compiled.filters.map((step) => ({
      ...step,
      filter: {
        ...step.filter,
        prepare(...given) {
          const prepared = step.filter.prepare(...given)
          return (
            prepared && {
              ...prepared,
              passes(host) {
                if (host % 5 === 4 && isFull(host)) throw new Error('it fails there')
                return prepared.passes(host)
              },
            }
          )
        },
      },
    })),
    weighers: compiled.weighers.map((step) => ({
      ...step,
      weigher: {
        ...step.weigher,
        prepare(...given) {
          const rawOf = step.weigher.prepare(...given)
          return (host) => (host % 7 === 3 && isFull(host) ? Number.NaN : rawOf(host))
        },
      },
    })),
  }
}

test('deciding the instances of a request with cached data gives the same result as a full scan for each instance', () => {
  fc.assert(
    fc.property(hosts, requests, profiles, fc.boolean(), fc.boolean(), (shapes, request, profile, isFaulty, isChance) => {
      const fleet = fleetOf(shapes)
      const select = (compiled: CompiledProfile): Selection => {
        const overlay = openOverlay(fleet)
        const claimIds = Array.from({ length: request.numInstances }, (_, i) => `c${i}`)
        try {
          const scheduler = isChance ? createChanceScheduler(compiled) : createFilterScheduler(compiled)
          return scheduler.select(request, fleet, overlay, { seed: 's', alternatesPerInstance: 2, allOrNothing: false, claimIds })
        } finally {
          overlay.discard()
        }
      }
      const compiled = isFaulty ? withFaults(compileProfile(profile), fleet) : compileProfile(profile)
      expect(select(compiled)).toStrictEqual(select(forgetful(compiled)))
    }),
    { numRuns: byExtent(50, 150) },
  )
})
