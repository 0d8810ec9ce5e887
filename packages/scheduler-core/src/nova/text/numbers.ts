import { quote } from '../../problem.ts'
import { NovaError } from './nova-error.ts'

/** Digits that Python's `int()` reads at most. */
const MAX_DIGITS = 4300

/** Text as Python's `int()` reads it: blanks around, a sign, leading zeros, `_` between digits, digits of any script. Throws ValueError. */
export function pythonInt(text: string): number {
  const plain = plainDigits(withoutBlanks(text, isBlankOfNumbers))
  if (!/^[+-]?\d+(_\d+)*$/.test(plain)) throw new NovaError('ValueError', `${quote(text)} is no whole number`)
  const digits = plain.replaceAll('_', '')
  if (digits.length > MAX_DIGITS + 1) throw new NovaError('ValueError', `a number of ${digits.length} digits is longer than ${MAX_DIGITS}`)
  return Number(digits) + 0
}

/** Text as Python's `float()` reads it: also `1.5`, `.5`, `1e1`, `inf`, `nan`, never `0x10`. Throws ValueError. */
export function pythonFloat(text: string): number {
  const plain = plainDigits(withoutBlanks(text, isBlankOfNumbers)).toLowerCase()
  if (/^[+-]?nan$/.test(plain)) return Number.NaN
  const infinite = /^([+-]?)inf(inity)?$/.exec(plain)
  if (infinite !== null) return infinite[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  if (!/^[+-]?(\d+(_\d+)*(\.(\d+(_\d+)*)?)?|\.\d+(_\d+)*)(e[+-]?\d+(_\d+)*)?$/.test(plain)) {
    throw new NovaError('ValueError', `${quote(text)} is no number`)
  }
  return Number(plain.replaceAll('_', ''))
}

/** Whether text is a whole number as Python would print it: `2`, not `02`, ` 2` or `+2`. */
export function isIntLike(text: string): boolean {
  return /^(0|-?[1-9]\d*)$/.test(text)
}

/**
 * A size in bytes with the units of memory page sizes: `2048`-fold by `K`, `M`, ... `Y` with or without `i`, then `B`
 * for bytes or `b`, `bit` for bits, rounded up to whole bytes. Throws ValueError.
 */
export function bytesOf(text: string): number {
  const match = /^([-+]?(?:\p{Nd}*\.)?\p{Nd}+)([KMGTPEZY]i?)?(b|bit|B)\n?$/u.exec(text)
  if (match === null) throw new NovaError('ValueError', `${quote(text)} is no size such as 2MB or 1GiB`)
  const [, digits = '', prefix, unit] = match
  const magnitude = Number(plainDigits(digits)) / (unit === 'B' ? 1 : 8)
  return Math.ceil(prefix === undefined ? magnitude : magnitude * 1024 ** ('KMGTPEZY'.indexOf(prefix.charAt(0)) + 1))
}

/** Text without what Python counts as blanks around it. */
export function pythonStrip(text: string): string {
  return withoutBlanks(text, isBlank)
}

/** Looked for from both ends: an expression for blanks at the end tries each run of blanks in the text, all of it each time. */
function withoutBlanks(text: string, isOne: (unit: string) => boolean): string {
  let from = 0
  let to = text.length
  while (from < to && isOne(text.charAt(from))) from++
  while (to > from && isOne(text.charAt(to - 1))) to--
  return text.slice(from, to)
}

/** Words between what Python counts as blanks. */
export function pythonSplit(text: string): string[] {
  const stripped = pythonStrip(text)
  return stripped === '' ? [] : stripped.split(BLANKS_BETWEEN)
}

// Python's blanks are ours with \x85 and the separators \x1c-\x1f, but without the byte order mark; numbers refuse the separators
const WIDE = '\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000'
const BLANK = `[\\t-\\r\\x1c- ${WIDE}]`
const BLANKS_BETWEEN = new RegExp(`${BLANK}+`)
const ONE_BLANK = new RegExp(BLANK)
const ONE_OF_NUMBERS = new RegExp(`[\\t-\\r ${WIDE}]`)
const isBlank = (unit: string): boolean => ONE_BLANK.test(unit)
const isBlankOfNumbers = (unit: string): boolean => ONE_OF_NUMBERS.test(unit)

/** Decimal digits of other scripts as 0 to 9: they stand in runs of ten, each from zero to nine. */
function plainDigits(text: string): string {
  return /^\p{ASCII}*$/u.test(text) ? text : text.replace(/\p{Nd}/gu, (digit) => String(digitValue(digit)))
}

function digitValue(digit: string): number {
  const code = digit.codePointAt(0) ?? 0
  let before = 0
  while (/^\p{Nd}$/u.test(String.fromCodePoint(code - before - 1))) before += 1
  return before % 10
}

/** As pythonInt, with undefined where it refuses. */
export const readInt = (text: string): number | undefined => orUndefined(() => pythonInt(text))

/** As pythonFloat, with undefined where it refuses. */
export const readFloat = (text: string): number | undefined => orUndefined(() => pythonFloat(text))

function orUndefined(read: () => number): number | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof NovaError) return undefined
    throw error
  }
}
