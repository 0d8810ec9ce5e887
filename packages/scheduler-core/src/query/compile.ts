import { findField } from './parse.ts'
import { compileContains, compilePattern, starsOf, unescaped } from './pattern.ts'
import { isOrdered, type Query, type QueryField, type QueryTerm } from './query.ts'
import { numberOf } from './units.ts'

export type QueryValue = string | readonly string[] | number | undefined

/**
 * The functions that read the fields of a row, by field name. The function under the key `''` returns the texts in which bare words are
 * searched for. Times are milliseconds since 1970.
 */
export type QueryReaders<Row> = Readonly<Record<string, (row: Row) => QueryValue>>

/**
 * Compiles a query into a function that tests one row. Work that does not depend on the row is done only once, and each field of a row is
 * read at most once, however many terms it has. Throws RangeError if a field in the query has no reader.
 */
export function compileQuery<Row>({ terms }: Query, fields: readonly QueryField[], readers: QueryReaders<Row>): (row: Row) => boolean {
  const tests = terms.map((term) => compileTerm(term, fields, readers))
  const [first, ...others] = tests
  if (first === undefined) return () => true
  if (others.length === 0) return (row) => first.holds(first.read(row))
  return (row) => {
    const values = new Map<string, QueryValue>()
    for (const { name, read, holds } of tests) {
      if (!values.has(name)) values.set(name, read(row))
      if (!holds(values.get(name))) return false
    }
    return true
  }
}

/** The test of one term. */
interface TermTest<Row> {
  /** The name of the field, or '' for a bare word. */
  readonly name: string
  read(row: Row): QueryValue
  holds(value: QueryValue): boolean
}

function compileTerm<Row>(term: QueryTerm, fields: readonly QueryField[], readers: QueryReaders<Row>): TermTest<Row> {
  const name = term.field ?? ''
  const read = readers[name]
  if (read === undefined) throw new RangeError(`expected a reader for the field ${term.field ?? '(name)'}, found none`)
  const field = term.field === null ? undefined : findField(term.field, fields)
  const holds =
    field === undefined ? containsTest(term.values[0] ?? '') : isOrdered(field) ? numberTest(term, field) : textTest(term.values)
  const { negated } = term
  return { name, read, holds: (value) => holds(value) !== negated }
}

/** Returns a function that tests whether a value contains the word. Case is ignored. Stars in a bare word are ordinary characters. */
function containsTest(word: string): (value: QueryValue) => boolean {
  const has = compileContains(unescaped(word).toLowerCase())
  return (value) =>
    typeof value === 'string' ? has(value.toLowerCase()) : Array.isArray(value) && value.some((one: string) => has(one.toLowerCase()))
}

function numberTest({ operator, values }: QueryTerm, field: QueryField): (value: QueryValue) => boolean {
  const numbers = values.map((value) => numberOf(value, field) ?? Number.NaN)
  const [first = Number.NaN] = numbers
  const compare = (value: number): boolean => {
    switch (operator) {
      case '>':
        return value > first
      case '>=':
        return value >= first
      case '<':
        return value < first
      case '<=':
        return value <= first
      default:
        return numbers.includes(value)
    }
  }
  return (value) => typeof value === 'number' && compare(value)
}

function textTest(values: readonly string[]): (value: QueryValue) => boolean {
  const exact = new Set(values.filter((value) => starsOf(value) === 0).map(unescaped))
  const patterns = values.filter((value) => starsOf(value) > 0).map(compilePattern)
  const matches = (text: string): boolean => exact.has(text) || patterns.some((fits) => fits(text))
  return (value) => (typeof value === 'string' ? matches(value) : typeof value === 'object' && value.some(matches))
}
