import { best } from '../pipeline/weighing/pick.ts'
import type { WeigherScores } from '../pipeline/weighing/run-weighers.ts'
import { atOnce, type Steps } from '../values/steps.ts'
import { createTotals, createTotalsInSteps, MOST_MULTIPLIER, type Totals, type Weighings } from './totals.ts'

/**
 * The effect of a profile's multipliers on the host that ranks first, whichever of the best hosts the profile picks. Hosts are positions in
 * `weighed.hosts`, weighers (`w`) in `weighed.weighers`.
 */
export interface WeightLab {
  readonly winner: number
  /** The host with the second rank; undefined if no other host passed. */
  readonly runnerUp: number | undefined
  /** The difference between the totals of the first and the second host; 0 if the order of hosts decided. */
  readonly margin: number | undefined
  without(w: number): Without
  flips(w: number): Flips
}

/** The ranks of a profile that lacks one weigher. */
export interface Without {
  readonly winner: number
  /** Whether the first ten hosts are the same in the same order. */
  readonly isSame: boolean
}

/**
 * The limits between which a weigher's multiplier can move alone without another winner; undefined if there is no limit within the allowed
 * multipliers.
 */
export interface Flips {
  readonly below: Flip | undefined
  readonly above: Flip | undefined
}

/**
 * A multiplier at which another host wins, while the winner is still the same at the number before it. If totals differ only by rounding of
 * their last bits, the winner may change several times near it.
 */
export interface Flip {
  readonly multiplier: number
  readonly winner: number
}

/** A weigher does not matter if it changes fewer ranks than this. */
const RANKS = 10

/** Undefined if no host passed or no weigher ran. Each result is computed when it is read. */
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
        below: flipOf(totals(), w, winner, present, -MOST_MULTIPLIER, from),
        above: flipOf(totals(), w, winner, present, MOST_MULTIPLIER, to),
      }
    },
  }
}

/**
 * Totals are linear in one multiplier, so the multipliers with which a host wins are one interval: if it does not win at the far end, there
 * is exactly one point at which it stops winning.
 */
function flipOf(totals: Totals, w: number, winner: number, present: number, end: number, near: number): Flip | undefined {
  if (totals.winnerAt(w, end) === winner) return undefined
  const multiplier = totals.search({ w, position: winner, from: present, to: end, near, wins: false })
  return { multiplier, winner: totals.winnerAt(w, multiplier) }
}

/**
 * For each weigher the multiplier nearest to the present one at which a host would have ranked first, with the other multipliers unchanged;
 * undefined if no allowed multiplier has this effect, or if only the last bits of totals decide. Each one is verified by computing all
 * totals with it.
 */
export const winningMultipliers = (...asked: Parameters<typeof winningMultipliersInSteps>): readonly (number | undefined)[] =>
  atOnce(winningMultipliersInSteps(...asked))

/** The same as a generator that pauses after each computation of all totals. */
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
 * The multipliers at which a search for a winning host starts. The interval is one of real numbers: rounding may move its ends, and a large
 * share of this weigher may hide the shares of others. So the middle comes first, then the ends and their neighbours, then numbers at the
 * distance of each power of ten from them.
 */
function pointsOf(from: number, to: number): readonly number[] {
  const ends = [from, to].flatMap((value) => [value, value * (1 - 1e-12), value * (1 + 1e-12)])
  const within = POWERS.flatMap((power) => [from + power, to - power]).filter((value) => value > from && value < to)
  return [from + (to - from) / 2, ...ends, ...within].filter((value) => Math.abs(value) <= MOST_MULTIPLIER)
}

const POWERS: readonly number[] = Array.from({ length: 25 }, (_, i) => 10 ** (i - 15))
