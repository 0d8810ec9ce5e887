import { leastCommon } from './remedies/page-steps.ts'
import type { ChangedNumber, NumberRange } from './remedies/remedy.ts'

/** At most this many ranges are searched for one number. */
const MOST_RANGES = 64

/**
 * The ranges that are searched for the number nearest to the present one. Each kind of host allows a range of numbers. The intersections of
 * ranges are searched too, because instances may be on hosts of several kinds. Within the range of all hosts that allow the nearest number,
 * every farther number suffices too.
 */
export function rangesOf({ step = 1, among, to }: ChangedNumber): readonly NumberRange[] {
  // hosts have no unit rules for this number, so the range has equal steps and contains the number that was found
  if (among === undefined) return [{ step, least: step + (to % step) }]
  return inCommon(among).slice(0, MOST_RANGES)
}

/** True if hosts have so many different unit rules that not all intersections of their ranges are searched. */
export const hasMoreRanges = ({ among }: ChangedNumber): boolean => among !== undefined && inCommon(among).length > MOST_RANGES

/** The numbers of a range that are strictly between `one` and `other`: the first of them, and their count. */
export function between({ step, least }: NumberRange, one: number, other: number): { readonly first: number; readonly count: number } {
  const offset = least % step
  const low = Math.max(Math.min(one, other) + 1, least)
  const first = Math.ceil((low - offset) / step) * step + offset
  return { first, count: Math.max(0, Math.ceil((Math.max(one, other) - first) / step)) }
}

/**
 * The intersections of all sets of ranges, each once. The step of an intersection is the least common multiple of the steps, and its first
 * number is the largest of the first numbers. The search ends when `MOST_RANGES` is exceeded.
 */
function inCommon(among: readonly NumberRange[]): readonly NumberRange[] {
  const found = new Map(among.map((range) => [keyOf(range), range]))
  // ranges that are added during the loop are visited too
  for (const one of found.values())
    for (const other of among) {
      const both = inBoth(one, other)
      // no request contains a number that is too large to be represented exactly
      if (found.size <= MOST_RANGES && Number.isSafeInteger(both.least)) found.set(keyOf(both), both)
    }
  return [...found.values()]
}

const keyOf = ({ step, least }: NumberRange): string => `${step} ${least}`

const inBoth = (one: NumberRange, other: NumberRange): NumberRange => {
  const step = leastCommon(one.step, other.step)
  return { step, least: Math.ceil(Math.max(one.least, other.least) / step) * step }
}
