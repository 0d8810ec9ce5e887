import { best } from '../pipeline/weighing/pick.ts'
import type { WeigherScores } from '../pipeline/weighing/run-weighers.ts'
import { atOnce, type Steps } from '../values/steps.ts'
import { createTotals, createTotalsInSteps, MAX_MULTIPLIER, type Totals, type Weighings } from './totals.ts'

/**
 * How the multipliers of a profile determine which host ranks first. If a profile chooses at random among the best hosts, the first host is
 * not always chosen. Hosts are indexes in `weighed.hosts`, and weighers (`w`) are indexes in `weighed.weighers`.
 */
export interface WeightLab {
  readonly winner: number
  /** The host with the second rank; undefined if no other host passed. */
  readonly runnerUp: number | undefined
  /**
   * The difference between the totals of winner and runner-up. If their totals are equal, the difference is 0 and the tie order decides.
   * Undefined if no other host passed.
   */
  readonly margin: number | undefined
  without(w: number): Without
  flips(w: number): Flips
}

/** How hosts rank without one weigher. */
export interface Without {
  readonly winner: number
  /** True if the first ten hosts are the same, in the same order, as with the weigher. */
  readonly isSame: boolean
}

/**
 * The nearest multipliers of one weigher, below and above the present multiplier, with which a different host wins. Undefined if no allowed
 * multiplier in this direction changes the winner.
 */
export interface Flips {
  readonly below: Flip | undefined
  readonly above: Flip | undefined
}

/**
 * A multiplier with which a different host wins. With the adjacent floating-point number nearer to the present multiplier, the winner is
 * unchanged. If the totals differ only by rounding, the winner can change several times near this multiplier.
 */
export interface Flip {
  readonly multiplier: number
  readonly winner: number
}

/** `Without.isSame` compares this many ranks. */
const RANKS = 10

/** Returns undefined if no host passed or no weigher ran. Each result of the lab is computed when it is requested. */
export function openWeightLab(weighings: Weighings): WeightLab | undefined {
  const { weighed, ranked, tieOrder } = weighings
  const [winner, runnerUp] = ranked
  if (winner === undefined || weighed.weighers.length === 0) return undefined
  let known: Totals | undefined
  const totals = () => {
    known ??= createTotals(weighings)
    return known
  }
  return {
    winner,
    runnerUp,
    margin: runnerUp === undefined ? undefined : (weighed.totals[winner] as number) - (weighed.totals[runnerUp] as number),
    without(w) {
      const left = { hosts: weighed.hosts, weighers: [], totals: totals().without(w) }
      const first = best(left, Math.min(RANKS, ranked.length), tieOrder)
      return { winner: first[0] as number, isSame: first.every((position, rank) => ranked[rank] === position) }
    },
    flips(w) {
      if (!totals().counts(w)) return { below: undefined, above: undefined }
      const { from, to } = totals().stretchOf(w, winner)
      const present = (weighed.weighers[w] as WeigherScores).multiplier
      return {
        below: flipOf(totals(), w, winner, present, -MAX_MULTIPLIER, from),
        above: flipOf(totals(), w, winner, present, MAX_MULTIPLIER, to),
      }
    },
  }
}

/**
 * Finds the multiplier between `present` and `end` at which the winner changes. Totals are linear in the multiplier. Therefore, the
 * multipliers with which a host wins are one interval. If the winner does not win at `end`, there is exactly one multiplier between
 * `present` and `end` at which it stops winning.
 */
function flipOf(totals: Totals, w: number, winner: number, present: number, end: number, near: number): Flip | undefined {
  if (totals.winnerAt(w, end) === winner) return undefined
  const multiplier = totals.search({ w, position: winner, from: present, to: end, near, wins: false })
  return { multiplier, winner: totals.winnerAt(w, multiplier) }
}

/**
 * For each weigher, the multiplier nearest to the present multiplier with which the host at `position` would rank first if all other
 * multipliers are unchanged. Undefined if the host ranks first already, if there is no such multiplier, or if only rounding decides. Each
 * result is verified by computing all totals with it.
 */
export const winningMultipliers = (...asked: Parameters<typeof winningMultipliersInSteps>): readonly (number | undefined)[] =>
  atOnce(winningMultipliersInSteps(...asked))

/** `winningMultipliers` as a generator that yields after each computation of all totals. */
export function* winningMultipliersInSteps(
  { weighed, ranked, ...rest }: Weighings,
  position: number,
): Steps<readonly (number | undefined)[]> {
  if (ranked[0] === position) return weighed.weighers.map(() => undefined)
  const totals = yield* createTotalsInSteps({ weighed, ranked, ...rest })
  const winning: (number | undefined)[] = []
  for (const [w, { multiplier }] of weighed.weighers.entries()) winning.push(yield* winningMultiplier(totals, w, multiplier, position))
  return winning
}

function* winningMultiplier(totals: Totals, w: number, multiplier: number, position: number): Steps<number | undefined> {
  if (!totals.counts(w)) return undefined
  const { from, to } = totals.stretchOf(w, position)
  yield
  const near = Math.abs(from - multiplier) < Math.abs(to - multiplier) ? from : to
  for (const inside of pointsOf(from, to)) {
    const wins = totals.winnerAt(w, inside) === position
    yield
    if (wins) return totals.search({ w, position, from: multiplier, to: inside, near, wins: true })
  }
  return undefined
}

/**
 * The multipliers that are tried as the start of the search, in order: the middle of the interval, its ends and their neighbours, then
 * numbers at each power of ten from the ends. Several multipliers are tried because the interval ignores rounding. In a decision, rounding
 * can move the ends of the interval, and a large weighted score of this weigher can hide those of other weighers.
 */
function pointsOf(from: number, to: number): readonly number[] {
  const ends = [from, to].flatMap((value) => [value, value * (1 - 1e-12), value * (1 + 1e-12)])
  const within = POWERS.flatMap((power) => [from + power, to - power]).filter((value) => value > from && value < to)
  return [from + (to - from) / 2, ...ends, ...within].filter((value) => Math.abs(value) <= MAX_MULTIPLIER)
}

const POWERS: readonly number[] = Array.from({ length: 25 }, (_, i) => 10 ** (i - 15))
