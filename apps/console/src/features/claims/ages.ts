import { withRange } from '@gantt/scheduler-core/query'

/**
 * A range of ages in the filter grammar. A claim in the range is at least as old as `from`, and younger than `to`. Undefined means no
 * limit.
 */
interface AgeRange {
  readonly from: string | undefined
  readonly to: string | undefined
}

/** The ages at the borders between bars. Each is four to six times the previous one. */
const edges = ['10s', '1m', '5m', '30m', '2h', '12h', '3d'] as const

export const bars = ['b0', 'b1', 'b2', 'b3', 'b4', 'b5', 'b6', 'b7'] as const
export type BarName = (typeof bars)[number]

/** The range of ages of the bars from `first` to `last` together. */
const rangeOf = (first: number, last = first): AgeRange => ({ from: edges[first - 1], to: edges[last] })

/** The filter `q`, with the range of ages of the bars from `first` to `last` instead of its own condition on the age. */
export function agedQuery(q: string, first: number, last = first): string {
  const { from, to } = rangeOf(first, last)
  return withRange(q, 'age', from, to)
}

/** One filter for each bar, as variables of the query that counts claims. */
export const ageQueries = (q: string): Readonly<Record<BarName, string>> =>
  Object.fromEntries(bars.map((bar, i) => [bar, agedQuery(q, i)])) as Readonly<Record<BarName, string>>

const units: Readonly<Record<string, string>> = { s: 's', m: 'min', h: 'h', d: 'd' }

/** Writes an age of the filter grammar like all other durations of the console: 5 min for 5m. */
const spaced = (age: string | undefined): string | undefined => age?.replace(/[smhd]$/, (unit) => ` ${units[unit]}`)

const spacedOf = ({ from, to }: AgeRange): AgeRange => ({ from: spaced(from), to: spaced(to) })

/** The range of ages of the bars from `first` to `last`, as text. */
export function ageText(first: number, last = first): string {
  const { from, to } = spacedOf(rangeOf(first, last))
  if (from === undefined) return to === undefined ? 'of any age' : `younger than ${to}`
  return to === undefined ? `${from} or older` : `${from} to ${to}`
}
