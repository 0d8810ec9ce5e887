import { digitsIn, MAX_DIGITS, plainDigits, readFloat } from '../../text/numbers.ts'
import { quote } from '../../text/problem.ts'
import { NovaError } from './nova-error.ts'

/** Text as Python's `int()` reads it. Throws ValueError. */
export function pythonInt(text: string): number {
  const digits = digitsIn(text)
  if (digits === undefined) throw new NovaError('ValueError', `${quote(text)} is no whole number`)
  if (digits.length > MAX_DIGITS + 1) throw new NovaError('ValueError', `a number of ${digits.length} digits is longer than ${MAX_DIGITS}`)
  return Number(digits) + 0
}

/** Whether text is a whole number as Python would print it: `2`, not `02`, ` 2` or `+2`. */
export function isIntLike(text: string): boolean {
  return /^(0|-?[1-9]\d*)$/.test(text)
}

/** Text as Python's `float()` reads it. Throws ValueError. */
export function pythonFloat(text: string): number {
  const number = readFloat(text)
  if (number === undefined) throw new NovaError('ValueError', `${quote(text)} is no number`)
  return number
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
