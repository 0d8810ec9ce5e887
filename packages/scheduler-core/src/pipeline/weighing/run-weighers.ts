import type { CompiledProfile, CompiledWeigher } from '../../contracts/compiled-profile.ts'
import { type ColumnScore, columnOf, noPreference, type ScoreOf } from '../../contracts/weigher.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import type { Column } from '../../hosts/column-memory.ts'
import { at } from '../../hosts/columns.ts'
import type { Profile } from '../../records/profile.ts'
import { readsOf } from '../../report/stats-fields.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import type { HostIndex } from '../../values/host-index.ts'
import { memoByObject } from '../../values/memo.ts'
import { HOSTS_AT_ONCE, type Steps, WHOLE } from '../../values/steps.ts'
import { withoutUnreported } from '../filtering/not-reported.ts'
import { type CachedScores, cachedScores } from './score-cache.ts'

/** The scores of the hosts that passed all filters. Every array has one element for each element of `hosts`, in the same order. */
export interface Weighed {
  readonly hosts: Int32Array
  readonly weighers: readonly WeigherScores[]
  readonly totals: Float64Array
}

export interface WeigherScores {
  readonly name: string
  readonly unit: string
  /** The multiplier for hosts whose aggregates set no other multiplier. */
  readonly multiplier: number
  /** The multiplier for each host. Absent if all hosts have the same multiplier. */
  readonly multipliers?: Float64Array
  readonly raw: Float64Array
  /** Raw scores scaled by the profile's normalisation. The weigher adds multiplier x normalised score to the total of a host. */
  readonly normalised: Float64Array
  readonly min: number
  readonly max: number
  /** True if the weigher gave at least one host no valid score. Such a host gets the lowest score of the other hosts. */
  readonly hasNonsense?: true
}

/** Computes a number for each host. The numbers are written into `into` if it is given, otherwise into a new array. */
export type NumbersOf = (hosts: Int32Array, into?: Float64Array) => Float64Array

export type NumberAt = (host: HostIndex) => number

/** A weigher prepared for one request. */
export interface WeighStep {
  readonly name: string
  readonly unit: string
  readonly minval: number | undefined
  readonly normalisation: Profile['normalisation']
  readonly multiplier: number
  /** Returns the multiplier of each of these hosts. Undefined if all hosts have the same multiplier. */
  readonly multipliersOf: NumbersOf | undefined
  /** The raw scores of these hosts, as the weigher returns them. They can be invalid, such as NaN. */
  readonly rawOf: NumbersOf
  /** The raw score of one host. */
  readonly scoreAt: NumberAt
  /** Equal for weighers that give each host the same raw score while the host does not change. Undefined if scores depend on more. */
  readonly scoreKey: string | undefined
  /** True if the raw scores are the values of a column, or 0 for every host. */
  readonly isPlain: boolean
  /** The multiplier of one host, and a key like `scoreKey`. Undefined if all hosts have the same multiplier. */
  readonly multiplierAt: NumberAt | undefined
  readonly multiplierKey: string | undefined
  /** See `Weigher.readsHostOnly`. */
  readonly readsHostOnly: boolean
  /** True if the raw score of every host is 0, so that the weigher adds nothing to any total. */
  readonly hasNoEffect?: boolean
}

export function prepareWeighers(compiled: CompiledProfile, request: RequestSpec, fleet: Fleet): readonly WeighStep[] {
  return compiled.weighers.map((compiledWeigher) => {
    const { name, unit, minval, cacheKey, readsHostOnly = cacheKey !== undefined } = compiledWeigher.weigher
    const { normalisation } = compiled.profile
    const raw = prepareRaw(compiledWeigher, request, fleet)
    const hasNoEffect = raw.rawOf === fillZeros && (minval ?? 0) >= 0
    return { name, unit, minval, normalisation, ...prepareMultipliers(compiledWeigher, fleet), ...raw, readsHostOnly, hasNoEffect }
  })
}

/**
 * Scores the hosts. The total of a host is the sum of multiplier x normalised score over the weighers. It is added in the profile's order,
 * so that every replica computes the same floating-point result.
 */
export function runWeighers(steps: readonly WeighStep[], hosts: Int32Array): Weighed {
  const weighers = steps.map((step) => weigh(step, hosts))
  return { hosts, weighers, totals: totalsOf(weighers, new Float64Array(hosts.length)) }
}

/** `runWeighers` as a generator that yields after each `slice` of hosts. */
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

/** The scores or multipliers of all hosts. Yields after each slice of hosts. */
function* inParts(numbersOf: (hosts: Int32Array) => Float64Array, hosts: Int32Array, slice: number): Steps<Float64Array> {
  const numbers = new Float64Array(hosts.length)
  for (let from = 0; from < hosts.length; from += slice) {
    numbers.set(numbersOf(hosts.subarray(from, from + slice)), from)
    yield
  }
  return numbers
}

function weigh({ name, unit, minval, normalisation, multiplier, multipliersOf, rawOf }: WeighStep, hosts: Int32Array): WeigherScores {
  const raw = rawOf(hosts)
  const hasNonsense = fillNonsense(raw)
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
    ...(hasNonsense && { hasNonsense }),
  }
}

