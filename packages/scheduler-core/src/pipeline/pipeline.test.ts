import { describe, expect, test } from 'vitest'
import type { CompiledProfile } from '../contracts/compiled-profile.ts'
import type { Filter } from '../contracts/filter.ts'
import type { Weigher } from '../contracts/weigher.ts'
import { openOverlay } from '../fleet/overlay.ts'
import { type ProfileInput, profileLevel, profileSchema } from '../records/profile.ts'
import { createFilterScheduler } from '../schedulers/filter-scheduler.ts'
import { aFleet, aLog, aReport, aRequest } from '../testing/index.ts'
import type { PreparedFilter } from '../text/prepared-filter.ts'
import type { HostIndex } from '../values/host-index.ts'
import { createRandom } from '../values/random.ts'
import { compileProfile, parseProfile } from './compile.ts'
import { prepareFilters, runFilters } from './filtering/run-filters.ts'
import { best, createTieOrder } from './weighing/pick.ts'
import { pick } from './weighing/picked.suite.ts'
import { prepareWeighers, runWeighers, type Weighed } from './weighing/run-weighers.ts'

const aProfile = (parts: Partial<ProfileInput> = {}) =>
  profileSchema.parse({ name: 'test', number: 1, filters: [], weighers: [], ...parts })
const NaN_ = Number.NaN
const INF = Number.POSITIVE_INFINITY

/** A compiled profile with filters and weighers that are defined in this test and not registered. */
const compiledWith = (
  parts: { filters?: readonly Filter[]; weighers?: readonly Weigher[]; multipliers?: readonly number[] },
  profile: Partial<ProfileInput> = {},
): CompiledProfile => {
  const { filters = [], weighers = [], multipliers = [] } = parts
  const compiled = compileProfile(aProfile(profile))
  return {
    ...compiled,
    filters: [
      ...filters.map((filter) => ({ filter, options: {}, isNet: false, isOutside: false, verifiedAt: 'ALL' as const })),
      ...compiled.filters,
    ],
    weighers: weighers.map((weigher, i) => ({ weigher, options: {}, multiplier: multipliers[i] ?? 1, cacheName: weigher.name })),
  }
}
const aWeigher = (raw: readonly number[], more: Partial<Weigher> = {}): Weigher => ({
  name: `W${raw.join()}`,
  description: 'A test.',
  reads: [],
  unit: 'points',
  prepare: () => (host) => raw[host] as number,
  ...more,
})
const fleetOf = (count: number) => aFleet(Object.fromEntries(Array.from({ length: count }, (_, i) => [`h${i}`, {}])))

function weigh(
  weighers: readonly Weigher[],
  count: number,
  profile: Partial<ProfileInput> = {},
  multipliers: readonly number[] = [],
): Weighed {
  const steps = prepareWeighers(compiledWith({ weighers, multipliers }, profile), aRequest(), fleetOf(count))
  return runWeighers(
    steps,
    Int32Array.from({ length: count }, (_, i) => i),
  )
}

describe('normalisation', () => {
  test.each<[string, ProfileInput['normalisation'], readonly number[], number | undefined, readonly number[]]>([
    ['minmax gives 0 to the lowest and 1 to the highest number', 'minmax', [10, 20, 15], undefined, [0, 1, 0.5]],
    ['minmax of equal numbers is 0', 'minmax', [7, 7, 7], undefined, [0, 0, 0]],
    ['minmax of one host is 0', 'minmax', [7], undefined, [0]],
    ['minmax takes numbers below 0', 'minmax', [-10, 0, 10], undefined, [0, 0.5, 1]],
    ['minmax with a minimum of 0 measures from 0', 'minmax', [10, 20, 15], 0, [0.5, 1, 0.75]],
    ['minmax gives 1 to equal numbers above the minimum', 'minmax', [7, 7], 0, [1, 1]],
    ['minmax gives 0 if all numbers equal the minimum', 'minmax', [0, 0], 0, [0, 0]],
    ['minmax gives 0 to the lowest number if it is below the minimum', 'minmax', [-10, 0, 10], 0, [0, 0.5, 1]],
    ['fixed leaves numbers as they are', 'fixed', [10, -3, 0.5], undefined, [10, -3, 0.5]],
    ['rank is the share of the other hosts with a lower number', 'rank', [10, 1_000, 20], undefined, [0, 1, 0.5]],
    ['rank gives equal numbers the lower rank', 'rank', [5, 5, 9], undefined, [0, 0, 1]],
    ['rank of one host is 0', 'rank', [5], undefined, [0]],
    ['NaN counts as the lowest of the other numbers', 'fixed', [NaN_, 3, 2], undefined, [2, 3, 2]],
    ['infinity counts as the lowest of the other numbers', 'fixed', [INF, 3, -INF], undefined, [3, 3, 3]],
    ['without any finite number, every host gets 0', 'fixed', [NaN_, INF], undefined, [0, 0]],
    ['NaN never gets a high rank', 'rank', [NaN_, 3, 2], undefined, [0, 1, 0]],
  ])('%s', (_name, normalisation, raw, minval, expected) => {
    const { weighers } = weigh([aWeigher(raw, minval === undefined ? {} : { minval })], raw.length, { normalisation })
    expect([...(weighers[0]?.normalised ?? [])]).toEqual(expected)
  })

  test('minmax normalisation without hosts gives no scores', () => {
    expect(weigh([aWeigher([])], 0).totals).toHaveLength(0)
  })
})

