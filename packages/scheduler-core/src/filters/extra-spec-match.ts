/**
 * Nova's extra spec operators: how a requirement in a flavor matches a value of a host or aggregate. `=` means at least,
 * on numbers; `s==` and its kind compare text; `<in>`, `<all-in>` and `<or>` look inside; without an operator the two
 * must be equal. What cannot be compared (a number asked, a word found) does not match.
 */
export function extraSpecMatches(value: string, requirement: string): boolean {
  const [operator = '', ...operands] = requirement.trim().split(/\s+/)
  const first = operands[0]
  if (Object.hasOwn(numeric, operator)) {
    const [found, wanted] = [toNumber(value), toNumber(first)]
    return found !== undefined && wanted !== undefined && (numeric[operator] as NumberTest)(found, wanted)
  }
  if (Object.hasOwn(textual, operator)) return first !== undefined && (textual[operator] as TextTest)(value, first)
  if (operator === '<in>') return first !== undefined && value.includes(first)
  if (operator === '<all-in>') return operands.length > 0 && operands.every((word) => value.includes(word))
  // words are taken in pairs, as Nova does: a choice, then what stands where the next `<or>` belongs
  if (operator === '<or>') return operands.some((word, i) => i % 2 === 0 && word === value)
  return value === requirement
}

type NumberTest = (value: number, operand: number) => boolean
type TextTest = (value: string, operand: string) => boolean

const numeric: Readonly<Record<string, NumberTest>> = {
  '=': (a, b) => a >= b,
  '==': (a, b) => a === b,
  '!=': (a, b) => a !== b,
  '>=': (a, b) => a >= b,
  '<=': (a, b) => a <= b,
}

const textual: Readonly<Record<string, TextTest>> = {
  's==': (a, b) => a === b,
  's!=': (a, b) => a !== b,
  's>=': (a, b) => a >= b,
  's>': (a, b) => a > b,
  's<=': (a, b) => a <= b,
  's<': (a, b) => a < b,
}

/** Text as Python's float() reads it; undefined where it refuses. */
function toNumber(text: string | undefined): number | undefined {
  const trimmed = text?.trim().toLowerCase() ?? ''
  if (/^[+-]?nan$/.test(trimmed)) return Number.NaN
  const infinite = /^([+-]?)inf(inity)?$/.exec(trimmed)
  if (infinite !== null) return infinite[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  return /^[+-]?(\d+(_\d+)*\.?(\d+(_\d+)*)?|\.\d+(_\d+)*)(e[+-]?\d+(_\d+)*)?$/.test(trimmed)
    ? Number(trimmed.replaceAll('_', ''))
    : undefined
}
