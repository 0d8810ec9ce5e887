import fc from 'fast-check'
import { expect, test } from 'vitest'
import { byExtent } from '../../../../../testing/extent.ts'
import { filters, weighers } from '../../bundled.ts'
import type { Filter } from '../../contracts/filter.ts'
import { copyFleet } from '../../fleet/copy.ts'
import { Fleet } from '../../fleet/fleet.ts'
import { Historian, histories } from '../../fleet/history.suite.ts'
import { openOverlay } from '../../fleet/overlay.ts'
import { novaFilters } from '../../nova/filters/index.ts'
import { novaWeighers } from '../../nova/weighers/index.ts'
import { type Profile, profileSchema } from '../../records/profile.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import { decide } from '../../schedulers/decide.ts'
import { aFleet, aRequest, aUuid } from '../../testing/index.ts'
import type { HostIndex } from '../../values/host-index.ts'
import { compileProfile } from '../compile.ts'
import type { FilterStep } from './filter-step.ts'
import { runFilters } from './run-filters.ts'
import { cachedVerdicts, cacheNameOf } from './verdict-cache.ts'

/** These filters refuse most hosts of the test, or need options. */
const LEFT_OUT = ['TypeAffinityFilter', 'TrustedFilter', 'IsolatedHostsFilter', 'ExactRamFilter', 'ExactCoreFilter', 'ExactDiskFilter']
const isIn = ({ name }: { readonly name: string }): boolean => !LEFT_OUT.includes(name)

const profiles: readonly Profile[] = [
  {
    name: 'all',
    number: 1,
    filters: filters.filter(isIn).map(({ name }) => ({ name })),
    weighers: weighers.map(({ name }) => ({ name, multiplier: 1 })),
  },
  {
    name: 'all-of-nova',
    number: 1,
    compat: 'nova',
    filters: novaFilters.filter(isIn).map(({ name }) => ({ name })),
    weighers: novaWeighers.map(({ name }) => ({ name, multiplier: 1 })),
    nova: { placement: {} },
  },
].map((profile) => profileSchema.parse(profile))

/** Nova's filter for NUMA cells fails for a request without an image. */
const small = { vcpus: 1, memoryMb: 0, image: {} }
const requests = [
  aRequest(small),
  aRequest({ ...small, memoryMb: 1 }),
  aRequest({ ...small, availabilityZone: 'z1' }),
  aRequest({ ...small, vcpus: 0, gpus: { shareMilli: 300 } }),
  aRequest({ ...small, vcpus: 0, pciRequests: [{ count: 1, specs: [{ vendor_id: 'v' }] }] }),
  aRequest({ ...small, instanceGroup: { uuid: aUuid(0x63), policy: 'ANTI_AFFINITY', maxServerPerHost: 2 } }),
  aRequest({ ...small, numaTopology: { cells: [{ id: 0, cpus: [0], memoryMb: 1, cpuPolicy: 'dedicated' }] } }),
  aRequest({ ...small, schedulerHints: { different_host: [aUuid(1), aUuid(2)] } }),
]

/** Decides every request by every profile, each on the state that the decision before left. */
const decisionsOn = (fleet: Fleet) => {
  const overlay = openOverlay(fleet)
  try {
    return profiles.map((profile) =>
      requests.map((request, i) =>
        decide(fleet, overlay, {
          ...{ id: 'd', request, profile, seed: 's', attempt: 1, alternatesPerInstance: 2, allOrNothing: false },
          claimIds: [`x${i}`],
        }),
      ),
    )
  } finally {
    overlay.discard()
  }
}

test('after any history, a fleet with cached verdicts decides as its copy without them', () => {
  const placed = profiles.map(() => 0)
  fc.assert(
    fc.property(histories, (steps) => {
      const fleet = new Fleet()
      const historian = new Historian()
      fleet.apply(historian.first(fleet))
      const compare = (): void => {
        const decided = decisionsOn(fleet)
        expect(JSON.stringify(decided)).toBe(JSON.stringify(decisionsOn(copyFleet(fleet))))
        for (const [i, ofProfile] of decided.entries()) placed[i] = (placed[i] ?? 0) + ofProfile.filter(({ found }) => found > 0).length
      }
      for (const step of steps) {
        compare()
        fleet.apply(historian.next(fleet, step))
      }
      compare()
    }),
    { seed: 50, numRuns: byExtent(4, 60) },
  )
  for (const count of placed) expect(count).toBeGreaterThan(10)
})

