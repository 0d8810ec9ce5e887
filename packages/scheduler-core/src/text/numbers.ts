/** An integer has at most this many digits, as in Python. */
export const MAX_DIGITS = 4300

/**
 * Reads a whole number as Python does, as in metadata, extra specs and hints: blanks around it, a sign, leading zeros, `_` between digits,
 * digits of any script. Undefined if the text is not a whole number.
 */
export function readInt(text: string): number | undefined {
  const digits = digitsIn(text)
  return digits === undefined || digits.length > MAX_DIGITS + 1 ? undefined : Number(digits) + 0
}

/** The sign and digits of a whole number of any length, without separators. */
export function digitsIn(text: string): string | undefined {
  const plain = plainDigits(withoutBlanks(text, isBlankOfNumbers))
  return /^[+-]?\d+(_\d+)*$/.test(plain) ? plain.replaceAll('_', '') : undefined
}

/** Reads a number as Python's float() does: also `1.5`, `.5`, `1e1`, `inf`, `nan`, but not `0x10`. */
export function readFloat(text: string): number | undefined {
  const plain = plainDigits(withoutBlanks(text, isBlankOfNumbers)).toLowerCase()
  if (/^[+-]?nan$/.test(plain)) return Number.NaN
  const infinite = /^([+-]?)inf(inity)?$/.exec(plain)
  if (infinite !== null) return infinite[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  if (!/^[+-]?(\d+(_\d+)*(\.(\d+(_\d+)*)?)?|\.\d+(_\d+)*)(e[+-]?\d+(_\d+)*)?$/.test(plain)) return undefined
  return Number(plain.replaceAll('_', ''))
}

/** Text without the characters around it that Python counts as blanks. */
export function trimBlanks(text: string): string {
  return withoutBlanks(text, isBlank)
}

/** Scans from both ends, since a regular expression for blanks at the end would be quadratic. */
function withoutBlanks(text: string, isOne: (unit: string) => boolean): string {
  let from = 0
  let to = text.length
  while (from < to && isOne(text.charAt(from))) from++
  while (to > from && isOne(text.charAt(to - 1))) to--
  return text.slice(from, to)
}

/** Words between characters that Python counts as blanks. */
export function wordsIn(text: string): string[] {
  const trimmed = trimBlanks(text)
  return trimmed === '' ? [] : trimmed.split(BLANKS_BETWEEN)
}

// Python's blanks are JavaScript's, with \x85 and the separators \x1c-\x1f, and without the byte order mark. The separators are not allowed
// in numbers.
const WIDE = '\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000'
const BLANK = `[\\t-\\r\\x1c- ${WIDE}]`
const BLANKS_BETWEEN = new RegExp(`${BLANK}+`)
const ONE_BLANK = new RegExp(BLANK)
const ONE_OF_NUMBERS = new RegExp(`[\\t-\\r ${WIDE}]`)
const isBlank = (unit: string): boolean => ONE_BLANK.test(unit)
const isBlankOfNumbers = (unit: string): boolean => ONE_OF_NUMBERS.test(unit)

/** Converts decimal digits of other scripts to 0 to 9. Their code points are in runs of ten, from zero to nine. */
export function plainDigits(text: string): string {
  return /^\p{ASCII}*$/u.test(text) ? text : text.replace(/\p{Nd}/gu, (digit) => String(digitValue(digit)))
}

function digitValue(digit: string): number {
  const code = digit.codePointAt(0) ?? 0
  let before = 0
  while (/^\p{Nd}$/u.test(String.fromCodePoint(code - before - 1))) before += 1
  return before % 10
}
