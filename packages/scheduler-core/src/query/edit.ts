import { printTerm, printValue } from './print.ts'
import type { QueryTerm } from './query.ts'
import { printTime } from './time/time.ts'

/** Adds the term `field:value` to a filter text. If the text has a term `field:` that is not negated, the value is added to this term. */
export function withTerm(text: string, field: string, value: string): string {
  if (hasTerm(text, field, value)) return text.trim()
  const pieces = piecesOf(text)
  const at = pieces.findIndex((piece) => piece.startsWith(`${field}:`) && piece.length > field.length + 1)
  if (at < 0) return [...pieces, printTerm({ field, negated: false, operator: ':', values: [literal(value)] })].join(' ')
  return pieces.map((piece, i) => (i === at ? `${piece},${written(value)}` : piece)).join(' ')
}

/** Removes a value from the `field:` terms of a filter text that are not negated. A term without remaining values is removed. */
export function withoutTerm(text: string, field: string, value: string): string {
  return piecesOf(text)
    .flatMap((piece) => {
      if (!piece.startsWith(`${field}:`)) return [piece]
      const values = valuesOf(piece.slice(field.length + 1)).filter((one) => one !== written(value))
      return values.length === 0 ? [] : [`${field}:${values.join(',')}`]
    })
    .join(' ')
}

export const hasTerm = (text: string, field: string, value: string): boolean =>
  piecesOf(text).some((piece) => piece.startsWith(`${field}:`) && valuesOf(piece.slice(field.length + 1)).includes(written(value)))

/** Removes a term from the text in which `parseQuery` found the term. The rest of the text is unchanged. */
export const cutTerm = (text: string, { from, to }: Pick<QueryTerm, 'from' | 'to'>): string =>
  [text.slice(0, from), text.slice(to)]
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join(' ')

/**
 * Replaces the terms about time (`at` and `last`) by a range. The range begins at `since` and ends before `until`, in milliseconds since
 * 1970.
 */
export const withTimes = (text: string, since: number, until: number): string =>
  [withoutTimes(text), `at>=${printTime(since)} at<${printTime(until)}`].filter((part) => part !== '').join(' ')

/** Removes the terms about time (`at` and `last`) from a filter text. */
export const withoutTimes = (text: string): string => withoutFields(text, 'at', 'last')

/**
 * Replaces the terms about a number field by a range: `from` or more, and less than `to`. The bounds are written as in a filter, such as
 * `5m`. Undefined means no bound.
 */
export const withRange = (text: string, field: string, from: string | undefined, to: string | undefined): string =>
  [withoutFields(text, field), ...(from === undefined ? [] : [`${field}>=${from}`]), ...(to === undefined ? [] : [`${field}<${to}`])]
    .filter((part) => part !== '')
    .join(' ')

/** Removes the terms about these fields from a filter text. */
export const withoutFields = (text: string, ...fields: readonly string[]): string =>
  piecesOf(text)
    .filter((piece) => !fields.some((field) => isOf(piece.replace(/^-/, ''), field)))
    .join(' ')

const isOf = (term: string, field: string): boolean => term.startsWith(field) && /^[:=<>!]/.test(term.slice(field.length))

/** Escapes the wildcards of a value, so that the value matches only itself. */
const literal = (value: string): QueryTerm['values'][number] => value.replace(/[*\\]/g, '\\$&')

const written = (value: string): string => printValue(literal(value), false)

/** Splits a text at blanks that are not in quotes. */
const piecesOf = (text: string): string[] => text.match(/(?:"(?:\\.|[^"\\])*"?|[^\s"])+/g) ?? []

const valuesOf = (list: string): string[] => list.match(/(?:"(?:\\.|[^"\\])*"?|[^,"])+/g) ?? []
