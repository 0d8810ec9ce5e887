import { countDigits, digitsIn, isTooLong, MAX_DIGITS, plainDigits, readFloat } from '../../text/numbers.ts'
import { quote } from '../../text/problem.ts'
import { NovaError } from './nova-error.ts'

/** Parses text as Python's `int()` does. Throws ValueError. */
export function pythonInt(text: string): number {
  const digits = digitsIn(text)
  if (digits === undefined) throw new NovaError('ValueError', `${quote(text)} is not a whole number`)
  if (isTooLong(digits)) throw new NovaError('ValueError', `a number of ${countDigits(digits)} digits is longer than ${MAX_DIGITS}`)
  return Number(digits) + 0
}

/** Returns true if text is an integer as Python prints it: `2`, but not `02`, ` 2` or `+2`. */
export function isIntLike(text: string): boolean {
  return /^(0|-?[1-9]\d*)$/.test(text)
}

/** Parses text as Python's `float()` does. Throws ValueError. */
export function pythonFloat(text: string): number {
  const number = readFloat(text)
  if (number === undefined) throw new NovaError('ValueError', `${quote(text)} is not a number`)
  return number
}

/**
 * Parses a memory page size such as `2MB` or `1GiB`. The prefixes `K` to `Y`, with or without `i`, are powers of 1024. The unit is `B` for
 * bytes, or `b` or `bit` for bits. The result is in bytes, rounded up. Throws ValueError.
 */
export function bytesOf(text: string): number {
  const match = /^([-+]?(?:\p{Nd}*\.)?\p{Nd}+)([KMGTPEZY]i?)?(b|bit|B)\n?$/u.exec(text)
  if (match === null) throw new NovaError('ValueError', `${quote(text)} is not a size such as 2MB or 1GiB`)
  const [, digits = '', prefix, unit] = match
  const magnitude = Number(plainDigits(digits)) / (unit === 'B' ? 1 : 8)
  return Math.ceil(prefix === undefined ? magnitude : magnitude * 1024 ** ('KMGTPEZY'.indexOf(prefix.charAt(0)) + 1))
}
