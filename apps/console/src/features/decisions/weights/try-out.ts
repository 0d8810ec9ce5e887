/** The largest multiplier that a profile can have. The smallest is the negative of this number. */
export const MAX_MULTIPLIER = 1e9

/** Changed multipliers by weigher. */
export type Tried = ReadonlyMap<string, number>

/** Parses `RAMWeigher:0.5,CPUWeigher:-2` of a URL. Invalid parts are ignored. */
export function readTried(text: string | undefined): Tried {
  const pairs = (text ?? '').split(',').flatMap((pair): [string, number][] => {
    const [name = '', written = ''] = pair.split(':')
    const value = readMultiplier(written)
    return name === '' || value === undefined ? [] : [[name, value]]
  })
  return new Map(pairs)
}

/** Prints changed multipliers in the form that `readTried` parses. Undefined without changes. */
export const printTried = (tried: Tried): string | undefined =>
  tried.size === 0 ? undefined : [...tried].map(([name, value]) => `${name}:${value}`).join(',')

/** Parses a multiplier. Undefined if the text is not a multiplier that a profile can have. */
export function readMultiplier(text: string): number | undefined {
  const value = Number(text)
  return text.trim() !== '' && Math.abs(value) <= MAX_MULTIPLIER ? value : undefined
}

/** Sets the changed multiplier of one weigher. If the value equals the recorded multiplier, the change is removed. */
export function withTried(tried: Tried, name: string, value: number, decided: number): Tried {
  const next = new Map(tried)
  if (value === decided) next.delete(name)
  else next.set(name, value)
  return next
}

interface Weight {
  readonly weigher: string
  readonly normalized: number
  readonly multiplier: number
  /** Where the host's own multiplier comes from. Null if the host has the multiplier of the profile. */
  readonly multiplierSource: string | null
  readonly weighted: number
}

interface Weighed<One extends Weight> {
  readonly rank: number | null
  readonly totalWeight: number | null
  readonly weights: readonly One[]
}

/**
 * The hosts as they would be ranked with other multipliers, best first. The arithmetic is that of a decision, with the same operations in
 * the same order, so that totals are equal to the last bit. Hosts with their own multiplier keep it. `orderOf` orders hosts with equal
 * totals.
 */
export function tryOut<One extends Weight, Host extends Weighed<One>>(
  hosts: readonly Host[],
  tried: Tried,
  orderOf: (host: Host) => number,
): Host[] {
  const reweighed = hosts.map((host) => {
    const weights = host.weights.map((one) => reweigh(one, tried))
    // The sum starts with 0 and adds in the order of the profile, as in a decision.
    return { ...host, weights, totalWeight: weights.reduce((sum, { weighted }) => sum + weighted, 0) }
  })
  return reweighed.sort((a, b) => b.totalWeight - a.totalWeight || orderOf(a) - orderOf(b)).map((host, i) => ({ ...host, rank: i + 1 }))
}

function reweigh<One extends Weight>(one: One, tried: Tried): One {
  const multiplier = one.multiplierSource === null ? tried.get(one.weigher) : undefined
  return multiplier === undefined ? one : { ...one, multiplier, weighted: multiplier * one.normalized }
}

/** A weigher with the limits of its multiplier: another host is first if the multiplier is at a limit or beyond it. Null means no limit. */
export interface Limits {
  readonly name: string
  readonly multiplier: number
  readonly flipsBelow: number | null
  readonly flipsAbove: number | null
}

/** True if the first host certainly stays first. This is known if only one multiplier was changed and its value is within its limits. */
export function isWithinLimits(weighers: readonly Limits[], tried: Tried): boolean {
  if (tried.size !== 1) return tried.size === 0
  return weighers.every(({ name, flipsBelow, flipsAbove }) => {
    const value = tried.get(name)
    return value === undefined || (value > (flipsBelow ?? Number.NEGATIVE_INFINITY) && value < (flipsAbove ?? Number.POSITIVE_INFINITY))
  })
}

/**
 * How much of the order is known after multipliers are changed. ALL: the order of every host that passed. FIRST: the first host stays
 * first, but a host that is not listed can be second. LISTED: only the order among the listed hosts.
 */
export type Reach = 'ALL' | 'FIRST' | 'LISTED'

export function reachOf(weighers: readonly Limits[], tried: Tried, listed: number, passed: number): Reach {
  if (listed >= passed) return 'ALL'
  return isWithinLimits(weighers, tried) ? 'FIRST' : 'LISTED'
}

/** The range of multipliers of a slider. */
export interface Track {
  readonly min: number
  readonly max: number
  readonly step: number
}

/**
 * A limit is on the track if its distance from the multiplier is at most this many times the multiplier (or 1, if the multiplier is 0).
 * Limits farther away are only shown as text.
 */
const NEAR_FACTOR = 10

/** The range of a slider. It contains the multiplier, zero, and the limits that are not too far away. */
export function trackOf({ multiplier, flipsBelow, flipsAbove }: Omit<Limits, 'name'>): Track {
  const unit = Math.abs(multiplier) || 1
  const near = [flipsBelow, flipsAbove].filter((flip) => flip !== null).filter((flip) => Math.abs(flip - multiplier) <= NEAR_FACTOR * unit)
  const [least, most] = [Math.min(multiplier - 2 * unit, ...near), Math.max(multiplier + 2 * unit, ...near)]
  const step = 10 ** Math.floor(Math.log10((most - least) / 50))
  const margin = 2 * step
  return { min: clean(Math.floor((least - margin) / step) * step), max: clean(Math.ceil((most + margin) / step) * step), step: clean(step) }
}

/** Rounds away the error of a multiplication with a power of ten. */
const clean = (value: number): number => Number(value.toPrecision(12))

/** The position of a multiplier on a track, 0 to 1. Undefined beyond its ends. */
export function placeOn({ min, max }: Track, value: number | null): number | undefined {
  if (value === null || value < min || value > max) return undefined
  return (value - min) / (max - min)
}
