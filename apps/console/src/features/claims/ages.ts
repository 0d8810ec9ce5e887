import { withRange } from '@gantt/scheduler-core/query'

/** A range of ages in the form of the filter grammar: `from` and older, but younger than `to`; undefined for an open end. */
interface AgeRange {
  readonly from: string | undefined
  readonly to: string | undefined
}

/** The borders between bars. Each is four to six times as long as the one before. */
const edges = ['10s', '1m', '5m', '30m', '2h', '12h', '3d'] as const

export const bars = ['b0', 'b1', 'b2', 'b3', 'b4', 'b5', 'b6', 'b7'] as const
export type BarName = (typeof bars)[number]

/** The sum of the bars in a range, both ends included. */
const rangeOf = (first: number, last = first): AgeRange => ({ from: edges[first - 1], to: edges[last] })

/** The filter that finds exactly these claims: the earlier one with its condition on the age replaced. */
export function agedQuery(q: string, first: number, last = first): string {
  const { from, to } = rangeOf(first, last)
  return withRange(q, 'age', from, to)
}

/** The filters as variables of the counts. */
export const ageQueries = (q: string): Readonly<Record<BarName, string>> =>
  Object.fromEntries(bars.map((bar, i) => [bar, agedQuery(q, i)])) as Readonly<Record<BarName, string>>

/** The range as text. */
export function ageText(first: number, last = first): string {
  const { from, to } = rangeOf(first, last)
  if (from === undefined) return to === undefined ? 'of any age' : `younger than ${to}`
  return to === undefined ? `${from} or older` : `${from} to ${to}`
}
