import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { byExtent } from '../../../../testing/extent.ts'
import { filters, weighers } from '../bundled.ts'
import { noPlugins, type Plugins } from '../contracts/plugins.ts'
import { replay } from '../decision/replay.ts'
import { examine, refusalsOf } from '../examine/examine.ts'
import { type Checkpoint, checkpointOf } from '../fleet/checkpoint.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { type Overlay, openOverlay } from '../fleet/overlay.ts'
import { novaRulesOf } from '../nova/compat/compat.ts'
import { PASSES_ALL } from '../pipeline/findings.ts'
import { isOwnScheduler, type Profile } from '../records/profile.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import { aClaim, aFleet, aRequest, aSolution, aUuid, type HostShape } from '../testing/index.ts'
import { canonicalJson } from '../values/canonical-json.ts'
import { HOSTS_AT_ONCE } from '../values/steps.ts'
import { type Decided, type DecideInput, decideInSteps, decide as decideWith } from './decide.ts'

/** Random fleets. Some of their hosts are full, have no GPUs or NUMA cells, or are nearly equal. */
const fleets: fc.Arbitrary<Record<string, HostShape>> = fc
  .array(
    fc.record({
      vcpus: fc.integer({ min: 0, max: 8 }),
      memoryMb: fc.integer({ min: 0, max: 8 }).map((gib) => gib * 1_024),
      gpus: fc.array(fc.record({ model: fc.constantFrom(null, 'A') }), { maxLength: 3 }),
      cells: fc.integer({ min: 0, max: 2 }),
      traits: fc.constantFrom<string[]>([], ['FAST']),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((hosts) =>
    Object.fromEntries(
      hosts.map(({ vcpus, memoryMb, gpus, cells, traits }, i): [string, HostShape] => [
        `h${i}`,
        {
          vcpus,
          memoryMb,
          traits,
          gpus: gpus.map((gpu, index) => ({ ...gpu, index })),
          numaCells: Array.from({ length: cells }, (_, id) => ({ id, cpuset: [0, 1, 2, 3].map((cpu) => cpu + id * 4), memoryMb: 4_096 })),
        },
      ]),
    ),
  )

const group = (policy: 'AFFINITY' | 'ANTI_AFFINITY') => ({ uuid: aUuid(7), policy })
const requests: fc.Arbitrary<RequestSpec> = fc
  .record({
    numInstances: fc.integer({ min: 1, max: 4 }),
    vcpus: fc.integer({ min: 0, max: 3 }),
    memoryMb: fc.constantFrom(0, 512, 1_024, 2_048),
    extra: fc.constantFrom<Parameters<typeof aRequest>[0]>(
      {},
      {},
      { gpus: { shareMilli: 400 } },
      { gpus: { count: 2, models: ['A'] } },
      { instanceGroup: group('ANTI_AFFINITY') },
      { instanceGroup: group('AFFINITY') },
      { numaTopology: { cells: [{ id: 0, cpus: [0, 1], memoryMb: 1_024, cpuPolicy: 'dedicated' }] } },
      { ignoreHosts: ['h0'] },
      { instanceGroup: { uuid: aUuid(7), policy: 'SOFT_ANTI_AFFINITY' }, topologySpread: [{ topologyKey: 'host', maxSkew: 1 }] },
      { instanceGroup: { uuid: aUuid(7), policy: 'SOFT_AFFINITY' }, topologySpread: [{ topologyKey: 'zone', maxPerDomain: 2 }] },
    ),
  })
  .map(({ extra, ...shape }) => aRequest({ ...shape, ...extra }))

const input = (request: RequestSpec, profile: Profile, more: Partial<DecideInput> = {}): DecideInput => ({
  id: 'd',
  request,
  profile,
  seed: 'seed',
  attempt: 1,
  alternatesPerInstance: 2,
  allOrNothing: true,
  claimIds: Array.from({ length: request.numInstances }, (_, i) => `c${i}`),
  ...more,
})

function within<T>(fleet: Fleet, use: (overlay: Overlay) => T): T {
  const overlay = openOverlay(fleet)
  try {
    return use(overlay)
  } finally {
    overlay.discard()
  }
}

const stored = (fleet: Fleet): Checkpoint => JSON.parse(canonicalJson(checkpointOf(fleet)))
const nameOf = (fleet: Fleet, host: number): string => fleet.hosts.records[host]?.host ?? ''

/** Decides a request by a profile. If the profile's scheduler is SOLVER, the decision also gets an exact solution. */
const decideBy = (profile: Profile) => (fleet: Fleet, overlay: Overlay, asked: DecideInput) => {
  const { request, seed } = asked
  const solution = profile.scheduler === 'solver' ? aSolution(profile, request, fleet, overlay, seed) : undefined
  return decideWith(fleet, overlay, { ...asked, solution })
}

/** Tests that the scheduler of a profile keeps the contract in contracts/scheduler.ts. */
export function schedulerSuite(profile: Profile, plugins: Plugins = noPlugins): void {
  const decide = decideBy(profile)
  const property = (check: (fleet: Fleet, request: RequestSpec, seed: string) => void) =>
    fc.assert(
      fc.property(fleets, requests, fc.string({ maxLength: 4 }), (hosts, request, seed) =>
        check(fleetWith(hosts, profile, plugins), request, seed),
      ),
      { numRuns: byExtent(6, 40) },
    )

  describe(`the scheduler ${profile.scheduler} with the profile ${profile.name}`, () => {
    test('never chooses a host that a filter refuses, and refuses a request only if filters refuse every host', () => {
      property((fleet, request, seed) => {
        within(fleet, (overlay) => {
          const one = { ...request, numInstances: 1 }
          const { firstRefusing } = examine(fleet, one, profile, seed)
          const passing = [...firstRefusing].flatMap((step, host) => (step === PASSES_ALL ? [nameOf(fleet, host)] : []))
          const { answer, found } = decide(fleet, overlay, input(one, profile, { seed }))
          expect(found).toBe(passing.length > 0 ? 1 : 0)
          for (const { selected, alternates } of answer) for (const { host } of [selected, ...alternates]) expect(passing).toContain(host)
        })
      })
    })

    test('gives the same result for the same seed, and leaves the fleet unchanged', () => {
      property((fleet, request, seed) => {
        const before = stored(fleet)
        const first = within(fleet, (overlay) => decide(fleet, overlay, input(request, profile, { seed })))
        const second = within(fleet, (overlay) => decide(fleet, overlay, input(request, profile, { seed })))
        expect(second).toEqual(first)
        expect(stored(fleet)).toEqual(before)
      })
    })

    test('the overlay holds exactly the chosen claims, and nothing if an all-or-nothing request fails', () => {
      property((fleet, request, seed) => {
        const twin = aFleetLike(fleet)
        const room = (of: Fleet) =>
          [...of.hosts.classes]
            .filter(([name]) => ['VCPU', 'MEMORY_MB'].includes(name))
            .map(([, { free }]) => [...free.slice(0, of.hosts.count)])
        within(fleet, (overlay) =>
          within(twin, (other) => {
            const { parts, answer, found } = decide(fleet, overlay, input(request, profile, { seed }))
            expect(overlay.size).toBe(parts.length)
            expect(parts.length).toBe(found === request.numInstances ? found : 0)
            expect(answer.map(({ selected }) => [selected.host, selected.node])).toEqual(parts.map(({ host, node }) => [host, node]))
            for (const part of parts) other.hold(part, null)
            expect(room(fleet)).toEqual(room(twin))
          }),
        )
      })
    })

    test('without all-or-nothing, places instances in order until one finds no host', () => {
      property((fleet, request, seed) => {
        within(fleet, (overlay) => {
          const { parts, found, record } = decide(fleet, overlay, input(request, profile, { seed, allOrNothing: false }))
          expect([parts.length, overlay.size]).toEqual([found, found])
          expect(parts.map(({ claim }) => claim)).toEqual(Array.from({ length: found }, (_, i) => `c${i}`))
          expect(record.instances).toHaveLength(Math.min(request.numInstances, found + 1))
        })
      })
    })

    test('explains each refusal: every host has a reason, and the counts add up to the number of hosts', () => {
      property((fleet, request, seed) => {
        const { hostCount, steps, firstRefusing, weighed, checksOf } = examine(fleet, request, profile, seed)
        let left = hostCount
        for (const { filter, asked, entered, passed, soleRejections, reasons } of steps) {
          const refused = reasons.reduce((sum, { hosts }) => sum + hosts, 0)
          expect([filter, entered, passed]).toEqual([filter, left, left - refused])
          expect(soleRejections).toBeLessThanOrEqual(refused)
          if (!asked) expect(refused).toBe(0)
          left = passed
        }
        const refusedInAll = steps.flatMap(({ reasons }) => reasons).reduce((sum, { hosts }) => sum + hosts, 0)
        expect(refusedInAll + weighed.hosts.length).toBe(hostCount)
        expect(left).toBe(weighed.hosts.length)
        expect(refusalsOf(fleet, request, profile)).toEqual(steps.flatMap(({ reasons }) => reasons))
        for (const { index } of fleet.hosts.records) {
          const checks = checksOf(index)
          const refusal = checks.find(({ verdict }) => verdict === 'FAIL' || verdict === 'ERROR')
          expect(refusal === undefined).toBe(firstRefusing[index] === PASSES_ALL)
          expect(refusal?.filter).toBe(steps[firstRefusing[index] as number]?.filter)
          for (const { verdict, reason } of checks) expect(reason !== undefined).toBe(verdict === 'FAIL' || verdict === 'ERROR')
          const short = checksOf(index, true).map(({ verdict }) => verdict)
          const first = short.indexOf('FAIL')
          if (first >= 0) expect(new Set(short.slice(first + 1))).toEqual(new Set(short.length > first + 1 ? ['NOT_RUN'] : []))
        }
      })
    })

    test('the record of a decision and the explanation of the same decision agree', () => {
      property((fleet, request, seed) => {
        const explained = examine(fleet, request, profile, seed)
        const { record, answer } = within(fleet, (overlay) =>
          decide(fleet, overlay, input(request, profile, { seed, allOrNothing: false, alternatesPerInstance: 9 })),
        )
        const [first] = record.instances
        expect(first?.filters.map(({ filter, entered, passed }) => [filter, entered, passed])).toEqual(
          explained.steps.filter(({ asked }) => asked).map(({ filter, entered, passed }) => [filter, entered, passed]),
        )
        const ranked = explained.ranked.map((position) => ({
          host: nameOf(fleet, explained.weighed.hosts[position] as number),
          raw: explained.weighed.weighers.map(({ raw }) => raw[position]),
          total: explained.weighed.totals[position],
        }))
        expect(first?.best.map(({ host, raw, total }) => ({ host, raw, total }))).toEqual(ranked.slice(0, 10))
        expect(first?.tied).toBe(ranked.filter(({ total }) => total === ranked[0]?.total).length)
        const chosen = answer[0]
        if (chosen !== undefined) {
          const named = [chosen.selected, ...chosen.alternates].map(({ host }) => host)
          expect(new Set(named).size).toBe(named.length)
          // A solver can choose a host that is not the best for one instance but is best for all instances together.
          const taken = record.solver?.taken === 'SOLVER' ? ranked : ranked.slice(0, profile.hostSubsetSize)
          expect(taken.map(({ host }) => host)).toContain(chosen.selected.host)
        }
      })
    })

    test('decideInSteps gives the result of decide to the last bit, and examines at most 2 slices of hosts between yields', () => {
      const hosts = Object.fromEntries(
        Array.from({ length: 700 }, (_, i): [string, HostShape] => [`h${i}`, { vcpus: 2 + (i % 7), memoryMb: 4_096 + 1_024 * (i % 5) }]),
      )
      const asked = watchLooks(profile)
      const instanceGroup = group('ANTI_AFFINITY')
      for (const request of [
        aRequest(),
        aRequest({ numInstances: 3 }),
        aRequest({ numInstances: 3, instanceGroup }),
        aRequest({ vcpus: 99 }),
      ]) {
        const other = fleetWith(hosts, profile, plugins)
        // The decision gets no solution, because the exact solver takes too long for this many hosts.
        const made = within(other, (overlay) => decideWith(other, overlay, input(request, profile)))
        // An equal fleet without cached verdicts, so that the filters are called again.
        const fleet = fleetWith(hosts, profile, plugins)
        const again = within(fleet, (overlay) => {
          const steps = decideInSteps(fleet, overlay, input(request, profile))
          asked.count = 0
          for (let most = 0; ; asked.count = 0) {
            const step = steps.next()
            most = Math.max(most, asked.count)
            if (!step.done) continue
            expect(most).toBeGreaterThan(0)
            // A plug-in's scheduler cannot yield, so the number of hosts between two yields is not checked for it.
            if (isOwnScheduler(profile.scheduler)) expect(most).toBeLessThanOrEqual(2 * HOSTS_AT_ONCE)
            return step.value
          }
        })
        expect(again).toEqual(made)
      }
      asked.end()
    })

    test('replay of the record gives the same hosts, grants and scores, bit for bit', () => {
      property((fleet, request, seed) => {
        const earlier = within(fleet, (overlay) => decide(fleet, overlay, input(request, profile, { seed: 'earlier' })))
        const before = { parts: earlier.parts, group: null }
        const made = within(fleet, (overlay) => {
          for (const part of before.parts) overlay.hold(part, before.group)
          return decide(fleet, overlay, input(request, profile, { seed }))
        })
        const again: Decided = replay(fleet, [{ ...aClaim(), ...before }], made.record)
        expect(canonicalJson(again.record)).toBe(canonicalJson(made.record))
        expect(canonicalJson(again.answer)).toBe(canonicalJson(made.answer))
        expect(again.parts.map(({ host, node, grants }) => ({ host, node, grants }))).toEqual(
          made.parts.map(({ host, node, grants }) => ({ host, node, grants })),
        )
      })
    })
  })
}

/** Counts the calls of filters and weighers with a host, until `end` is called. */
function watchLooks(profile: Profile): { count: number; end(): void } {
  const looks = { count: 0, end: () => void spies.splice(0).forEach((spy) => void spy.mockRestore()) }
  /** Wraps the result of `prepare` to count its calls. A weigher returns a function of the host, a filter an object with `passes`. */
  const watched = (made: unknown): unknown => {
    if (typeof made === 'function')
      return Object.assign((...of: unknown[]): unknown => {
        looks.count++
        return made(...of)
      }, made)
    if (typeof made !== 'object' || made === null || !('passes' in made)) return made
    return { ...made, passes: watched(made.passes) }
  }
  const parts: readonly { prepare(...of: never[]): unknown }[] =
    profile.compat === 'nova'
      ? [...novaRulesOf(profile).filters.map(({ filter }) => filter), ...novaRulesOf(profile).weighers.map(({ weigher }) => weigher)]
      : [...filters, ...weighers]
  const spies = parts.map((part) => {
    const prepare = part.prepare.bind(part)
    return vi.spyOn(part, 'prepare').mockImplementation((...of) => watched(prepare(...of)))
  })
  return looks
}

/** Creates a fleet with these hosts. Adds the profile version to its log, unless the version is part of the release. */
function fleetWith(hosts: Record<string, HostShape>, profile: Profile, plugins: Plugins): Fleet {
  const fleet = aFleet(hosts, plugins)
  const changes = profile.number === 0 ? [] : [{ type: 'profile' as const, profile }]
  expect(fleet.apply({ format: 1, id: 'profile', writer: 'test', basis: fleet.place, changes, revision: 2, at: 1_000 })).toEqual(
    changes.map(() => undefined),
  )
  return fleet
}

const aFleetLike = (fleet: Fleet): Fleet => aFleet(Object.fromEntries(fleet.hosts.records.map(({ host, stats }) => [host, stats])))