describe('totals', () => {
  test('a total is the sum of multiplier times normalised score over the weighers, in the order of the profile', () => {
    const { weighers, totals } = weigh([aWeigher([1, 2, 3]), aWeigher([9, 0, 3])], 3, {}, [0.1, -2])
    for (let i = 0; i < 3; i++)
      expect(totals[i]).toBe(weighers.reduce((sum, { multiplier, normalised }) => sum + multiplier * (normalised[i] as number), 0))
    expect([...totals]).toEqual([-2, 0.05, 0.1 - 2 / 3])
  })

  test('without weighers every total is 0', () => {
    expect([...weigh([], 3).totals]).toEqual([0, 0, 0])
  })

  test.each<[string, Partial<Weigher>]>([
    [
      'that throws while it prepares',
      {
        prepare: () => {
          throw new Error('no')
        },
      },
    ],
    [
      'that throws on every host',
      {
        prepare: () => () => {
          throw new Error('no')
        },
      },
    ],
    ['whose preparation returns null', { prepare: () => JSON.parse('null') }],
  ])('a weigher %s does not make the decision fail, and adds 0 to every total', (_name, parts) => {
    expect([...weigh([aWeigher([0, 0], parts), aWeigher([1, 2])], 2).totals]).toEqual([0, 1])
  })

  test('a host for which a weigher throws gets the lowest score of the other hosts', () => {
    const raw = (host: HostIndex) => {
      if (host === 1) throw new Error('no')
      return host + 1
    }
    expect([...weigh([aWeigher([], { prepare: () => raw })], 3, { normalisation: 'fixed' }).totals]).toEqual([1, 1, 3])
  })

  test('a cached score is computed again only if the host changes', () => {
    let asked = 0
    const counting = aWeigher([], {
      prepare:
        (_request, { hosts }) =>
        (host) => {
          asked++
          return hosts.classColumns('VCPU').free[host] as number
        },
      cacheKey: () => 'one',
    })
    const fleet = fleetOf(3)
    const compiled = compiledWith({ weighers: [counting] }, { normalisation: 'fixed' })
    const all = Int32Array.of(0, 1, 2)
    const totals = () => [...runWeighers(prepareWeighers(compiled, aRequest(), fleet), all).totals]
    expect([totals(), totals(), asked]).toEqual([[16, 16, 16], [16, 16, 16], 3])
    const overlay = openOverlay(fleet)
    overlay.hold({ claim: 'c', instance: null, host: 'h1', node: 'h1', grants: { classes: { VCPU: 4 } } }, null)
    expect([totals(), asked]).toEqual([[16, 12, 16], 4])
    overlay.discard()
    expect([totals(), asked]).toEqual([[16, 16, 16], 5])
  })

  test('a cached score is computed again if the feature level rises, because rules of weighers depend on it', () => {
    const byLevel = aWeigher([], {
      prepare:
        (_request, { featureLevel }) =>
        () =>
          featureLevel,
      cacheKey: () => 'one',
    })
    const log = aLog()
    log.append([{ type: 'feature', level: 9 }])
    log.append([aReport('h0')])
    const compiled = compiledWith({ weighers: [byLevel] }, { normalisation: 'fixed' })
    const total = () => runWeighers(prepareWeighers(compiled, aRequest(), log.fleet), Int32Array.of(0)).totals[0]
    expect(total()).toBe(9)
    log.append([{ type: 'feature', level: 10 }])
    expect(total()).toBe(10)
  })
})