/** A step of a filter that passes even hosts and fails for the host with the index 5. Counts its calls. */
function aStep(cacheName: string | undefined = 'even'): { readonly step: FilterStep; calls: readonly HostIndex[] } {
  const calls: HostIndex[] = []
  const passes = (host: HostIndex): boolean => {
    calls.push(host)
    if (host === 5) throw new Error('five')
    return host % 2 === 0
  }
  const none = { failed: false, isNet: false, isOutside: false, readsHostOnly: true, readsOtherHosts: false, admits: undefined }
  return { step: { ...none, name: 'Even', cacheName, prepared: { passes, reason: () => ({ code: 'host.excluded' }) } }, calls }
}

const fleetOf = (count: number): Fleet => aFleet(Object.fromEntries(Array.from({ length: count }, (_, i) => [`h${i}`, {}])))

test('a filter is called once for each host, and again only for hosts that changed', () => {
  const fleet = fleetOf(70)
  const { step, calls } = aStep()
  const first = runFilters([step], fleet)
  expect(calls).toHaveLength(70)
  expect(runFilters([step], fleet)).toEqual(first)
  expect(calls).toHaveLength(70)
  fleet.hosts.touch(33 as HostIndex)
  fleet.hosts.touch(69 as HostIndex)
  expect(runFilters([step], fleet)).toEqual(first)
  expect(calls.slice(70)).toEqual([33, 69])
})

test('the result is that of the filters without a cache, errors included', () => {
  for (const count of [1, 31, 32, 33, 64, 100]) {
    const fleet = fleetOf(count)
    const odd = aStep('other')
    const { step: plain } = aStep('')
    const expected = runFilters([{ ...plain, cacheName: undefined }], fleet)
    expect(expected.steps[0]?.errors).toBe(count > 5 ? 1 : undefined)
    for (let time = 0; time < 2; time++) expect(runFilters([odd.step], fleet)).toEqual(expected)
  }
})

test('a filter is not called for hosts that an earlier filter refuses', () => {
  const fleet = fleetOf(40)
  const [first, second] = [aStep('first'), aStep('second')]
  runFilters([first.step, second.step], fleet)
  expect(second.calls).toHaveLength(20)
})

test('hosts that join later have no cached verdict', () => {
  const fleet = fleetOf(3)
  cachedVerdicts(fleet, 'k').known.fill(0xffff_ffff)
  const grown = fleetOf(200)
  const { step, calls } = aStep()
  runFilters([step], grown)
  expect(calls).toHaveLength(200)
})

test('the verdicts that were used least recently are dropped when there are too many', () => {
  const fleet = fleetOf(1)
  const oldest = cachedVerdicts(fleet, 'k0')
  oldest.known[0] = 1
  const used = cachedVerdicts(fleet, 'k1')
  used.known[0] = 1
  for (let i = 2; i < 17_000; i++) {
    cachedVerdicts(fleet, `k${i}`)
    expect(cachedVerdicts(fleet, 'k1')).toBe(used)
  }
  expect(cachedVerdicts(fleet, 'k0').known[0]).toBe(0)
})

test.each([
  ['an instance that moves', aRequest(small), true, []],
  ['a filter that reads documents of other services', aRequest(small), false, ['power.watts']],
] as const)('nothing is cached for %s', (_name, request: RequestSpec, isMoving: boolean, reads) => {
  const fleet = fleetOf(1)
  const filter: Filter = { name: 'F', description: '', reads, cacheKey: () => 'k', prepare: () => undefined }
  const compiled = { filter, options: {}, isNet: false, isOutside: false, verifiedAt: 'NONE' } as const
  if (isMoving) fleet.hosts.mover = { host: 0 as HostIndex, grants: {}, isFree: true }
  expect(cacheNameOf(compiled, request, fleet)).toBeUndefined()
  fleet.hosts.mover = null
  expect(cacheNameOf({ ...compiled, filter: { ...filter, reads: [] } }, request, fleet)).toContain('k')
})

test('filters with the same name and key do not share verdicts, nor do different options', () => {
  const fleet = fleetOf(1)
  const filter: Filter = { name: 'F', description: '', reads: [], cacheKey: () => 'k', prepare: () => undefined }
  const compiled = { filter, options: {}, isNet: false, isOutside: false, verifiedAt: 'NONE' } as const
  const names = [compiled, { ...compiled, filter: { ...filter } }, { ...compiled, options: { a: 1 } }].map((one) =>
    cacheNameOf(one, aRequest(small), fleet),
  )
  expect(new Set(names).size).toBe(3)
  expect(cacheNameOf({ ...compiled, options: { a: 1 } }, aRequest(small), fleet)).toBe(names[2])
})

test('a profile has the same cached verdicts each time it is compiled', () => {
  const fleet = fleetOf(1)
  for (const profile of profiles) {
    const [first, second] = [0, 1].map(() =>
      compileProfile(profile).filters.map((filter) => cacheNameOf(filter, requests[0] as RequestSpec, fleet)),
    )
    expect(first?.filter((name) => name !== undefined).length).toBeGreaterThan(5)
    expect(second).toEqual(first)
  }
})
