import { type Examination, MAX_MULTIPLIER, openWeightLab, type Profile } from '@gantt/scheduler-core'
import { difference } from './difference.ts'
import { decideAsModel, type ModelQuestion } from './model/decide.ts'
import type { ModelFleet } from './model/state.ts'

/** The results of core and model are compared for this many of the best hosts. */
const RANKS = 10

/**
 * Compares the core's analysis of the weights for the first instance of a decision with the model. It checks for each weigher which host
 * wins without that weigher, at which multiplier another host wins, and that no other host wins at the multiplier just before that one.
 */
export function compareWeights(examined: Examination, model: ModelFleet, question: ModelQuestion): string | undefined {
  const { profile } = question
  const ranked = (weighers: Profile['weighers']): readonly number[] =>
    rankAsModel(model, { ...question, profile: { ...profile, weighers } }).map(({ host }) => host)
  const [first, second] = rankAsModel(model, question)
  const lab = openWeightLab(examined)
  if (lab === undefined)
    return difference('lab', 'nothing to weigh', first === undefined || isUnweighed(profile) ? 'nothing to weigh' : 'hosts')
  const hostAt = (position: number | undefined) => (position === undefined ? undefined : examined.weighed.hosts[position])
  const margin = first === undefined || second === undefined ? undefined : first.total - second.total
  const top = ranked(profile.weighers).slice(0, RANKS)
  const inRanks = difference('lab', { winner: hostAt(lab.winner), margin: lab.margin }, { winner: top[0], margin })
  if (inRanks !== undefined) return inRanks
  for (const [w, { name, multiplier }] of profile.weighers.entries()) {
    const path = `lab.${w} ${name}`
    const others = ranked(profile.weighers.filter((_, i) => i !== w)).slice(0, RANKS)
    const { winner, isSame } = lab.without(w)
    const winnerAt = (other: number): number | undefined =>
      ranked(profile.weighers.map((weigher, i) => (i === w ? { ...weigher, multiplier: other } : weigher)))[0]
    const { below, above } = lab.flips(w)
    const found =
      difference(
        `${path}.without`,
        { winner: hostAt(winner), isSame },
        { winner: others[0], isSame: difference('', others, top) === undefined },
      ) ??
      compareFlip(`${path}.below`, below, -MAX_MULTIPLIER) ??
      compareFlip(`${path}.above`, above, MAX_MULTIPLIER)
    if (found !== undefined) return found

    function compareFlip(side: string, flip: typeof below, end: number): string | undefined {
      if (flip === undefined) return difference(`${side}: the winner at the end`, top[0], winnerAt(end))
      return (
        difference(`${side}: the winner at ${flip.multiplier}`, hostAt(flip.winner), winnerAt(flip.multiplier)) ??
        difference(`${side}: the winner just before ${flip.multiplier}`, top[0], winnerAt(nextTo(flip.multiplier, multiplier)))
      )
    }
  }
  return undefined
}

const rankAsModel = (model: ModelFleet, question: ModelQuestion) =>
  decideAsModel(model, { ...question, request: { ...question.request, numInstances: 1 } }).instances[0]?.ranked ?? []

const isUnweighed = ({ scheduler, weighers }: Profile): boolean => scheduler === 'chance' || weighers.length === 0

/** The floating-point number next to `number`, in the direction of `other`. */
function nextTo(number: number, other: number): number {
  if (number === other) return number
  if (number === 0) return other > 0 ? Number.MIN_VALUE : -Number.MIN_VALUE
  const float = new Float64Array([number])
  const bits = new BigInt64Array(float.buffer)
  bits[0] = (bits[0] ?? 0n) + (other > number === number > 0 ? 1n : -1n)
  return float[0] ?? number
}
