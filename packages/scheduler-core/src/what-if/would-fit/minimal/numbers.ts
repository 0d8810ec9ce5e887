import { smallestCommon } from '../remedies/page-steps.ts'
import type { ChangedNumber, NumberRange } from '../remedies/remedy.ts'

/** At most this many ranges are searched for one number. */
const MAX_RANGES = 64

/**
 * The ranges of numbers that are searched for the number that suffices and is nearest to the present number. The unit rules of a host, such
 * as the step size of a resource class, allow a range of numbers. Intersections of ranges are searched too, because the instances can be on
 * hosts with different unit rules. Within a range, a binary search is possible: if a number suffices, every number that is farther from the
 * present number suffices too.
 */
export function rangesOf({ step = 1, among, to, least = Math.min(to, step + (to % step)) }: ChangedNumber): readonly NumberRange[] {
  // hosts have no unit rules for this number, so there is a single range with the step of the number
  if (among === undefined) return [{ step, least }]
  return inCommon(among).slice(0, MAX_RANGES)
}

/** True if hosts have so many different unit rules that some intersections of their ranges are not searched. */
export const hasMoreRanges = ({ among }: ChangedNumber): boolean => among !== undefined && inCommon(among).length > MAX_RANGES

/** The numbers of a range between `one` and `other`, without these two: the smallest number, and the count of numbers. */
export function between({ step, least }: NumberRange, one: number, other: number): { readonly first: number; readonly count: number } {
  const offset = least % step
  const low = Math.max(Math.min(one, other) + 1, least)
  const first = Math.ceil((low - offset) / step) * step + offset
  return { first, count: Math.max(0, Math.ceil((Math.max(one, other) - first) / step)) }
}

/**
 * The ranges and all their intersections, without duplicates. The step of an intersection is the least common multiple of the steps. The
 * search stops if there are more than `MAX_RANGES`.
 */
function inCommon(among: readonly NumberRange[]): readonly NumberRange[] {
  const found = new Map(among.map((range) => [keyOf(range), range]))
  // the loop also visits the ranges that it adds
  for (const one of found.values())
    for (const other of among) {
      const both = inBoth(one, other)
      // larger numbers are skipped, because a request cannot contain them exactly
      if (found.size <= MAX_RANGES && Number.isSafeInteger(both.least)) found.set(keyOf(both), both)
    }
  return [...found.values()]
}

const keyOf = ({ step, least }: NumberRange): string => `${step} ${least}`

const inBoth = (one: NumberRange, other: NumberRange): NumberRange => {
  const step = smallestCommon(one.step, other.step)
  return { step, least: Math.ceil(Math.max(one.least, other.least) / step) * step }
}
