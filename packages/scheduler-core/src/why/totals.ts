import type { Findings } from '../pipeline/findings.ts'
import { contributionAt } from '../pipeline/weighing/run-weighers.ts'
import type { HostIndex } from '../values/host-index.ts'
import { atOnce, type Steps } from '../values/steps.ts'
import { firstWhere } from './floats.ts'

/** The data of an examination that is needed to compute totals with other multipliers. */
export type Weighings = Pick<Findings, 'weighed' | 'multiplierSources' | 'ranked' | 'tieOrder' | 'awake'>

/** The largest multiplier that a profile can have. */
export const MAX_MULTIPLIER = 1e9

/**
 * Computes the totals that hosts would have if one weigher had a different multiplier, by the same operations in the same order as a
 * decision. The different multiplier does not apply to hosts for which an aggregate sets a multiplier. Hosts are indexes in
 * `weighed.hosts`, and weighers (`w`) are indexes in `weighed.weighers`.
 */
export interface Totals {
  /** True if the weigher gives any host a score other than 0. Only then, its multiplier has an effect. */
  counts(w: number): boolean
  /** The totals of all hosts without the weigher. */
  without(w: number): Float64Array
  winnerAt(w: number, multiplier: number): number
  /**
   * The interval of multipliers with which a host has the best total, without regard to rounding. Hosts to which the weigher gives the same
   * score are not compared, because the multiplier does not change their order. In a decision, rounding can move the ends of the interval.
   * The interval is empty if `from` is larger than `to`.
   */
  stretchOf(w: number, position: number): { readonly from: number; readonly to: number }
  search(question: Search): number
}

/**
 * A search for the multiplier nearest to `from`, in the direction of `to`, at which a host begins to win (`wins`) or to lose. At `to`, the
 * host must win (or lose). At `from`, it must not win (or must not lose).
 */
export interface Search {
  readonly w: number
  readonly position: number
  readonly from: number
  readonly to: number
  readonly wins: boolean
  /** An estimate of the result. A good estimate shortens the search. */
  readonly near: number
}

export const createTotals = (weighings: Weighings): Totals => atOnce(createTotalsInSteps(weighings))

/** `createTotals` as a generator that yields after each weigher. */
export function* createTotalsInSteps({ weighed: { hosts, weighers }, multiplierSources, tieOrder, awake }: Weighings): Steps<Totals> {
  const count = hosts.length
  const numbers = weighers.map((scores, w) => awake[w] ?? scores.normalised)
  const contributions: Float64Array[] = []
  // `before` has, for each weigher, the sums of the weighted scores of all earlier weighers
  const before: Float64Array[] = []
  let sums: Float64Array = new Float64Array(count)
  for (const scores of weighers) {
    const shares = new Float64Array(count)
    for (let p = 0; p < count; p++) shares[p] = contributionAt(scores, p)
    contributions.push(shares)
    before.push(sums)
    sums = sumOf([sums, shares], count)
    yield
  }
  const own = multiplierSources.map((sources) =>
    sources.size === 0 ? undefined : Uint8Array.from(hosts, (host) => Number(sources.has(host as HostIndex))),
  )
  const totalOf = (p: number, w: number, multiplier: number): number => {
    const share = own[w]?.[p] === 1 ? at(contributions, w, p) : multiplier * at(numbers, w, p)
    let total = at(before, w, p) + share
    for (let i = w + 1; i < contributions.length; i++) total += at(contributions, i, p)
    return total
  }
  const winnerAmong = (positions: Int32Array, w: number, multiplier: number): number => {
    let winner = -1
    let most = 0
    for (const p of positions) {
      const total = totalOf(p, w, multiplier)
      const isBetter = winner < 0 || (total === most ? tieOrder(hosts[p] as number) < tieOrder(hosts[winner] as number) : total > most)
      if (!isBetter) continue
      winner = p
      most = total
    }
    return winner
  }
  const all = Int32Array.from(hosts.keys())
  const winnerAt: Totals['winnerAt'] = (w, multiplier) => winnerAmong(all, w, multiplier)
  return {
    counts: (w) => (numbers[w] as Float64Array).some((value) => value !== 0),
    without: (w) =>
      sumOf(
        contributions.filter((_, i) => i !== w),
        count,
      ),
    winnerAt,
    stretchOf(w, position) {
      const slopeOf = (p: number) => (own[w]?.[p] === 1 ? 0 : at(numbers, w, p))
      const slope = slopeOf(position)
      const base = totalOf(position, w, 0)
      let from = -MAX_MULTIPLIER
      let to = MAX_MULTIPLIER
      for (let p = 0; p < count; p++) {
        const steeper = slope - slopeOf(p)
        if (steeper === 0) continue
        const meets = (totalOf(p, w, 0) - base) / steeper
        if (steeper > 0) from = Math.max(from, meets)
        else to = Math.min(to, meets)
      }
      return { from, to }
    },
    search({ w, position, wins, near, ...ends }) {
      let rivals = all
      const holds = (value: number) => (winnerAmong(rivals, w, value) === position) === wins
      const narrow = (a: number, b: number) => {
        // a rounded total is monotonic in the multiplier, so for multipliers between a and b it is between the totals at a and b
        const least = Math.min(totalOf(position, w, a), totalOf(position, w, b))
        rivals = rivals.filter((p) => p === position || Math.max(totalOf(p, w, a), totalOf(p, w, b)) >= least)
      }
      const { from, to } = shorter(ends, near, holds)
      narrow(from, to)
      return firstWhere(from, to, holds, narrow)
    },
  }
}

const at = (columns: readonly Float64Array[], column: number, p: number): number => (columns[column] as Float64Array)[p] as number

/** For each host, the sum of its values in the columns, added in their order. */
function sumOf(columns: readonly Float64Array[], count: number): Float64Array {
  const sums = new Float64Array(count)
  for (const column of columns) for (let p = 0; p < count; p++) sums[p] = (sums[p] as number) + (column[p] as number)
  return sums
}

/**
 * Shortens an interval to the neighbourhood of the estimate `near`. An end is moved only if the condition `holds` still has different
 * results at the two ends.
 */
function shorter({ from, to }: { readonly from: number; readonly to: number }, near: number, holds: (value: number) => boolean) {
  const isBetween = (value: number) => (value - from) * (value - to) < 0
  const side = Math.max(Math.abs(near) * 1e-9, 1e-15) * Math.sign(to - from)
  const [a, b] = [near - side, near + side]
  return { from: isBetween(a) && !holds(a) ? a : from, to: isBetween(b) && holds(b) ? b : to }
}
