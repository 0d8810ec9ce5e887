import { MAX_MULTIPLIER as CORE_MAX_MULTIPLIER, examine, type HostIndex, parseProfile } from '@gantt/scheduler-core'
import { aFleet, aRequest } from '@gantt/scheduler-core/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  isWithinLimits,
  type Limits,
  MAX_MULTIPLIER,
  placeOn,
  printTried,
  reachOf,
  readMultiplier,
  readTried,
  trackOf,
  tryOut,
  withTried,
} from './try-out.ts'

const WEIGHERS = ['RAMWeigher', 'CPUWeigher', 'DiskWeigher', 'IoOpsWeigher'] as const

const shape = fc.record({
  memoryMb: fc.integer({ min: 1, max: 40 }).map((n) => n * 1_000 + 777),
  vcpus: fc.integer({ min: 1, max: 9 }),
  localGb: fc.integer({ min: 1, max: 5_000 }),
  numIoOps: fc.integer({ min: 0, max: 4 }),
})
const multipliers = fc.array(fc.oneof(fc.constantFrom(0, 1, -1, 1e6), fc.double({ min: -1e3, max: 1e3, noNaN: true })), {
  minLength: WEIGHERS.length,
  maxLength: WEIGHERS.length,
})

/** A normalisation of raw numbers, or `nova` for Nova's weighers. */
type Way = 'minmax' | 'fixed' | 'rank' | 'nova'

function found(fleet: ReturnType<typeof aFleet>, numbers: readonly number[], way: Way) {
  const weighers = numbers.map((multiplier, w) => ({ name: WEIGHERS[w], multiplier }))
  const rest = way === 'nova' ? { compat: way } : { normalisation: way }
  const profile = parseProfile({ name: 'p', number: 1, filters: [], weighers, ...rest })
  if (!profile.ok) throw new Error(JSON.stringify(profile.problems))
  return examine(fleet, aRequest({ flavor: { vcpus: 0, memoryMb: 0, rootGb: 0 } }), profile.value, 'seed')
}

/** The hosts as the API returns them. */
const answered = ({ weighed, ranked, multiplierSources }: ReturnType<typeof found>) =>
  ranked.map((position, i) => {
    const index = weighed.hosts[position] as HostIndex
    const weights = weighed.weighers.map(({ name, multiplier, normalised }, w) => {
      const normalized = normalised[position] as number
      const multiplierSource = multiplierSources[w]?.get(index) ?? null
      return { weigher: name, normalized, multiplier, multiplierSource, weighted: multiplier * normalized }
    })
    return { index, rank: i + 1, totalWeight: weighed.totals[position] as number, weights }
  })

test('with changed multipliers the order and the totals are those of a profile with these multipliers, bit for bit', () => {
  fc.assert(
    fc.property(
      fc.array(shape, { minLength: 1, maxLength: 12 }),
      multipliers,
      multipliers,
      fc.constantFrom<Way>('minmax', 'fixed', 'rank', 'nova'),
      (shapes, before, after, way) => {
        // Some of Nova's weighers are not evaluated if their multiplier is 0. Their raw numbers are then unknown, and the page does not
        // offer to change them.
        fc.pre(way !== 'nova' || before.every((multiplier) => multiplier !== 0))
        const fleet = aFleet(Object.fromEntries(shapes.map((one, i) => [`h${i}`, one])))
        const tried = new Map(WEIGHERS.map((name, w) => [name as string, after[w] as number]))
        const asItWas = answered(found(fleet, before, way))
        const ranks = (hosts: typeof asItWas) => hosts.map(({ index, rank, totalWeight }) => ({ index, rank, totalWeight }))
        expect(ranks(tryOut(asItWas, tried, ({ index }) => index))).toEqual(ranks(answered(found(fleet, after, way))))
        // Without changed multipliers, the result equals that of the decision.
        expect(tryOut(asItWas, new Map(), ({ index }) => index)).toEqual(asItWas)
      },
    ),
    { numRuns: 100 },
  )
})

test('a host with its own multiplier keeps this multiplier', () => {
  const host = (name: string, multiplierSource: string | null) => ({
    name,
    rank: 1,
    totalWeight: 2,
    weights: [{ weigher: 'RAMWeigher', normalized: 1, multiplier: 2, multiplierSource, weighted: 2 }],
  })
  const shown = tryOut([host('a', 'aggregate ssd'), host('b', null)], new Map([['RAMWeigher', 3]]), () => 0)
  expect(shown.map(({ name, totalWeight, rank }) => [name, totalWeight, rank])).toEqual([
    ['b', 3, 1],
    ['a', 2, 2],
  ])
})

