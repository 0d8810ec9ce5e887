import type { CompiledProfile, CompiledWeigher } from '../../contracts/compiled-profile.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { at } from '../../hosts/columns.ts'
import type { Profile } from '../../records/profile.ts'
import { readsOf } from '../../report/stats-fields.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import type { HostIndex } from '../../values/host-index.ts'
import { HOSTS_AT_ONCE, type Steps, WHOLE } from '../../values/steps.ts'
import { withoutUnreported } from '../filtering/not-reported.ts'
import { type CachedScores, cachedScores } from './score-cache.ts'

/** Scores of the hosts that passed; every array is parallel to `hosts`. */
export interface Weighed {
  readonly hosts: Int32Array
  readonly weighers: readonly WeigherScores[]
  readonly totals: Float64Array
}

export interface WeigherScores {
  readonly name: string
  readonly unit: string
  /** The multiplier of hosts that have no multiplier of their own. */
  readonly multiplier: number
  /** The multiplier of every host. Absent if all hosts have the same multiplier. */
  readonly multipliers?: Float64Array
  readonly raw: Float64Array
  /** Raw scores scaled by the profile's normalisation. A host's share of the total is its multiplier x this score. */
  readonly normalised: Float64Array
  readonly min: number
  readonly max: number
  /** True if at least one host had no valid score. Such hosts get the lowest score of the other hosts. */
  readonly hasNonsense?: true
}

/** A weigher prepared for one request. */
export interface WeighStep {
  readonly name: string
  readonly unit: string
  readonly minval: number | undefined
  readonly normalisation: Profile['normalisation']
  readonly multiplier: number
  /** Returns the multiplier of each of these hosts. Undefined if all hosts have the same multiplier. */
  readonly multipliersOf: ((hosts: Int32Array) => Float64Array) | undefined
  /** The raw numbers of these hosts, as the weigher returns them. They may be invalid. */
  readonly rawOf: (hosts: Int32Array) => Float64Array
  /** See `Weigher.readsHostOnly`. */
  readonly readsHostOnly: boolean
}

export function prepareWeighers(compiled: CompiledProfile, request: RequestSpec, fleet: Fleet): readonly WeighStep[] {
  return compiled.weighers.map((compiledWeigher) => {
    const { name, unit, minval, cacheKey, readsHostOnly = cacheKey !== undefined } = compiledWeigher.weigher
    const { normalisation } = compiled.profile
    const rawOf = prepareRaw(compiledWeigher, request, fleet)
    return { name, unit, minval, normalisation, ...prepareMultipliers(compiledWeigher, fleet), rawOf, readsHostOnly }
  })
}

/** Totals in the canonical order of operations: sum over weighers, in the profile's order, of the host's multiplier x normalised. */
export function runWeighers(steps: readonly WeighStep[], hosts: Int32Array): Weighed {
  const weighers = steps.map((step) => weigh(step, hosts))
  return { hosts, weighers, totals: totalsOf(weighers, new Float64Array(hosts.length)) }
}

/** `runWeighers` as a generator that yields in between. */
export function* runWeighersInSteps(steps: readonly WeighStep[], hosts: Int32Array, slice = HOSTS_AT_ONCE): Steps<Weighed> {
  if (slice === WHOLE) return runWeighers(steps, hosts)
  const weighers: WeigherScores[] = []
  for (const step of steps) {
    const given = yield* inParts(step.rawOf, hosts, slice)
    const multipliers = step.multipliersOf && (yield* inParts(step.multipliersOf, hosts, slice))
    weighers.push(weigh({ ...step, rawOf: () => given, multipliersOf: multipliers && (() => multipliers) }, hosts))
    yield
  }
  return { hosts, weighers, totals: totalsOf(weighers, new Float64Array(hosts.length)) }
}

/** The scores of all hosts. Yields after each slice of hosts. */
function* inParts(numbersOf: (hosts: Int32Array) => Float64Array, hosts: Int32Array, slice: number): Steps<Float64Array> {
  const numbers = new Float64Array(hosts.length)
  for (let from = 0; from < hosts.length; from += slice) {
    numbers.set(numbersOf(hosts.subarray(from, from + slice)), from)
    yield
  }
  return numbers
}

function weigh({ name, unit, minval, normalisation, multiplier, multipliersOf, rawOf }: WeighStep, hosts: Int32Array): WeigherScores {
  const given = rawOf(hosts)
  const raw = leastForNonsense(given)
  const { min, max } = boundsOf(raw, minval)
  const multipliers = multipliersOf?.(hosts)
  return {
    name,
    unit,
    multiplier,
    ...(multipliers !== undefined && { multipliers }),
    raw,
    normalised: normalise(raw, min, max, normalisation),
    min,
    max,
    ...(raw !== given && { hasNonsense: true }),
  }
}

/** Writes the totals of hosts, in the canonical order of operations. */
export function totalsOf(weighers: readonly WeigherScores[], totals: Float64Array): Float64Array {
  totals.fill(0)
  for (const { multiplier, multipliers, normalised } of weighers)
    if (multipliers === undefined)
      for (let i = 0; i < totals.length; i++) totals[i] = (totals[i] as number) + multiplier * (normalised[i] as number)
    else for (let i = 0; i < totals.length; i++) totals[i] = (totals[i] as number) + (multipliers[i] as number) * (normalised[i] as number)
  return totals
}

