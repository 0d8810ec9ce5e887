import { compareCodePoints } from '../../text/extra-spec-operators.ts'
import type { HostState } from '../objects/host-state.ts'
import { NovaError } from '../text/nova-error.ts'
import { PythonFloat } from '../text/python-json.ts'
import { attributeOf, type HostValue, hostText, isTrue, NovaObject } from './host-attributes.ts'

/**
 * Returns true if a host satisfies a query of the form `[operator, argument...]`. An argument is a nested query, an attribute of the host
 * (`$free_ram_mb`, `$stats.gpu`) or a literal. If an attribute does not exist, its argument is left out. If the result is a list, the host
 * passes if one item is true. Throws NovaError where Nova would raise an exception.
 */
export function meetsQuery(query: HostValue, host: HostState): boolean {
  const answer = evaluate(query, host)
  return Array.isArray(answer) ? answer.some(isTrue) : isTrue(answer)
}

/** The attributes in a query with the host's values, such as `free_ram_mb = 4096`. Each attribute is listed once. */
export function attributesIn(query: HostValue, host: HostState): readonly string[] {
  const found = new Map<string, string>()
  const walk = (part: HostValue): void => {
    if (Array.isArray(part)) for (const item of part.slice(1)) walk(item)
    else if (typeof part === 'string' && part.startsWith('$')) found.set(part.slice(1), hostText(lookUp(part, host)))
  }
  walk(query)
  return [...found].map(([name, value]) => `${name} = ${value}`)
}

function evaluate(query: HostValue, host: HostState): HostValue {
  if (!isTrue(query)) return true
  const [operator, ...parts] = wordsOf(query)
  const act = operators.get(operatorOf(operator ?? null))
  if (act === undefined) throw new NovaError('KeyError', { subject: 'the operator', need: OPERATORS, have: hostText(operator ?? null) })
  const values = parts.map((part) => {
    if (Array.isArray(part)) return evaluate(part, host)
    return typeof part === 'string' ? lookUp(part, host) : part
  })
  return act(values.filter((value) => value !== null))
}

/** The operator and the arguments of a query. A query that is text is split into letters, as Python iterates over text. */
function wordsOf(query: HostValue): readonly HostValue[] {
  if (Array.isArray(query)) return query
  if (typeof query === 'string') return [...query]
  const have = hostText(query)
  throw new NovaError(query instanceof Map ? 'KeyError' : 'TypeError', { subject: 'the query', need: 'a list', have })
}

function operatorOf(value: HostValue): string {
  if (typeof value === 'string') return value
  const isHashable = !Array.isArray(value) && !(value instanceof Map)
  throw new NovaError(isHashable ? 'KeyError' : 'TypeError', { subject: 'the operator', need: OPERATORS, have: hostText(value) })
}

/**
 * The value of an argument that is text. Text that starts with `$` is replaced by the value of the host's attribute. Null if the attribute
 * does not exist, or if the text is empty.
 */
function lookUp(text: string, host: HostState): HostValue {
  if (text === '') return null
  if (!text.startsWith('$')) return text
  const [name = '', ...keys] = text.slice(1).split('.')
  let value = attributeOf(host, name)
  for (const key of keys) {
    if (value === null) return null
    const entries: ReadonlyMap<string, HostValue> | undefined = value instanceof NovaObject ? value.entries : asMap(value)
    if (entries === undefined)
      throw new NovaError('AttributeError', { subject: text, need: 'a path through dictionaries', have: hostText(value) })
    value = entries.get(key) ?? null
  }
  return value
}

const asMap = (value: HostValue): ReadonlyMap<string, HostValue> | undefined => (value instanceof Map ? value : undefined)

type Operator = (values: readonly HostValue[]) => HostValue

/**
 * Creates an operator that compares the first value with each other value. True if all comparisons are true and there are two values or
 * more.
 */
const comparing =
  (holds: (first: HostValue, other: HostValue) => boolean): Operator =>
  ([first, ...others]) =>
    // A false comparison does not end the loop, because Nova raises an exception if any of the values cannot be compared.
    first !== undefined && others.length > 0 && others.map((other) => holds(first, other)).every((held) => held)

const operators: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  ['=', comparing(isEqual)],
  ['<', comparing((a, b) => order(a, b, '<') < 0)],
  ['>', comparing((a, b) => order(a, b, '>') > 0)],
  ['<=', comparing((a, b) => order(a, b, '<=') <= 0)],
  ['>=', comparing((a, b) => order(a, b, '>=') >= 0)],
  ['in', ([first, ...others]) => first !== undefined && others.some((other) => isEqual(first, other))],
  ['not', (values) => values.map((value) => !isTrue(value))],
  ['or', (values) => values.some(isTrue)],
  ['and', (values) => values.every(isTrue)],
])

const OPERATORS = [...operators.keys()].join(' ')

/** Converts a value to a number as Python does: true is 1, and false is 0. Undefined if it is not a number. */
function numberOf(value: HostValue): number | bigint | undefined {
  if (typeof value === 'boolean') return Number(value)
  if (value instanceof PythonFloat) return value.value
  return typeof value === 'number' || typeof value === 'bigint' ? value : undefined
}

/** Compares two numbers: -1, 0 or 1. The result is NaN if one of them is NaN. One of the numbers can be a bigint. */
function compareNumbers(x: number | bigint, y: number | bigint): number {
  if (Number.isNaN(x) || Number.isNaN(y)) return Number.NaN
  return x < y ? -1 : Number(x > y)
}

function isEqual(a: HostValue, b: HostValue): boolean {
  const [x, y] = [numberOf(a), numberOf(b)]
  if (x !== undefined && y !== undefined) return compareNumbers(x, y) === 0
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, i) => isEqual(item, b[i]))
  if (a instanceof Map && b instanceof Map)
    return a.size === b.size && [...a].every(([key, item]) => b.has(key) && isEqual(item, b.get(key) ?? null))
  return a === b
}

/**
 * Compares two values as Python does: below zero, zero or above zero. NaN if one of them is NaN. Throws TypeError unless the values are two
 * numbers, two texts or two lists.
 */
function order(a: HostValue, b: HostValue, operator: string): number {
  const [x, y] = [numberOf(a), numberOf(b)]
  if (x !== undefined && y !== undefined) return compareNumbers(x, y)
  if (typeof a === 'string' && typeof b === 'string') return compareCodePoints(a, b)
  if (Array.isArray(a) && Array.isArray(b)) {
    const differing = a.findIndex((item, i) => i >= b.length || !isEqual(item, b[i]))
    if (differing === -1) return a.length - b.length
    return differing >= b.length ? 1 : order(a[differing], b[differing], operator)
  }
  throw new NovaError('TypeError', {
    subject: `an argument of ${operator}`,
    need: `a value that can be compared with ${hostText(a)}`,
    have: hostText(b),
  })
}