describe('the tried multipliers in the URL', () => {
  test.each([
    [undefined, []],
    ['RAMWeigher:0.5', [['RAMWeigher', 0.5]]],
    [
      'A:-2,B:1e-7',
      [
        ['A', -2],
        ['B', 1e-7],
      ],
    ],
    ['A:,B:x,:3,C:1e10,D', []],
  ])('are read from %s', (text, pairs) => expect([...readTried(text)]).toEqual(pairs))

  test('changed multipliers in the URL are read back unchanged', () =>
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom(...WEIGHERS), fc.double({ min: -CORE_MAX_MULTIPLIER, max: CORE_MAX_MULTIPLIER, noNaN: true })),
        (pairs) => {
          const tried = new Map(Object.entries(pairs).map(([name, value]) => [name, value === 0 ? 0 : value]))
          expect(readTried(printTried(tried))).toEqual(tried)
        },
      ),
    ))

  test('a multiplier that equals the recorded one is omitted from the URL', () => {
    const tried = withTried(new Map(), 'A', 2, 1)
    expect(printTried(tried)).toBe('A:2')
    expect(printTried(withTried(tried, 'A', 1, 1))).toBeUndefined()
  })
})

test.each([
  ['1', 1],
  ['-0.25', -0.25],
  ['1e9', 1e9],
  ['1000000001', undefined],
  ['', undefined],
  ['-', undefined],
  ['one', undefined],
])('the text "%s" is read as the multiplier %s', (text, value) => expect(readMultiplier(text)).toBe(value))

test('the page and scheduler-core have the same largest multiplier', () => expect(MAX_MULTIPLIER).toBe(CORE_MAX_MULTIPLIER))

const limits = (given: Partial<Limits>): Limits => ({ name: 'A', multiplier: 1, flipsBelow: null, flipsAbove: null, ...given })

test.each([
  ['nothing', {}, {}, true],
  ['one multiplier without limits', { A: -5 }, {}, true],
  ['one multiplier within its limit', { A: 0.6 }, { flipsBelow: 0.5 }, true],
  ['one multiplier at its limit', { A: 0.5 }, { flipsBelow: 0.5 }, false],
  ['one multiplier beyond its limit', { A: 9 }, { flipsAbove: 2 }, false],
  ['two multipliers, whatever their limits', { A: 1.1, B: 1.1 }, {}, false],
])('whether the first host is known to stay first after a change of %s', (_what, tried, given, isKnown) =>
  expect(isWithinLimits([limits(given), limits({ name: 'B' })], new Map(Object.entries(tried)))).toBe(isKnown),
)

test.each([
  ['every host is listed', 50, { A: 9 }, 'ALL'],
  ['within its limits no other host is first, but a host that is not listed may be second', 51, { A: 1.1 }, 'FIRST'],
  ['beyond its limits only the order of the listed hosts is known', 51, { A: 9 }, 'LISTED'],
] as const)('the hosts whose order with other multipliers is known: %s', (_what, passed, tried, reach) =>
  expect(reachOf([limits({ flipsAbove: 2 })], new Map(Object.entries(tried)), 50, passed)).toBe(reach),
)

const tracks: readonly (readonly [string, Partial<Limits>])[] = [
  ['around a multiplier of 1', {}],
  ['reaches a near limit', { flipsAbove: 5.25 }],
  ['does not reach a far limit', { flipsAbove: 5e6 }],
  ['around a multiplier of 0', { multiplier: 0 }],
  ['around a large multiplier', { multiplier: -1e6, flipsBelow: -1.5e6 }],
]

describe('the track of a slider', () => {
  test.each(tracks)('%s', (_what, given) => {
    const one = limits(given)
    const track = trackOf(one)
    expect(track.min).toBeLessThan(Math.min(0, one.multiplier))
    expect(track.max).toBeGreaterThan(Math.max(0, one.multiplier))
    const steps = (track.max - track.min) / track.step
    expect(steps).toBeGreaterThan(40)
    expect(steps).toBeLessThan(700)
    expect(placeOn(track, one.multiplier)).toBeGreaterThan(0)
    for (const flip of [one.flipsBelow, one.flipsAbove]) {
      if (flip === null) continue
      const isNear = Math.abs(flip - one.multiplier) <= 10 * (Math.abs(one.multiplier) || 1)
      expect(placeOn(track, flip) !== undefined).toBe(isNear)
    }
  })

  test('a slider has no position for a value beyond its ends, or for a missing value', () => {
    const track = { min: -1, max: 3, step: 0.1 }
    expect([-1, 1, 3, 3.1, null].map((value) => placeOn(track, value))).toEqual([0, 0.5, 1, undefined, undefined])
  })
})
