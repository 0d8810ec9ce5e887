import { MAX_STARS, starsOf } from './pattern.ts'
import { isOrdered, type Query, type QueryField, type QueryOperator, type QueryProblem, type QueryTerm } from './query.ts'
import { numberOf } from './units.ts'

export const MAX_LENGTH = 1_000
export const MAX_TERMS = 50

export interface ParsedQuery {
  /** The valid terms. */
  readonly query: Query
  /** All problems, in the order in which they occur in the text. */
  readonly problems: readonly QueryProblem[]
}

/** Reads a line of the filter grammar (docs/query.md). Never throws: problems are returned with their positions in the text. */
export function parseQuery(text: string, fields: readonly QueryField[]): ParsedQuery {
  if (text.length > MAX_LENGTH)
    return {
      query: { terms: [] },
      problems: [{ message: `the filter has ${text.length} characters; ${MAX_LENGTH} are allowed`, from: MAX_LENGTH, to: text.length }],
    }
  const problems: QueryProblem[] = []
  const terms: QueryTerm[] = []
  const scanner = createScanner(text)
  for (let raw = scanner.next(); raw !== undefined; raw = scanner.next()) {
    const found = check(raw, fields)
    problems.push(...found)
    if (found.length === 0) terms.push(toTerm(raw, fields))
  }
  const extra = terms[MAX_TERMS]
  if (extra !== undefined)
    problems.push({ message: `the filter has ${terms.length} terms; ${MAX_TERMS} are allowed`, from: extra.from, to: text.length })
  const starred = tooManyStars(terms)
  if (starred !== undefined) problems.push(starred)
  return { query: { terms: terms.slice(0, MAX_TERMS) }, problems: problems.sort((a, b) => a.from - b.from) }
}

/**
 * Returns a problem if the values of a filter have too many wildcards. The position of the problem is the first term that exceeds the
 * limit.
 */
function tooManyStars(terms: readonly QueryTerm[]): QueryProblem | undefined {
  let stars = 0
  let first: QueryTerm | undefined
  for (const term of terms) {
    // A star in a bare word (a term without a field) is an ordinary character.
    if (term.field !== null) for (const value of term.values) stars += starsOf(value)
    if (stars > MAX_STARS) first ??= term
  }
  return first && { message: `the filter has ${stars} stars; ${MAX_STARS} are allowed`, from: first.from, to: first.to }
}

/** Finds a field by its name or by one of its aliases. */
export const findField = (name: string, fields: readonly QueryField[]): QueryField | undefined =>
  fields.find((field) => field.name === name || field.aliases?.includes(name))

interface RawValue {
  readonly text: string
  readonly from: number
  readonly to: number
  readonly isOpen: boolean
}

/** A term as written, before its meaning is checked. */
interface RawTerm {
  readonly field: { readonly text: string; readonly from: number; readonly to: number } | undefined
  readonly operator: ':' | '=' | '!=' | '>' | '>=' | '<' | '<='
  readonly negated: boolean
  readonly values: readonly RawValue[]
  readonly from: number
  readonly to: number
}

const isBlank = (character: string | undefined): boolean => character !== undefined && /\s/.test(character)

function createScanner(text: string) {
  let at = 0
  /**
   * Reads a quoted or a bare value. A bare value ends at a blank, and in a list also at a comma. In a quoted value, stars are ordinary
   * characters and are therefore escaped in the result.
   */
  const value = (inList: boolean): RawValue => {
    const from = at
    if (text[at] !== '"') {
      while (at < text.length && !isBlank(text[at]) && !(inList && text[at] === ',')) at++
      return { text: text.slice(from, at), from, to: at, isOpen: false }
    }
    at++
    let content = ''
    for (; at < text.length; at++) {
      const character = text[at] as string
      if (character === '"') {
        at++
        return { text: content, from, to: at, isOpen: false }
      }
      if (character === '\\' && at + 1 < text.length) {
        at++
        content += escaped(text[at] as string)
      } else content += escaped(character)
    }
    return { text: content, from, to: at, isOpen: true }
  }
  return {
    next(): RawTerm | undefined {
      while (isBlank(text[at])) at++
      if (at >= text.length) return undefined
      const from = at
      const negated = text[at] === '-' && at + 1 < text.length && !isBlank(text[at + 1])
      if (negated) at++
      const head = /^([A-Za-z][A-Za-z0-9_.]*)(!=|>=|<=|[:=<>])/.exec(text.slice(at))
      if (head === null) {
        const word = value(false)
        return { field: undefined, operator: ':', negated, values: [word], from, to: at }
      }
      const [whole, name = '', operator] = head
      const field = { text: name, from: at, to: at + name.length }
      at += whole.length
      const values = [value(true)]
      while (text[at] === ',') {
        at++
        values.push(value(true))
      }
      // Characters directly after a closing quote are an error. They are read as a value with a missing quote, for which `check` returns a
      // problem.
      if (at < text.length && !isBlank(text[at])) {
        const glued = value(false)
        values.push({ ...glued, isOpen: true })
      }
      return { field, operator: operator as RawTerm['operator'], negated, values, from, to: at }
    },
  }
}

