import type { Query, QueryTerm } from './query.ts'

/** The canonical text of a query: reading it again gives the same query. */
export const printQuery = ({ terms }: Query): string => terms.map(printTerm).join(' ')

export function printTerm({ field, negated, operator, values }: Pick<QueryTerm, 'field' | 'negated' | 'operator' | 'values'>): string {
  const sign = negated ? '-' : ''
  if (field === null) return sign + printValue(values[0] ?? '', true)
  return `${sign}${field}${operator}${values.map((value) => printValue(value, false)).join(',')}`
}

/** A value in the form in which it has to be written: bare where possible, else in quotes. */
export function printValue(value: string, isWord: boolean): string {
  const isBare = !/[\s",\\]/.test(value) && !(isWord && (/^[A-Za-z][A-Za-z0-9_.]*[:=<>!]/.test(value) || value.startsWith('-')))
  if (isBare) return value
  const content = value.replace(/\\(.)|(["])/g, (_whole, kept: string | undefined, quote: string | undefined) =>
    quoted(kept ?? quote ?? ''),
  )
  return `"${content}"`
}

/** Inside quotes only the quote and the backslash are special; a star is literal there. */
const quoted = (character: string): string => (character === '"' || character === '\\' ? `\\${character}` : character)
