import type { Query, QueryOperator, QueryTerm } from './query.ts'
import { timeOf } from './time/time.ts'
import { numberOf } from './units.ts'

/**
 * A span of time from `since` (inclusive) until `until` (exclusive), in milliseconds since 1970. If a bound is absent, the span has no
 * limit in this direction.
 */
export interface Span {
  readonly since?: number
  readonly until?: number
}

/** True if a term is about the time of rows: a time (`at`) or an age (`last`). */
export const isOfTime = ({ field }: Pick<QueryTerm, 'field'>): boolean => field === 'at' || field === 'last'

/**
 * Combines all terms about the time of rows. A row satisfies these terms if and only if its time is within the span. `now` is in
 * milliseconds since 1970.
 */
export function spanOf({ terms }: Query, now: number): Span {
  let span: Span = {}
  for (const term of terms) if (isOfTime(term)) span = within(span, spanOfTerm(term, now))
  return span
}

/** The latest time that a Date can represent, in milliseconds since 1970. */
const MAX_TIME_MS = 8_640_000_000_000_000

function spanOfTerm({ field, operator, negated, values: [value = ''] }: QueryTerm, now: number): Span {
  const isAge = field === 'last'
  const number = isAge ? numberOf(value, { kind: 'number', unit: 's' }) : timeOf(value)
  if (number === undefined) throw new RangeError(`expected ${isAge ? 'an age' : 'a time'}, found ${value}`)
  const ms = Math.max(-MAX_TIME_MS, Math.min(MAX_TIME_MS, isAge ? now - number * 1_000 : number))
  // `last:1h` means "at most an hour old". A lower age means a later time, so the comparison is reversed.
  const asked = isAge ? turned[operator] : operator
  switch (negated ? opposite[asked] : asked) {
    case '>':
      return { since: Math.floor(ms) + 1 }
    case '<':
      return { until: Math.ceil(ms) }
    case '<=':
      return { until: Math.floor(ms) + 1 }
    default:
      return { since: Math.ceil(ms) }
  }
}

const turned: Readonly<Record<QueryOperator, QueryOperator>> = { '>': '<', '>=': '<=', '<': '>', '<=': '>=', ':': '>=' }
const opposite: Readonly<Record<QueryOperator, QueryOperator>> = { '>': '<=', '>=': '<', '<': '>=', '<=': '>', ':': '<' }

const within = (one: Span, other: Span): Span => {
  const since = most(one.since, other.since, Math.max)
  const until = most(one.until, other.until, Math.min)
  return { ...(since === undefined ? {} : { since }), ...(until === undefined ? {} : { until }) }
}

const most = (one: number | undefined, other: number | undefined, pick: (...numbers: number[]) => number): number | undefined =>
  one === undefined ? other : other === undefined ? one : pick(one, other)
