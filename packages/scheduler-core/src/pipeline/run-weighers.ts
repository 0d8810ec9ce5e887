import { at, type HostIndex } from '../fleet/columns.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { Profile } from '../profiles/profile.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import type { CompiledProfile, CompiledWeigher } from './compile.ts'
import { cachedScores } from './score-cache.ts'

/** Scores of the hosts that passed; every array is parallel to `hosts`. */
export interface Weighed {
  readonly hosts: Int32Array
  readonly weighers: readonly WeigherScores[]
  readonly totals: Float64Array
}

export interface WeigherScores {
  readonly name: string
  readonly unit: string
  readonly multiplier: number
  readonly raw: Float64Array
  /** Raw numbers scaled as the profile says; the contribution to the total is multiplier x this. */
  readonly normalised: Float64Array
  readonly min: number
  readonly max: number
}

/** A weigher made ready for one request: fills in the raw numbers of the hosts given. */
export type WeighStep = (hosts: Int32Array) => WeigherScores

export function prepareWeighers(compiled: CompiledProfile, request: RequestSpec, fleet: Fleet): readonly WeighStep[] {
  return compiled.weighers.map((compiledWeigher) => {
    const weigh = prepareRaw(compiledWeigher, request, fleet)
    const { weigher, multiplier } = compiledWeigher
    return (hosts) => {
      const raw = weigh(hosts)
      const { min, max } = boundsOf(raw, weigher.minval)
      return {
        name: weigher.name,
        unit: weigher.unit,
        multiplier,
        raw,
        normalised: normalise(raw, min, max, compiled.profile.normalisation),
        min,
        max,
      }
    }
  })
}

/** Totals in the canonical order of operations: sum over weighers, in the profile's order, of multiplier x normalised. */
export function runWeighers(steps: readonly WeighStep[], hosts: Int32Array): Weighed {
  const weighers = steps.map((step) => step(hosts))
  const totals = new Float64Array(hosts.length)
  for (const { multiplier, normalised } of weighers)
    for (let i = 0; i < totals.length; i++) totals[i] = (totals[i] as number) + multiplier * (normalised[i] as number)
  return { hosts, weighers, totals }
}

function prepareRaw(
  { weigher, options, cacheName }: CompiledWeigher,
  request: RequestSpec,
  fleet: Fleet,
): (hosts: Int32Array) => Float64Array {
  const rawOf = prepareSafely(() => weigher.prepare(request, fleet, options))
  const key = weigher.cacheKey?.(request, options)
  const cached = key === undefined ? undefined : cachedScores(fleet, `${cacheName}\u0000${key}`)
  return (hosts) => {
    const raw = new Float64Array(hosts.length)
    if (cached === undefined) {
      for (let i = 0; i < raw.length; i++) raw[i] = rawOf(hosts[i] as HostIndex)
      return leastForNonsense(raw)
    }
    const { version } = fleet.hosts.columns
    const { raw: known, version: knownAt } = cached
    for (let i = 0; i < raw.length; i++) {
      const host = hosts[i] as HostIndex
      const now = at(version, host)
      if (knownAt[host] !== now) {
        known[host] = rawOf(host)
        knownAt[host] = now
      }
      raw[i] = known[host] as number
    }
    return leastForNonsense(raw)
  }
}

/** A weigher that throws never stops a decision: its numbers become nonsense, and nonsense counts as the least. */
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
  // x - x is 0 for every finite number and for no other
  for (let i = 0; i < raw.length; i++) if ((raw[i] as number) - (raw[i] as number) !== 0) nonsense = true
  if (!nonsense) return raw
  const finite = raw.filter(Number.isFinite)
  const least = finite.length === 0 ? 0 : finite.reduce((a, b) => Math.min(a, b))
  return raw.map((value) => (Number.isFinite(value) ? value : least))
}

function boundsOf(raw: Float64Array, minval: number | undefined): { min: number; max: number } {
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

/** minmax is (x - min) / (max - min), in this order of operations: it is Nova's, to the last bit. */
function normalise(raw: Float64Array, min: number, max: number, how: Profile['normalisation']): Float64Array {
  if (how === 'fixed') return raw
  if (how === 'rank') return rank(raw)
  const scaled = new Float64Array(raw.length)
  if (max === min) return scaled
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

function lowerBound(sorted: Float64Array, value: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] as number) < value) low = middle + 1
    else high = middle
  }
  return low
}