/** Writes the totals of hosts into `totals`. The weighers are added in the profile's order. */
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
): Pick<WeighStep, 'rawOf' | 'scoreAt' | 'scoreKey' | 'isPlain'> {
  const { rawOf, ages } = withoutUnreported(
    prepareSafely(() => weigher.prepare(request, fleet, options, multiplier)),
    fleet,
    // for a weigher outside of this process, missing reports were checked before the weigher was called
    weigher.outside === undefined ? readsOf(weigher.reads, options) : [],
    options,
  )
  if (rawOf === noPreference) return { rawOf: fillZeros, scoreAt: rawOf, scoreKey: '', isPlain: true }
  const column = columnOf(rawOf)
  if (column !== undefined)
    return { rawOf: fillColumn(column), scoreAt: rawOf, scoreKey: `${numberOf(column.values)} ${column.least}`, isPlain: true }
  // only scores that do not depend on the time are cached
  const key = ages ? undefined : weigher.cacheKey?.(request, options)
  if (key === undefined) return { rawOf: fillEach(rawOf), scoreAt: rawOf, scoreKey: undefined, isPlain: false }
  // some weighers give other raw scores if their multiplier is 0
  const scoreKey = `${cacheName}\u0000${multiplier}\u0000${key}`
  return { ...cachedNumbers(cachedScores(fleet, scoreKey), fleet, rawOf), scoreKey, isPlain: false }
}

let columns = 0
/** A number for each column, because the values of a column are in another array after the fleet has grown. */
const numberOf = memoByObject((_column: Column) => columns++)

/**
 * The multipliers of hosts are cached like raw scores. An edit of an aggregate increases the version numbers of its hosts. The cached
 * multipliers of these hosts are then computed again.
 */
function prepareMultipliers(
  { weigher, options, multiplier, cacheName }: CompiledWeigher,
  fleet: Fleet,
): Pick<WeighStep, 'multiplier' | 'multipliersOf' | 'multiplierAt' | 'multiplierKey'> {
  const { usual, own } = weigher.multipliers?.(fleet, options, multiplier) ?? { usual: multiplier }
  if (own === undefined) return { multiplier: usual, multipliersOf: undefined, multiplierAt: undefined, multiplierKey: undefined }
  const multiplierKey = `multiplier\u0000${cacheName}\u0000${multiplier}`
  const { rawOf, scoreAt } = cachedNumbers(cachedScores(fleet, multiplierKey), fleet, own.of)
  return { multiplier: usual, multipliersOf: rawOf, multiplierAt: scoreAt, multiplierKey }
}

const fillZeros: NumbersOf = (hosts, numbers = new Float64Array(hosts.length)) => numbers.fill(0)

const fillColumn =
  ({ values, least }: ColumnScore): NumbersOf =>
  (hosts, numbers = new Float64Array(hosts.length)) => {
    for (let i = 0; i < numbers.length; i++) numbers[i] = Math.max(least, values[hosts[i] as number] as number)
    return numbers
  }

const fillEach =
  (numberOf: ScoreOf): NumbersOf =>
  (hosts, numbers = new Float64Array(hosts.length)) => {
    for (let i = 0; i < numbers.length; i++) numbers[i] = numberOf(hosts[i] as HostIndex)
    return numbers
  }

/** Computes numbers for hosts with a cache. A number is computed again only if the host has changed. */
function cachedNumbers(
  { raw: known, version: knownAt }: CachedScores,
  { hosts: { columns } }: Fleet,
  numberOf: NumberAt,
): Pick<WeighStep, 'rawOf' | 'scoreAt'> {
  const { version } = columns
  const scoreAt: NumberAt = (host) => {
    const now = at(version, host)
    if (knownAt[host] !== now) {
      known[host] = numberOf(host)
      knownAt[host] = now
    }
    return known[host] as number
  }
  return { rawOf: fillEach(scoreAt), scoreAt }
}

/** A weigher that throws does not make a decision fail. It gives NaN instead, and the host gets the lowest score of the other hosts. */
function prepareSafely(prepare: () => ScoreOf): ScoreOf {
  let rawOf: ScoreOf
  try {
    rawOf = prepare()
  } catch {
    return () => Number.NaN
  }
  // these functions do not throw
  if (rawOf === noPreference || columnOf(rawOf) !== undefined) return rawOf
  return (host) => {
    try {
      return rawOf(host)
    } catch {
      return Number.NaN
    }
  }
}

/** Replaces scores that are not finite by the lowest score of the other hosts, in place. Returns true if there were any. */
export function fillNonsense(raw: Float64Array): boolean {
  let nonsense = false
  // x - x is 0 for every finite number, and NaN for infinite numbers and NaN.
  for (let i = 0; i < raw.length; i++) if ((raw[i] as number) - (raw[i] as number) !== 0) nonsense = true
  if (!nonsense) return false
  const finite = raw.filter(Number.isFinite)
  const least = finite.length === 0 ? 0 : finite.reduce((a, b) => Math.min(a, b))
  for (let i = 0; i < raw.length; i++) if (!Number.isFinite(raw[i])) raw[i] = least
  return true
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
 * Normalises raw scores. `minmax` is (x - min) / (max - min) in this order of operations, so that the result equals Nova's to the last bit.
 * If `room` is given, the result of `minmax` is written into it.
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

/** For each host, the share of the other hosts that have a lower raw score, 0 to 1. */
function rank(raw: Float64Array): Float64Array {
  const sorted = Float64Array.from(raw).sort()
  const others = Math.max(1, raw.length - 1)
  return raw.map((value) => lowerBound(sorted, value) / others)
}

/** The count of values that are below `value`, in a list in ascending order. */
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
