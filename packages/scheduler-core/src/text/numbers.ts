/** A text with more digits than this is not read as an integer, as in Python. */
export const MAX_DIGITS = 4300

/**
 * Reads a whole number as Python's int() does. Allowed are blanks around the number, a sign, leading zeros, `_` between digits, and digits
 * of any script. Undefined if the text is not a whole number or has too many digits. Metadata, extra specs and hints contain such numbers.
 */
export function readInt(text: string): number | undefined {
  const digits = digitsIn(text)
  return digits === undefined || isTooLong(digits) ? undefined : Number(digits) + 0
}

/** Returns true if a whole number has more digits than Python reads. A sign is no digit. */
export const isTooLong = (digits: string): boolean => countDigits(digits) > MAX_DIGITS

/** The count of the digits of a whole number from `digitsIn`. */
export const countDigits = (digits: string): number => digits.length - (/^[+-]/.test(digits) ? 1 : 0)

/** The sign and the digits of a whole number of any length, without `_`. Undefined if the text is not a whole number. */
export function digitsIn(text: string): string | undefined {
  const plain = plainDigits(withoutBlanks(text, isBlankOfNumbers))
  return /^[+-]?\d+(_\d+)*$/.test(plain) ? plain.replaceAll('_', '') : undefined
}

/** Reads a number as Python's float() does. `1.5`, `.5`, `1e1`, `inf` and `nan` are numbers, and `0x10` is not. */
export function readFloat(text: string): number | undefined {
  const plain = plainDigits(withoutBlanks(text, isBlankOfNumbers)).toLowerCase()
  if (/^[+-]?nan$/.test(plain)) return Number.NaN
  const infinite = /^([+-]?)inf(inity)?$/.exec(plain)
  if (infinite !== null) return infinite[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  if (!/^[+-]?(\d+(_\d+)*(\.(\d+(_\d+)*)?)?|\.\d+(_\d+)*)(e[+-]?\d+(_\d+)*)?$/.test(plain)) return undefined
  return Number(plain.replaceAll('_', ''))
}

/** Removes blanks at both ends of a text, as Python's strip() does. */
export function trimBlanks(text: string): string {
  return withoutBlanks(text, isBlank)
}

/** Removes blanks at both ends in a loop. A regular expression for blanks at the end would take quadratic time. */
function withoutBlanks(text: string, isOne: (unit: string) => boolean): string {
  let from = 0
  let to = text.length
  while (from < to && isOne(text.charAt(from))) from++
  while (to > from && isOne(text.charAt(to - 1))) to--
  return text.slice(from, to)
}

/** Splits a text at blanks, as Python's split() does. */
export function wordsIn(text: string): string[] {
  const trimmed = trimBlanks(text)
  return trimmed === '' ? [] : trimmed.split(BLANKS_BETWEEN)
}

// The characters that Python counts as blanks. Unlike in JavaScript, \x85 and the separators \x1c-\x1f are blanks, and the byte order mark
// is not. Around numbers, the separators are not allowed.
const WIDE = '\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000'
const BLANK = `[\\t-\\r\\x1c- ${WIDE}]`
const BLANKS_BETWEEN = new RegExp(`${BLANK}+`)
const ONE_BLANK = new RegExp(BLANK)
const ONE_OF_NUMBERS = new RegExp(`[\\t-\\r ${WIDE}]`)
const isBlank = (unit: string): boolean => ONE_BLANK.test(unit)
const isBlankOfNumbers = (unit: string): boolean => ONE_OF_NUMBERS.test(unit)

/** Converts the decimal digits of all scripts to 0 to 9. In Unicode, the ten digits of a script have consecutive code points. */
export function plainDigits(text: string): string {
  return /^\p{ASCII}*$/u.test(text) ? text : text.replace(/\p{Nd}/gu, (digit) => String(digitValue(digit)))
}

function digitValue(digit: string): number {
  const code = digit.codePointAt(0) ?? 0
  let before = 0
  while (/^\p{Nd}$/u.test(String.fromCodePoint(code - before - 1))) before += 1
  return before % 10
}
