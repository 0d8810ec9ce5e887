import { atOnce, type Steps } from '../fleet/steps.ts'
import { best } from '../pipeline/pick.ts'
import type { WeigherScores } from '../pipeline/run-weighers.ts'
import { createTotals, createTotalsInSteps, MOST_MULTIPLIER, type Totals, type Weighings } from './totals.ts'

/**
 * What the multipliers of a profile decided: it is about the host that ranks first, whichever of the best a profile takes. Hosts are
 * positions in `weighed.hosts`, weighers (`w`) in `weighed.weighers`.
 */
export interface WeightLab {
  readonly winner: number
  /** The second by rank; undefined: no other host passed. */
  readonly runnerUp: number | undefined
  /** The winner's total less that of the second; 0 where the order of hosts decided. */
  readonly margin: number | undefined
  without(w: number): Without
  flips(w: number): Flips
}

/** The ranks of a profile that lacks one weigher. */
export interface Without {
  readonly winner: number
  /** The first ten hosts are the same, in the same order. */
  readonly isSame: boolean
}

/** How far a weigher's multiplier can move, the others staying as they are; undefined: as far as a profile may set it. */
export interface Flips {
  readonly below: Flip | undefined
  readonly above: Flip | undefined
}

/**
 * A multiplier at which another host wins: at the number before it, on the way from the present one, the winner is still the same. Where the
 * totals differ by the rounding of their last bits alone, winners may change to and fro near it.
 */
export interface Flip {
  readonly multiplier: number
  readonly winner: number
}

/** How many ranks a weigher must leave alone to be one that does not matter. */
const RANKS = 10

/** Undefined where no host passed, or no weigher ran. What is asked of it is worked out then. */
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
 * Totals are linear in one multiplier, so a host wins over one stretch of multipliers: if it does not at the far end, it ends to win once on
 * the way there.
 */
function flipOf(totals: Totals, w: number, winner: number, present: number, end: number, near: number): Flip | undefined {
  if (totals.winnerAt(w, end) === winner) return undefined
  const multiplier = totals.search({ w, position: winner, from: present, to: end, near, wins: false })
  return { multiplier, winner: totals.winnerAt(w, multiplier) }
}

/**
 * For each weigher the multiplier nearest to the present one at which a host would have ranked first, the others staying as they are;
 * undefined where there is none that a profile may have, or where only the last bits of totals decide. Each is verified by adding up all totals
 * with it.
 */
export const winningMultipliers = (...asked: Parameters<typeof winningMultipliersInSteps>): readonly (number | undefined)[] =>
  atOnce(winningMultipliersInSteps(...asked))

/** The same with a pause whenever all totals were added up. */
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
 * Where a host that wins between two multipliers is looked for. The stretch is one of real numbers: rounding may move its ends, and a great
 * share of this weigher may hide what the others give. So the middle comes first, then the ends and what is about them, then what is as far
 * from them as each power of ten.
 */
function pointsOf(from: number, to: number): readonly number[] {
  const ends = [from, to].flatMap((value) => [value, value * (1 - 1e-12), value * (1 + 1e-12)])
  const within = POWERS.flatMap((power) => [from + power, to - power]).filter((value) => value > from && value < to)
  return [from + (to - from) / 2, ...ends, ...within].filter((value) => Math.abs(value) <= MOST_MULTIPLIER)
}

const POWERS: readonly number[] = Array.from({ length: 25 }, (_, i) => 10 ** (i - 15))
