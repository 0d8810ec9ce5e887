import { readFloat, wordsIn } from './numbers.ts'

/**
 * The result if an extra spec cannot be compared. `noNumber` is a text that should be a number, because the operator compares numbers. It
 * is null if no word follows `<or>`.
 */
export interface NoComparison {
  readonly noNumber: string | null
}

/**
 * Evaluates Nova's extra spec operators. Returns true if the value of a host or aggregate satisfies the requirement of a flavor. `=` means
 * "at least" and compares numbers. Operators such as `s==` compare text. `<in>` and `<all-in>` search for words in the value, and `<or>`
 * lists allowed values. Without an operator, value and requirement must be equal.
 */
export function compareExtraSpec(value: string | null, requirement: string): boolean | NoComparison {
  const [operator = '', ...operands] = wordsIn(requirement)
  if (!operators.has(operator)) return value === requirement
  if (value === null) return false
  if (operator === '<or>') return matchesOne(value, operands)
  const [first] = operands
  if (first === undefined) return false
  if (operator === '<in>') return value.includes(first)
  if (operator === '<all-in>') return operands.every((word) => value.includes(word))
  const textual = textTests.get(operator)
  if (textual !== undefined) return textual(compareCodePoints(value, first))
  const [found, wanted] = [readFloat(value), readFloat(first)]
  if (found === undefined) return { noNumber: value }
  if (wanted === undefined) return { noNumber: first }
  return numberTests.get(operator)?.(found, wanted) ?? false
}

/** Compares text by code points, as Python does. JavaScript compares code units. */
export function compareCodePoints(left: string, right: string): number {
  const [a, b] = [left[Symbol.iterator](), right[Symbol.iterator]()]
  for (;;) {
    const [x, y] = [a.next(), b.next()]
    if (x.done === true || y.done === true) return Number(y.done ?? false) - Number(x.done ?? false)
    const difference = (x.value.codePointAt(0) ?? 0) - (y.value.codePointAt(0) ?? 0)
    if (difference !== 0) return difference
  }
}

/**
 * Evaluates `<or>`. Every second word is an allowed value. The words between the allowed values should be `<or>`, but as in Nova, this is
 * not checked.
 */
function matchesOne(value: string, words: readonly string[]): boolean | NoComparison {
  if (words.length === 0) return { noNumber: null }
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
