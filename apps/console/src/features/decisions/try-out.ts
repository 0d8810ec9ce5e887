/** What a profile may multiply with. */
export const MOST_MULTIPLIER = 1e9

/** Multipliers to try instead of those that decided, by weigher. */
export type Tried = ReadonlyMap<string, number>

/** `RAMWeigher:0.5,CPUWeigher:-2`, as it stands in addresses; what cannot be read is left out. */
export function readTried(text: string | undefined): Tried {
  const pairs = (text ?? '').split(',').flatMap((pair): [string, number][] => {
    const [name = '', written = ''] = pair.split(':')
    const value = readMultiplier(written)
    return name === '' || value === undefined ? [] : [[name, value]]
  })
  return new Map(pairs)
}

/** The other way; undefined where nothing is tried. */
export const printTried = (tried: Tried): string | undefined =>
  tried.size === 0 ? undefined : [...tried].map(([name, value]) => `${name}:${value}`).join(',')

/** A multiplier that a profile may have, out of a text. */
export function readMultiplier(text: string): number | undefined {
  const value = Number(text)
  return text.trim() !== '' && Math.abs(value) <= MOST_MULTIPLIER ? value : undefined
}

/** With another multiplier, or without it where that is the one that decided. */
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
  /** Null: the host has the multiplier of the profile. */
  readonly multiplierSource: string | null
  readonly weighted: number
}

interface Weighed<One extends Weight> {
  readonly rank: number | null
  readonly totalWeight: number | null
  readonly weights: readonly One[]
}

/**
 * The hosts as they would be ranked with other multipliers, best first: the arithmetic of deciding, its operations in its order, so that
 * totals are the same to the last bit. Hosts with a multiplier of their own keep it. `orderOf`: who is first of equals.
 */
export function tryOut<One extends Weight, Host extends Weighed<One>>(
  hosts: readonly Host[],
  tried: Tried,
  orderOf: (host: Host) => number,
): Host[] {
  const reweighed = hosts.map((host) => {
    const weights = host.weights.map((one) => reweigh(one, tried))
    // sums start at 0, and weighers follow each other as in the profile
    return { ...host, weights, totalWeight: weights.reduce((sum, { weighted }) => sum + weighted, 0) }
  })
  return reweighed.sort((a, b) => b.totalWeight - a.totalWeight || orderOf(a) - orderOf(b)).map((host, i) => ({ ...host, rank: i + 1 }))
}

function reweigh<One extends Weight>(one: One, tried: Tried): One {
  const multiplier = one.multiplierSource === null ? tried.get(one.weigher) : undefined
  return multiplier === undefined ? one : { ...one, multiplier, weighted: multiplier * one.normalized }
}

/** A weigher with the multipliers at which another host is first. */
export interface Limits {
  readonly name: string
  readonly multiplier: number
  readonly flipsBelow: number | null
  readonly flipsAbove: number | null
}

/** Whether the host that ranks first of all, listed or not, is known to stay so: one multiplier moved, and less far than to its limits. */
export function isWithinLimits(weighers: readonly Limits[], tried: Tried): boolean {
  if (tried.size !== 1) return tried.size === 0
  return weighers.every(({ name, flipsBelow, flipsAbove }) => {
    const value = tried.get(name)
    return value === undefined || (value > (flipsBelow ?? Number.NEGATIVE_INFINITY) && value < (flipsAbove ?? Number.POSITIVE_INFINITY))
  })
}

/**
 * Of whom an order with other multipliers is known. ALL: every host that passed; FIRST: that nobody is before the first, while
 * a host that is not listed may come next; LISTED: the hosts listed alone.
 */
export type Reach = 'ALL' | 'FIRST' | 'LISTED'

export function reachOf(weighers: readonly Limits[], tried: Tried, listed: number, passed: number): Reach {
  if (listed >= passed) return 'ALL'
  return isWithinLimits(weighers, tried) ? 'FIRST' : 'LISTED'
}

/** The stretch of multipliers that a slider covers. */
export interface Track {
  readonly min: number
  readonly max: number
  readonly step: number
}

/** How many times the multiplier itself away a limit is still on the track; farther ones are reported as numbers. */
const REACH = 10

/** Around the multiplier, over zero, and as far as the limits that are near. */
export function trackOf({ multiplier, flipsBelow, flipsAbove }: Omit<Limits, 'name'>): Track {
  const unit = Math.abs(multiplier) || 1
  const near = [flipsBelow, flipsAbove].filter((flip) => flip !== null).filter((flip) => Math.abs(flip - multiplier) <= REACH * unit)
  const [least, most] = [Math.min(multiplier - 2 * unit, ...near), Math.max(multiplier + 2 * unit, ...near)]
  const step = 10 ** Math.floor(Math.log10((most - least) / 50))
  const margin = 2 * step
  return { min: clean(Math.floor((least - margin) / step) * step), max: clean(Math.ceil((most + margin) / step) * step), step: clean(step) }
}

/** Without what multiplying with a power of ten leaves behind. */
const clean = (value: number): number => Number(value.toPrecision(12))

/** Where a multiplier lies on a track, 0 to 1; undefined beyond its ends. */
export function placeOn({ min, max }: Track, value: number | null): number | undefined {
  if (value === null || value < min || value > max) return undefined
  return (value - min) / (max - min)
}