describe('the choice of a host by its total', () => {
  const weighed = (totals: readonly number[], hosts: readonly number[] = totals.map((_, i) => i)): Weighed => ({
    hosts: Int32Array.from(hosts),
    weighers: [],
    totals: Float64Array.from(totals),
  })
  const picked = (totals: readonly number[], profile: Partial<ProfileInput> = {}, seed = 'seed', hosts?: readonly number[]) =>
    pick(weighed(totals, hosts), 10, aProfile(profile), createTieOrder(aProfile(profile), seed), createRandom(seed))

  test('without hosts no host is chosen', () => {
    expect(picked([])).toBeUndefined()
  })

  test('the host with the highest total is chosen at every position in the list', () => {
    expect(picked([1, 3, 2])).toEqual({ host: 1, ranked: [1, 2, 0], rank: 0, tied: 1 })
  })

  test('among equal totals the host that reported first is chosen, and the count of hosts with this total is recorded', () => {
    expect(picked([1, 3, 3, 3], {}, 'seed', [9, 4, 2, 7])).toEqual({ host: 2, ranked: [2, 1, 3, 0], rank: 0, tied: 3 })
  })

  test('the same seed gives the same order of hosts, and another seed gives another order', () => {
    const order = (seed: string) => picked(new Array<number>(20).fill(0), { tieOrder: 'seeded' }, seed)?.ranked
    expect(order('a')).toEqual(order('a'))
    expect(order('a')).not.toEqual(order('b'))
    expect(new Set(order('a')).size).toBe(10)
  })

  test('a shuffled order never puts a worse host before a better one', () => {
    for (let seed = 0; seed < 20; seed++)
      expect(picked([0, 5, 5, 5, 1], { tieOrder: 'seeded' }, `${seed}`)?.ranked.slice(3)).toEqual([4, 0])
  })

  test('with a host subset size of 3, each of the 3 best hosts is chosen with some seed, and no other host is chosen', () => {
    const taken = new Set<number>()
    for (let seed = 0; seed < 100; seed++) taken.add(picked([1, 9, 8, 7, 2], { hostSubsetSize: 3 }, `${seed}`)?.host as number)
    expect([...taken].sort()).toEqual([1, 2, 3])
  })

  test('with a host subset size above the count of hosts, every host is chosen with some seed', () => {
    const taken = new Set<number>()
    for (let seed = 0; seed < 100; seed++) taken.add(picked([1, 2], { hostSubsetSize: 1_000 }, `${seed}`)?.host as number)
    expect([...taken].sort()).toEqual([0, 1])
  })

  test.each([
    ['few', 40, 12],
    ['many', 400, 300],
  ])('the best hosts are the first of a full sort, for any totals: %s', (_how, most, asked) => {
    const random = createRandom('totals')
    for (let round = 0; round < 100; round++) {
      const totals = Array.from({ length: 1 + random.below(most) }, () => random.below(6))
      const sorted = totals.map((_, i) => i).sort((a, b) => (totals[b] as number) - (totals[a] as number) || a - b)
      const count = 1 + random.below(asked)
      expect(best(weighed(totals), count, (host) => host)).toEqual(sorted.slice(0, count))
    }
  })
})

describe('filters that fail', () => {
  const aFilter = (prepare: Filter['prepare']): Filter => ({ name: 'Faulty', description: 'A test.', reads: [], prepare })
  const prepared = (passes: (host: HostIndex) => boolean): PreparedFilter => ({ passes, reason: () => ({ code: 'host.down' }) })
  const run = (filter: Filter) => {
    const fleet = fleetOf(3)
    return runFilters(prepareFilters(compiledWith({ filters: [filter] }), aRequest(), fleet), fleet)
  }
  const boom = (): never => {
    throw new Error('no')
  }

  test.each<[string, Filter['prepare'], number, number | undefined]>([
    ['one that throws while it prepares refuses every host', boom, 0, 3],
    ['one that throws on every host refuses every host', () => prepared(boom), 0, 3],
    ['one that throws on a host refuses that host', () => prepared((host) => (host === 1 ? boom() : true)), 2, 1],
    ['one that returns 1 refuses every host', () => prepared(() => JSON.parse('1')), 0, 3],
    ['one that returns text refuses every host', () => prepared(() => JSON.parse('"true"')), 0, 3],
    ['one that returns null refuses every host', () => prepared(() => JSON.parse('null')), 0, 3],
    ['one whose preparation returns an object that is no filter refuses every host', () => JSON.parse('{}'), 0, 3],
    ['one whose preparation returns null refuses every host', () => JSON.parse('null'), 0, 3],
    ['a refusal is not counted as an error', () => prepared(() => false), 0, undefined],
    ['one that has nothing to check passes all hosts', () => undefined, 3, undefined],
  ])('%s', (_name, prepare, passed, errors) => {
    const { hosts, steps } = run(aFilter(prepare))
    expect(hosts).toHaveLength(passed)
    const step = steps.find(({ filter }) => filter === 'Faulty')
    expect(step?.errors).toBe(errors)
  })

  test('a decision with a failing filter places nothing and counts the hosts on which it failed', () => {
    const fleet = fleetOf(3)
    const overlay = openOverlay(fleet)
    const options = { seed: 's', alternatesPerInstance: 1, allOrNothing: true, claimIds: ['c'] }
    const selection = createFilterScheduler(compiledWith({ filters: [aFilter(boom)] })).select(aRequest(), fleet, overlay, options)
    expect([selection.parts, overlay.size]).toEqual([[], 0])
    expect(selection.instances[0]?.filters).toContainEqual({ filter: 'Faulty', entered: 3, passed: 0, errors: 3 })
    overlay.discard()
  })
})

