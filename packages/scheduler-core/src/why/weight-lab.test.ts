import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { byExtent } from '../../../../testing/extent.ts'
import { examine } from '../examine/examine.ts'
import type { Findings } from '../pipeline/findings.ts'
import { type Profile, profileSchema } from '../records/profile.ts'
import { aFleet, aLog, aReport, aRequest, aUuid } from '../testing/index.ts'
import { firstWhere, nextTowards } from './floats.ts'
import { MAX_MULTIPLIER } from './totals.ts'
import { openWeightLab, winningMultipliers, winningMultipliersInSteps } from './weight-lab.ts'

const WEIGHERS = ['RAMWeigher', 'CPUWeigher', 'DiskWeigher', 'IoOpsWeigher', 'NumInstancesWeigher'] as const

const host = fc.record({
  memoryMb: fc.integer({ min: 1, max: 40 }).map((n) => n * 1_000 + 777),
  vcpus: fc.integer({ min: 1, max: 9 }),
  localGb: fc.integer({ min: 1, max: 5_000 }),
  numIoOps: fc.integer({ min: 0, max: 4 }),
  runningVms: fc.integer({ min: 0, max: 4 }),
})
/** Generates multipliers that are 0 or at least 1e-6, because the effect of a smaller multiplier is lost in rounding. */
const multiplier = fc
  .oneof(fc.constantFrom(0, 1, -1, 1e6, 1e-6), fc.double({ min: -1e3, max: 1e3, noNaN: true, noDefaultInfinity: true }))
  .map((value) => (Math.abs(value) < 1e-6 ? 0 : value))
const setting = fc.record({
  hosts: fc.array(host, { minLength: 1, maxLength: 12 }),
  multipliers: fc.array(multiplier, { minLength: 1, maxLength: WEIGHERS.length }),
  normalisation: fc.constantFrom('minmax' as const, 'fixed' as const, 'rank' as const),
  tieOrder: fc.constantFrom('first-seen' as const, 'seeded' as const),
  /** An aggregate that sets a multiplier for its hosts. */
  own: fc.option(fc.record({ value: fc.constantFrom('0', '2.5', '-3'), hosts: fc.array(fc.nat({ max: 11 }), { maxLength: 4 }) })),
})

type Setting = typeof setting extends fc.Arbitrary<infer Value> ? Value : never

const profileOf = ({ multipliers, normalisation, tieOrder, own }: Setting, changed?: { w: number; multiplier: number }): Profile =>
  profileSchema.parse({
    name: 'p',
    number: 1,
    filters: [],
    normalisation,
    tieOrder,
    weighers: multipliers.map((multiplier, w) => ({
      name: WEIGHERS[w],
      multiplier: changed?.w === w ? changed.multiplier : multiplier,
      options: own === null ? {} : { aggregateMultiplier: true },
    })),
  })

function fleetOf({ hosts, own }: Setting) {
  const log = aLog()
  log.append(hosts.map((shape, i) => aReport(`h${i}`, shape)))
  const members = own?.hosts.filter((i) => i < hosts.length) ?? []
  const metadata = { ram_weight_multiplier: own?.value ?? '1', cpu_weight_multiplier: own?.value ?? '1' }
  const next = { name: 'own', hosts: [...new Set(members)].map((i) => `h${i}`), metadata }
  log.append([{ type: 'aggregate', uuid: aUuid(1), expectedVersion: 0, next }])
  return log.fleet
}

const winnerOf = ({ ranked, weighed }: Findings): number | undefined => weighed.hosts[ranked[0] ?? -1]

test('at a reported limit a decision ranks another host first, and at the adjacent number before the limit it ranks the same host first', () => {
  fc.assert(
    fc.property(setting, (given) => {
      const fleet = fleetOf(given)
      const request = aRequest({ flavor: { vcpus: 0, memoryMb: 0, rootGb: 0 } })
      const run = (w: number, multiplier: number) => winnerOf(examine(fleet, request, profileOf(given, { w, multiplier }), 'seed'))
      const examined = examine(fleet, request, profileOf(given), 'seed')
      const lab = openWeightLab(examined)
      const winner = winnerOf(examined)
      for (let w = 0; lab !== undefined && w < given.multipliers.length; w++) {
        const { below, above } = lab.flips(w)
        const left = lab.without(w)
        const present = given.multipliers[w] as number
        for (const [flip, end] of [
          [below, -MAX_MULTIPLIER],
          [above, MAX_MULTIPLIER],
        ] as const) {
          if (flip === undefined) {
            expect(run(w, end)).toBe(winner)
            continue
          }
          expect(flip.multiplier < present).toBe(end < 0)
          expect(run(w, flip.multiplier)).toBe(examined.weighed.hosts[flip.winner])
          expect(run(w, flip.multiplier)).not.toBe(winner)
          expect(run(w, nextTowards(flip.multiplier, present))).toBe(winner)
        }
        const others = given.multipliers.flatMap((multiplier, i) =>
          i === w ? [] : [{ name: WEIGHERS[i] as string, multiplier, options: given.own === null ? {} : { aggregateMultiplier: true } }],
        )
        const without = examine(fleet, request, { ...profileOf(given), weighers: others }, 'seed')
        expect(examined.weighed.hosts[left.winner]).toBe(winnerOf(without))
        expect(left.isSame).toBe(examined.ranked.slice(0, 10).join() === without.ranked.slice(0, 10).join())
      }
    }),
    { numRuns: byExtent(15, 50) },
  )
})

