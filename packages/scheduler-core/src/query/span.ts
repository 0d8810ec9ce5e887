import type { Query, QueryOperator, QueryTerm } from './query.ts'
import { timeOf } from './time.ts'
import { numberOf } from './units.ts'

/** From when on, and before when, milliseconds since 1970; what is not there is not asked. */
export interface Span {
  readonly since?: number
  readonly until?: number
}

/** Whether a term says of which time rows are: absolute (`at`) or by their age (`last`). */
export const isOfTime = ({ field }: Pick<QueryTerm, 'field'>): boolean => field === 'at' || field === 'last'

/** What all terms about the time of rows ask together: a row is among those meant by them if and only if it lies in the span. */
export function spanOf({ terms }: Query, now: number): Span {
  let span: Span = {}
  for (const term of terms) if (isOfTime(term)) span = within(span, spanOfTerm(term, now))
  return span
}

/** How far a time can be from 1970, milliseconds. */
const MOST = 8_640_000_000_000_000

function spanOfTerm({ field, operator, negated, values: [value = ''] }: QueryTerm, now: number): Span {
  const isAge = field === 'last'
  const number = isAge ? numberOf(value, { kind: 'number', unit: 's' }) : timeOf(value)
  if (number === undefined) throw new RangeError(`${value} is no ${isAge ? 'age' : 'time'}`)
  const ms = Math.max(-MOST, Math.min(MOST, isAge ? now - number * 1_000 : number))
  // `last:1h` reads as "at most an hour old"; an age is less where the time is more
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
