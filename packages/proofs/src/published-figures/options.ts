import { InvalidArgumentError } from 'commander'

/** The error for an invalid option. The message has the option, the given value and the allowed values. */
export class BadInputError extends Error {
  override readonly name = 'BadInputError'
}

const LARGEST_COUNT = 100_000

/** Parses a whole number of 1 to 100,000. */
export function count(text: string): number {
  const value = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN
  if (value >= 1 && value <= LARGEST_COUNT) return value
  throw new InvalidArgumentError(`It must be a whole number of 1 to ${LARGEST_COUNT}.`)
}

/** Parses a whole number of 0 to 999,999,999. */
export function positive(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number of 0 to 999999999.')
}

/** Parses a whole percentage, 0 to 100. */
export function percent(text: string): number {
  const value = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN
  if (value <= 100) return value
  throw new InvalidArgumentError('It must be a whole number of 0 to 100.')
}

/** Parses an option that must be one of these words. */
export const oneOf =
  (words: readonly string[]) =>
  (text: string): string => {
    if (words.includes(text)) return text
    throw new InvalidArgumentError(`It must be one of ${words.join(', ')}.`)
  }