test('the filters that check claims run in every profile, once and last', () => {
  const names = compileProfile(aProfile({ filters: [{ name: 'GpuFilter' }, { name: 'RamFilter' }] })).filters.map(
    ({ filter }) => filter.name,
  )
  expect(names).toEqual([
    'GpuFilter',
    'RamFilter',
    'ServerGroupAffinityFilter',
    'ServerGroupAntiAffinityFilter',
    'ResourceClassFilter',
    'NUMATopologyFilter',
    'PciPassthroughFilter',
    'DiskPoolFilter',
  ])
})

describe('the filters of a profile that run on forced hosts', () => {
  const profile = compileProfile(aProfile({ filters: ['ComputeFilter', 'AvailabilityZoneFilter', 'RamFilter'].map((name) => ({ name })) }))
  const fleet = aFleet({ h1: { memoryMb: 512 } })
  const askedOf = (shape: Parameters<typeof aRequest>[0]) =>
    prepareFilters(profile, aRequest({ availabilityZone: 'az1', ...shape }), fleet)
      .filter(({ prepared }) => prepared !== undefined)
      .map(({ name }) => name)
  const forced = ['Candidates', 'ComputeFilter', 'AvailabilityZoneFilter', 'RamFilter', 'ResourceClassFilter']

  test.each<[string, Parameters<typeof aRequest>[0], readonly string[]]>([
    ['all filters, by default', { forceHosts: ['h1'] }, forced],
    ['the hard filters, with HARD', { forceHosts: ['h1'], forceVerify: 'HARD' }, ['Candidates', 'ComputeFilter', 'ResourceClassFilter']],
    ['only the filters of claims, with NONE', { forceNodes: ['h1'], forceVerify: 'NONE' }, ['Candidates', 'ResourceClassFilter']],
    ['all filters where no host is forced', { forceVerify: 'NONE' }, forced.slice(1)],
  ])('%s', (_what, shape, names) => {
    expect(askedOf(shape)).toEqual(names)
  })
})

describe('a profile with compat: nova', () => {
  const problemsOf = (parts: object) => {
    const parsed = parseProfile({ name: 'n', number: 1, filters: [], weighers: [], ...parts })
    return parsed.ok ? [] : parsed.problems.map(({ path, expected }) => [path.join('.'), expected])
  }

  test.each<[string, object, readonly [string, unknown][]]>([
    [
      'can name filters and weighers by Nova’s names, with Nova’s options',
      {
        compat: 'nova',
        filters: [{ name: 'IoOpsFilter', options: { max_io_ops_per_host: 4 } }],
        weighers: [{ name: 'BuildFailureWeigher', multiplier: 1 }],
      },
      [],
    ],
    [
      'cannot name a filter that Nova does not have',
      { compat: 'nova', filters: [{ name: 'TraitsFilter' }] },
      [['filters.0.name', expect.stringContaining('ComputeFilter')]],
    ],
    [
      'cannot have an option that the filter does not have',
      { compat: 'nova', filters: [{ name: 'IoOpsFilter', options: { colour: 1 } }] },
      [['filters.0.options', expect.any(String)]],
    ],
    ['cannot have scheduler chance', { compat: 'nova', scheduler: 'chance' }, [['scheduler', expect.stringContaining('filter')]]],
    ['cannot have normalisation rank', { compat: 'nova', normalisation: 'rank' }, [['normalisation', expect.stringContaining('minmax')]]],
    ['cannot have tie order seeded', { compat: 'nova', tieOrder: 'seeded' }, [['tieOrder', expect.stringContaining('first-seen')]]],
    ['is required for settings under nova', { nova: { packing: true } }, [['nova', expect.stringContaining('left out')]]],
  ])('%s', (_what, parts, problems) => {
    expect(problemsOf(parts)).toEqual(problems)
  })

  test('a profile with compat: nova needs a feature level at which every replica can decide by it', () => {
    const ordinary = aProfile()
    expect([profileLevel(ordinary), profileLevel({ ...ordinary, compat: 'nova' })]).toEqual([1, 3])
    expect(profileLevel(aProfile({ weighers: [{ name: 'PCIWeigher', multiplier: 1 }] }))).toBe(3)
  })
})
