import type { Query, QueryTerm } from './query.ts'

/** The canonical text of a query. Parsing the text gives the same query. */
export const printQuery = ({ terms }: Query): string => terms.map(printTerm).join(' ')

export function printTerm({ field, negated, operator, values }: Pick<QueryTerm, 'field' | 'negated' | 'operator' | 'values'>): string {
  const sign = negated ? '-' : ''
  if (field === null) return sign + printValue(values[0] ?? '', true)
  return `${sign}${field}${operator}${values.map((value) => printValue(value, false)).join(',')}`
}

/** Writes a value as text, without quotes if possible. */
export function printValue(value: string, isWord: boolean): string {
  const isBare = !/[\s",\\]/.test(value) && !(isWord && (/^[A-Za-z][A-Za-z0-9_.]*[:=<>!]/.test(value) || value.startsWith('-')))
  if (isBare) return value
  const content = value.replace(/\\(.)|(["])/g, (_whole, kept: string | undefined, quote: string | undefined) =>
    quoted(kept ?? quote ?? ''),
  )
  return `"${content}"`
}

/** Escapes a character of a quoted value. Only the quote and the backslash are special in quotes. */
const quoted = (character: string): string => (character === '"' || character === '\\' ? `\\${character}` : character)
