import { printTerm, printValue } from './print.ts'
import type { QueryTerm } from './query.ts'
import { printTime } from './time/time.ts'

/** Adds `field:value` to a text, or adds the value to an existing plain `field:` term. */
export function withTerm(text: string, field: string, value: string): string {
  if (hasTerm(text, field, value)) return text.trim()
  const pieces = piecesOf(text)
  const at = pieces.findIndex((piece) => piece.startsWith(`${field}:`) && piece.length > field.length + 1)
  if (at < 0) return [...pieces, printTerm({ field, negated: false, operator: ':', values: [literal(value)] })].join(' ')
  return pieces.map((piece, i) => (i === at ? `${piece},${written(value)}` : piece)).join(' ')
}

/** Removes a value from the plain `field:` terms of a text; a term without values is removed. */
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

/** The text without one of the terms that `parseQuery` found in it. All other terms stay as they are written. */
export const cutTerm = (text: string, { from, to }: Pick<QueryTerm, 'from' | 'to'>): string =>
  [text.slice(0, from), text.slice(to)]
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join(' ')

/** The text with its terms about time replaced by a range: from `since` on and before `until`, in milliseconds since 1970. */
export const withTimes = (text: string, since: number, until: number): string =>
  [withoutTimes(text), `at>=${printTime(since)} at<${printTime(until)}`].filter((part) => part !== '').join(' ')

/** A text without its terms about time (`at` and `last`). */
export const withoutTimes = (text: string): string => withoutFields(text, 'at', 'last')

/** The text with its terms about a number field replaced by a range: `from` or more, and less than `to`. Undefined means no bound. */
export const withRange = (text: string, field: string, from: string | undefined, to: string | undefined): string =>
  [withoutFields(text, field), ...(from === undefined ? [] : [`${field}>=${from}`]), ...(to === undefined ? [] : [`${field}<${to}`])]
    .filter((part) => part !== '')
    .join(' ')

/** The text without its terms about these fields. */
export const withoutFields = (text: string, ...fields: readonly string[]): string =>
  piecesOf(text)
    .filter((piece) => !fields.some((field) => isOf(piece.replace(/^-/, ''), field)))
    .join(' ')

const isOf = (term: string, field: string): boolean => term.startsWith(field) && /^[:=<>!]/.test(term.slice(field.length))

/** The value with its wildcards escaped, so that it only matches itself. */
const literal = (value: string): QueryTerm['values'][number] => value.replace(/[*\\]/g, '\\$&')

const written = (value: string): string => printValue(literal(value), false)

/** The text split at blanks outside of quotes. */
const piecesOf = (text: string): string[] => text.match(/(?:"(?:\\.|[^"\\])*"?|[^\s"])+/g) ?? []

const valuesOf = (list: string): string[] => list.match(/(?:"(?:\\.|[^"\\])*"?|[^,"])+/g) ?? []