/** True if a host ranks first with a margin above rounding errors. */
function winsPlainly({ ranked, weighed: { hosts, totals } }: Findings, host: number | undefined): boolean {
  const [first, ...others] = ranked.map((position) => totals[position] as number)
  const most = Math.max(...totals.map(Math.abs))
  return hosts[ranked[0] ?? -1] === host && first !== undefined && others.every((total) => first - total > most * 1e-12)
}

test('a host wins with the returned multiplier and not with the adjacent number before it; if none is returned, no tried multiplier makes it win', () => {
  fc.assert(
    fc.property(setting, (given) => {
      const fleet = fleetOf(given)
      const request = aRequest({ flavor: { vcpus: 0, memoryMb: 0, rootGb: 0 } })
      const at = (w: number, multiplier: number) => examine(fleet, request, profileOf(given, { w, multiplier }), 'seed')
      const run = (w: number, multiplier: number) => winnerOf(at(w, multiplier))
      const examined = examine(fleet, request, profileOf(given), 'seed')
      for (const position of examined.ranked.slice(1, 5)) {
        const lost = examined.weighed.hosts[position]
        for (const [w, needed] of winningMultipliers(examined, position).entries()) {
          const present = given.multipliers[w] as number
          if (needed === undefined) {
            for (const tried of [-1e9, -1e3, -1, 0, 1, 1e3, 1e9]) expect(winsPlainly(at(w, tried), lost)).toBe(false)
            continue
          }
          expect(run(w, needed)).toBe(lost)
          expect(run(w, nextTowards(needed, present))).not.toBe(lost)
        }
      }
    }),
    { numRuns: byExtent(15, 50) },
  )
})

test('the search for winning multipliers yields after each computation of all totals', () => {
  const fleet = aFleet({ a: { memoryMb: 4_096, vcpus: 2 }, b: { memoryMb: 2_048, vcpus: 4 } })
  const weighers = [
    { name: 'RAMWeigher', multiplier: 3 },
    { name: 'CPUWeigher', multiplier: 1 },
  ]
  const profile = profileSchema.parse({ name: 'p', number: 1, filters: [], weighers })
  const examined = examine(fleet, aRequest({ flavor: { vcpus: 1, memoryMb: 1 } }), profile, 'seed')
  const steps = winningMultipliersInSteps(examined, examined.ranked[1] as number)
  let pauses = 0
  while (steps.next().done !== true) pauses++
  // The search yields once for each weigher, and twice more for each weigher that gives the two hosts different scores.
  expect(pauses).toBeGreaterThanOrEqual(3 * weighers.length)
})

describe('two hosts, one with more memory and one with more CPUs', () => {
  const fleet = aFleet({ memory: { memoryMb: 4_096, vcpus: 2 }, cpus: { memoryMb: 2_048, vcpus: 4 } })
  const lab = (ram: number, cpu: number) => {
    const weighers = [
      { name: 'RAMWeigher', multiplier: ram },
      { name: 'CPUWeigher', multiplier: cpu },
    ]
    const profile = profileSchema.parse({ name: 'p', number: 1, filters: [], weighers })
    return openWeightLab(examine(fleet, aRequest({ flavor: { vcpus: 1, memoryMb: 1 } }), profile, 'seed'))
  }
  // In these tests, a weigher gives the score 1 to the host with more of a resource, and 1/2 to the other host. With the multipliers m and
  // n, a total is therefore m + n / 2.
  test('the host with the larger multiplier wins by half the difference of the multipliers', () => {
    expect(lab(3, 2)).toMatchObject({ winner: 0, runnerUp: 1, margin: 0.5 })
  })
  test('the winner changes just beyond equal multipliers, because with equal totals the host that was first seen wins', () => {
    const own = lab(3, 2)
    expect([own?.without(0), own?.without(1)]).toEqual([
      { winner: 1, isSame: false },
      { winner: 0, isSame: true },
    ])
    const [ram, cpu] = [own?.flips(0), own?.flips(1)]
    expect(ram).toEqual({ below: { multiplier: expect.closeTo(2, 12), winner: 1 }, above: undefined })
    expect(ram?.below?.multiplier).toBeLessThan(2)
    expect(cpu).toEqual({ below: undefined, above: { multiplier: expect.closeTo(3, 12), winner: 1 } })
    expect(cpu?.above?.multiplier).toBeGreaterThan(3)
  })
  test('a weigher with the multiplier 0 also has a limit at which another host wins', () => {
    const own = lab(3, 0)
    expect(own?.without(1).isSame).toBe(true)
    expect(own?.flips(1).above?.multiplier).toBeCloseTo(3, 12)
  })
})

test('there is no result if the profile has no weigher', () => {
  const profile = profileSchema.parse({ name: 'p', number: 1, filters: [], weighers: [] })
  expect(openWeightLab(examine(aFleet({ a: {} }), aRequest(), profile, 'seed'))).toBeUndefined()
})

test('nextTowards returns the adjacent number, and treats 0 and -0 as one number', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e300, max: 1e300 }), (value) => {
      const next = nextTowards(value, Number.POSITIVE_INFINITY)
      expect(next).toBeGreaterThan(value)
      expect((value + next) / 2 === value || (value + next) / 2 === next || Math.abs(value) < 1e-300).toBe(true)
    }),
  )
  expect(nextTowards(0, 1)).toBe(Number.MIN_VALUE)
  expect(nextTowards(Number.MIN_VALUE, -1)).toBe(0)
  expect(firstWhere(-5, 7, (value) => value >= 0.1)).toBe(0.1)
  expect(firstWhere(7, -5, (value) => value < 0.1)).toBe(nextTowards(0.1, 0))
})
