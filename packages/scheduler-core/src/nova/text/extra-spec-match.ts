import { NovaError } from './nova-error.ts'
import { pythonFloat, pythonSplit } from './numbers.ts'

/**
 * Nova's extra spec operators: whether a value of a host or aggregate meets a requirement of a flavor. `=` means at
 * least, on numbers; `s==` and its kind compare text; `<in>`, `<all-in>` and `<or>` look inside; without an operator
 * the two must be equal. Throws ValueError where a number is wanted and none found, IndexError for `<or>` alone.
 */
export function match(value: string | null, requirement: string): boolean {
  const [operator = '', ...operands] = pythonSplit(requirement)
  if (!operators.has(operator)) return value === requirement
  if (value === null) return false
  if (operator === '<or>') return matchesOne(value, operands)
  const [first] = operands
  if (first === undefined) return false
  if (operator === '<in>') return value.includes(first)
  if (operator === '<all-in>') return operands.every((word) => value.includes(word))
  const textual = textTests.get(operator)
  if (textual !== undefined) return textual(compareCodePoints(value, first))
  const numeric = numberTests.get(operator)
  return numeric?.(pythonFloat(value), pythonFloat(first)) ?? false
}

/** Order of text as Python has it: by code point, where JavaScript's is by code unit. */
export function compareCodePoints(left: string, right: string): number {
  const [a, b] = [left[Symbol.iterator](), right[Symbol.iterator]()]
  for (;;) {
    const [x, y] = [a.next(), b.next()]
    if (x.done === true || y.done === true) return Number(y.done ?? false) - Number(x.done ?? false)
    const difference = (x.value.codePointAt(0) ?? 0) - (y.value.codePointAt(0) ?? 0)
    if (difference !== 0) return difference
  }
}

/** Words are taken in pairs: a choice, then what stands where the next `<or>` belongs. */
function matchesOne(value: string, words: readonly string[]): boolean {
  if (words.length === 0) throw new NovaError('IndexError', '<or> has no choice behind it')
  return words.some((word, i) => i % 2 === 0 && word === value)
}

const numberTests: ReadonlyMap<string, (found: number, wanted: number) => boolean> = new Map([
  ['=', (found, wanted) => found >= wanted],
  ['==', (found, wanted) => found === wanted],
  ['!=', (found, wanted) => found !== wanted],
  ['>=', (found, wanted) => found >= wanted],
  ['<=', (found, wanted) => found <= wanted],
])

const textTests: ReadonlyMap<string, (order: number) => boolean> = new Map([
  ['s==', (order) => order === 0],
  ['s!=', (order) => order !== 0],
  ['s>=', (order) => order >= 0],
  ['s>', (order) => order > 0],
  ['s<=', (order) => order <= 0],
  ['s<', (order) => order < 0],
])

const operators = new Set([...numberTests.keys(), ...textTests.keys(), '<in>', '<all-in>', '<or>'])
