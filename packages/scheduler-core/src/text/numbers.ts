/** The most digits that a whole number may have, as in Python. */
export const MAX_DIGITS = 4300

/**
 * Numbers and words in metadata, extra specs and hints, which are written for readers in Python: blanks around, a sign, leading zeros, `_`
 * between digits, digits of any script. Undefined: the text is no whole number.
 */
export function readInt(text: string): number | undefined {
  const digits = digitsIn(text)
  return digits === undefined || digits.length > MAX_DIGITS + 1 ? undefined : Number(digits) + 0
}

/** The sign and digits of a whole number of any length, without what is between them. */
export function digitsIn(text: string): string | undefined {
  const plain = plainDigits(withoutBlanks(text, isBlankOfNumbers))
  return /^[+-]?\d+(_\d+)*$/.test(plain) ? plain.replaceAll('_', '') : undefined
}

/** The same for numbers with a fraction: also `1.5`, `.5`, `1e1`, `inf`, `nan`, never `0x10`. */
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

/** Scanned from both ends, since an expression for blanks at the end would scan each run of blanks repeatedly. */
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

// Python's blanks are JavaScript's with \x85 and the separators \x1c-\x1f, but without the byte order mark; numbers refuse the separators.
const WIDE = '\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000'
const BLANK = `[\\t-\\r\\x1c- ${WIDE}]`
const BLANKS_BETWEEN = new RegExp(`${BLANK}+`)
const ONE_BLANK = new RegExp(BLANK)
const ONE_OF_NUMBERS = new RegExp(`[\\t-\\r ${WIDE}]`)
const isBlank = (unit: string): boolean => ONE_BLANK.test(unit)
const isBlankOfNumbers = (unit: string): boolean => ONE_OF_NUMBERS.test(unit)

/** Decimal digits of other scripts as 0 to 9: their code points are in runs of ten, from zero to nine. */
export function plainDigits(text: string): string {
  return /^\p{ASCII}*$/u.test(text) ? text : text.replace(/\p{Nd}/gu, (digit) => String(digitValue(digit)))
}

function digitValue(digit: string): number {
  const code = digit.codePointAt(0) ?? 0
  let before = 0
  while (/^\p{Nd}$/u.test(String.fromCodePoint(code - before - 1))) before += 1
  return before % 10
}
