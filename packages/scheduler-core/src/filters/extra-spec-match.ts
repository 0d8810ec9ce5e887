/**
 * Nova's extra spec operators: how a requirement in a flavor matches a value of a host or aggregate. `=` means at least,
 * on numbers; `s==` and its kind compare text; `<in>`, `<all-in>` and `<or>` look inside; without an operator the two
 * must be equal. What cannot be compared (a number asked, a word found) does not match.
 */
export function extraSpecMatches(value: string, requirement: string): boolean {
  const [operator = '', ...operands] = requirement.trim().split(/\s+/)
  const rest = operands.join(' ')
  const first = operands[0]
  if (Object.hasOwn(numeric, operator))
    return (
      first !== undefined &&
      (numeric[operator] as NumberTest)(Number.parseFloat(value), Number.parseFloat(first)) &&
      isNumber(value) &&
      isNumber(first)
    )
  if (Object.hasOwn(textual, operator)) return first !== undefined && (textual[operator] as TextTest)(value, first)
  if (operator === '<in>') return first !== undefined && value.includes(first)
  if (operator === '<all-in>') return operands.length > 0 && operands.every((word) => value.includes(word))
  if (operator === '<or>') return ` ${rest} `.split(' <or> ').some((choice) => choice.trim() === value)
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

const isNumber = (text: string): boolean => /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i.test(text)