/** The multiplier of a weigher for the host at a position in `Weighed.hosts`. */
export const multiplierAt = ({ multiplier, multipliers }: WeigherScores, position: number): number =>
  multipliers === undefined ? multiplier : (multipliers[position] as number)

/** The amount that a weigher adds to the total of a host. */
export const contributionAt = (scores: WeigherScores, position: number): number =>
  multiplierAt(scores, position) * (scores.normalised[position] as number)

function prepareRaw(
  { weigher, options, multiplier, cacheName }: CompiledWeigher,
  request: RequestSpec,
  fleet: Fleet,
): (hosts: Int32Array) => Float64Array {
  const { rawOf, ages } = withoutUnreported(
    prepareSafely(() => weigher.prepare(request, fleet, options, multiplier)),
    fleet,
    // Hosts without the report that an outside weigher reads were handled before it was called.
    weigher.outside === undefined ? readsOf(weigher.reads, options) : [],
    options,
  )
  // Only numbers that do not depend on the time are cached.
  const key = ages ? undefined : weigher.cacheKey?.(request, options)
  return key === undefined ? fillEach(rawOf) : fillFrom(cachedScores(fleet, `${cacheName}\u0000${key}`), fleet, rawOf)
}

/** The multiplier of a host is cached like a raw number, because an edit of one of its aggregates raises the host's version. */
function prepareMultipliers(
  { weigher, options, multiplier, cacheName }: CompiledWeigher,
  fleet: Fleet,
): Pick<WeighStep, 'multiplier' | 'multipliersOf'> {
  const { usual, own } = weigher.multipliers?.(fleet, options, multiplier) ?? { usual: multiplier }
  const cache = `multiplier\u0000${cacheName}\u0000${multiplier}`
  return { multiplier: usual, multipliersOf: own && fillFrom(cachedScores(fleet, cache), fleet, own.of) }
}

const fillEach =
  (numberOf: (host: HostIndex) => number) =>
  (hosts: Int32Array): Float64Array => {
    const numbers = new Float64Array(hosts.length)
    for (let i = 0; i < numbers.length; i++) numbers[i] = numberOf(hosts[i] as HostIndex)
    return numbers
  }

/** Fills a cache: numbers are computed again only for hosts that changed. */
const fillFrom =
  ({ raw: known, version: knownAt }: CachedScores, { hosts: { columns } }: Fleet, numberOf: (host: HostIndex) => number) =>
  (hosts: Int32Array): Float64Array => {
    const { version } = columns
    const numbers = new Float64Array(hosts.length)
    for (let i = 0; i < numbers.length; i++) {
      const host = hosts[i] as HostIndex
      const now = at(version, host)
      if (knownAt[host] !== now) {
        known[host] = numberOf(host)
        knownAt[host] = now
      }
      numbers[i] = known[host] as number
    }
    return numbers
  }

/** A weigher that throws does not fail a decision. Its number becomes invalid, and an invalid number counts as the lowest one. */
function prepareSafely(prepare: () => (host: HostIndex) => number): (host: HostIndex) => number {
  let rawOf: (host: HostIndex) => number
  try {
    rawOf = prepare()
  } catch {
    return () => Number.NaN
  }
  return (host) => {
    try {
      return rawOf(host)
    } catch {
      return Number.NaN
    }
  }
}

function leastForNonsense(raw: Float64Array): Float64Array {
  let nonsense = false
  // x - x is 0 for every finite number, and NaN for all others.
  for (let i = 0; i < raw.length; i++) if ((raw[i] as number) - (raw[i] as number) !== 0) nonsense = true
  if (!nonsense) return raw
  const finite = raw.filter(Number.isFinite)
  const least = finite.length === 0 ? 0 : finite.reduce((a, b) => Math.min(a, b))
  return raw.map((value) => (Number.isFinite(value) ? value : least))
}

export function boundsOf(raw: Float64Array, minval: number | undefined): { min: number; max: number } {
  if (raw.length === 0) return { min: 0, max: 0 }
  let min = minval ?? Number.POSITIVE_INFINITY
  let max = Number.NEGATIVE_INFINITY
  for (let i = 0; i < raw.length; i++) {
    const value = raw[i] as number
    if (value < min) min = value
    if (value > max) max = value
  }
  return { min, max }
}

/**
 * Scales raw numbers. minmax is (x - min) / (max - min) in this order of operations, so that the result equals Nova's to the last bit. The
 * result is written into `room` if it is given and the rule needs an array.
 */
export function normalise(raw: Float64Array, min: number, max: number, how: Profile['normalisation'], room?: Float64Array): Float64Array {
  if (how === 'fixed') return raw
  if (how === 'rank') return rank(raw)
  const scaled = room ?? new Float64Array(raw.length)
  if (max === min) return scaled.fill(0)
  const range = max - min
  for (let i = 0; i < raw.length; i++) scaled[i] = ((raw[i] as number) - min) / range
  return scaled
}

/** The share of the other hosts that have a lower raw number: 0 for the least, 1 for a sole best. */
function rank(raw: Float64Array): Float64Array {
  const sorted = Float64Array.from(raw).sort()
  const others = Math.max(1, raw.length - 1)
  return raw.map((value) => lowerBound(sorted, value) / others)
}

/** The number of values below a limit, in a list in ascending order. */
export function lowerBound(sorted: Float64Array, value: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] as number) < value) low = middle + 1
    else high = middle
  }
  return low
}
