import { trimBlanks } from '../../text/numbers.ts'
import { quote } from '../../text/problem.ts'
import { NovaError } from './nova-error.ts'
import { pythonInt } from './numbers.ts'

/** The lists of one document can contain at most this many CPUs together, because a short text can have a long range. Nova has no limit. */
export const MAX_CPUS = 65_536

/** The first and the last number of a range. */
type Range = readonly [start: number, end: number]

/**
 * Parses a CPU list such as `1-4,^3,6`. It consists of numbers and ranges. A number after `^` is excluded. The result is in ascending
 * order. The work is in proportion to the length of the text and of the result, even if ranges occur repeatedly. Throws Invalid.
 */
export const parseCpuList = (text: string): readonly number[] => cpuListParser()(text)

/** Returns a function like `parseCpuList` for the lists of one document, which can contain at most MAX_CPUS CPUs together. */
export function cpuListParser(): (text: string) => readonly number[] {
  let left = MAX_CPUS
  return (text) => {
    const { taken, refused } = rangesIn(text)
    const count = taken.reduce((sum, [start, end]) => sum + end - start + 1, 0)
    if (count > left) {
      const rule = left === MAX_CPUS ? `names more than ${MAX_CPUS} CPUs` : `and the lists before it name more than ${MAX_CPUS} CPUs`
      throw new NovaError('Invalid', `${quote(text)} ${rule}`)
    }
    left -= count
    return numbersIn(taken, refused)
  }
}

/** The ranges of a list, and the ranges that it excludes. In each of the two, the ranges are in ascending order and share no number. */
export function rangesIn(text: string): { readonly taken: readonly Range[]; readonly refused: readonly Range[] } {
  const taken: Range[] = []
  const refused: Range[] = []
  for (const rule of text.split(',').map(trimBlanks)) {
    if (rule === '') continue
    if (rule.startsWith('^')) refused.push(boundsOf(rule.slice(1), rule))
    else taken.push(boundsOf(rule, rule))
  }
  return { taken: merged(taken), refused: merged(refused) }
}

/** Sorts ranges, and merges ranges that have numbers in common. */
function merged(ranges: Range[]): readonly Range[] {
  const apart: [start: number, end: number][] = []
  for (const [start, end] of ranges.sort((a, b) => a[0] - b[0])) {
    const last = apart.at(-1)
    if (last === undefined || start > last[1]) apart.push([start, end])
    else last[1] = Math.max(last[1], end)
  }
  return apart
}

/** The numbers of ranges in ascending order, without those of the excluded ranges. Both lists of ranges must be merged. */
function numbersIn(taken: readonly Range[], refused: readonly Range[]): readonly number[] {
  const numbers: number[] = []
  let next = 0
  for (const [start, end] of taken)
    for (let cpu = start; cpu <= end; cpu++) {
      while ((refused[next]?.[1] ?? cpu) < cpu) next++
      if (cpu < (refused[next]?.[0] ?? Number.POSITIVE_INFINITY)) numbers.push(cpu)
    }
  return numbers
}

function boundsOf(range: string, rule: string): Range {
  const dash = range.indexOf('-')
  const [start, end] = dash < 0 ? [range, range] : [range.slice(0, dash), range.slice(dash + 1)]
  const bounds = [wholeNumber(start, rule), wholeNumber(end, rule)] as const
  if (bounds[0] > bounds[1]) throw new NovaError('Invalid', `the range ${quote(rule)} ends before it starts`)
  return bounds
}

function wholeNumber(text: string, rule: string): number {
  // plain digits are read directly, because a list can have a hundred thousand numbers
  if (/^[0-9]{1,9}$/.test(text)) return Number(text)
  try {
    const number = pythonInt(text)
    // beyond this number, adding 1 can give the same number, so that a range would not end
    if (Number.isSafeInteger(number)) return number
  } catch (error) {
    if (!(error instanceof NovaError)) throw error
  }
  throw new NovaError('Invalid', `${quote(rule)} is not a CPU number, range or exclusion`)
}