/** Escapes `*` and `\`, because they are ordinary characters in a quoted value. */
const escaped = (character: string): string => (character === '*' || character === '\\' ? `\\${character}` : character)

function check(raw: RawTerm, fields: readonly QueryField[]): QueryProblem[] {
  const { operator, values } = raw
  const problems: QueryProblem[] = []
  const open = values.find(({ isOpen }) => isOpen)
  if (open !== undefined)
    return [{ message: 'the quotes do not close, or something follows them without a blank', from: open.from, to: open.to }]
  if (raw.field === undefined) return values[0]?.text === '' ? [{ message: 'the word is empty', from: raw.from, to: raw.to }] : []
  const field = findField(raw.field.text, fields)
  if (field === undefined) {
    const allowed = fields.map(({ name }) => name).join(', ')
    return [{ message: `there is no field ${raw.field.text}; there are ${allowed}`, from: raw.field.from, to: raw.field.to }]
  }
  const isOrder = operator !== ':' && operator !== '=' && operator !== '!='
  if (isOrder && !isOrdered(field))
    problems.push({
      message: `${field.name} is compared with ${operator}; it is a text: write ${field.name}:value`,
      from: raw.field.from,
      to: raw.to,
    })
  if (!isOrder && field.kind === 'time')
    problems.push({
      message: `${field.name} is compared with ${operator}; it is a time: write ${field.name}>=, >, <= or <, such as ${field.name}>=${A_TIME}`,
      from: raw.field.from,
      to: raw.to,
    })
  if (isOrder && values.length > 1)
    problems.push({
      message: `${operator} takes one ${field.kind === 'time' ? 'time' : 'number'}, ${values.length} are given`,
      from: values[0]?.from ?? raw.from,
      to: raw.to,
    })
  for (const value of values) {
    const why = valueProblem(value.text, field)
    if (why !== undefined) problems.push({ message: why, from: value.from, to: Math.max(value.to, value.from) })
  }
  return problems
}

function valueProblem(text: string, field: QueryField): string | undefined {
  if (text === '') return `${field.name} has no value`
  if (field.kind === 'number' && numberOf(text, field) === undefined) return `${text} is no number${unitHint(field)}`
  if (field.kind === 'time' && numberOf(text, field) === undefined) return `${text} is not a time in UTC, such as ${A_TIME} or 2026-11-22`
  if (field.kind === 'enum' && !field.values?.some((value) => value.toLowerCase() === text.toLowerCase()))
    return `${field.name} is ${text}; it can be ${field.values?.join(', ')}`
  return undefined
}

const A_TIME = '2026-11-22T09:00:00Z'

const hints: Readonly<Record<string, string>> = {
  MiB: ' of MiB, GiB or TiB, such as 64GiB',
  GiB: ' of MiB, GiB or TiB, such as 64GiB',
  '%': ' of percent, such as 80%',
  s: ' of seconds, minutes, hours or days, such as 5m',
}

const unitHint = ({ unit }: QueryField): string => hints[unit ?? ''] ?? ', such as 10'

function toTerm({ field: named, operator, negated, values, from, to }: RawTerm, fields: readonly QueryField[]): QueryTerm {
  const field = named === undefined ? undefined : findField(named.text, fields)
  return {
    field: field?.name ?? null,
    negated: operator === '!=' ? !negated : negated,
    operator: operator === '=' || operator === '!=' ? ':' : (operator as QueryOperator),
    values: values.map(({ text }) =>
      field?.kind === 'enum' ? (field.values?.find((value) => value.toLowerCase() === text.toLowerCase()) ?? text) : text,
    ),
    from,
    to,
  }
}
