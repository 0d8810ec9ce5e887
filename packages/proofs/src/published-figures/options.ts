import { InvalidArgumentError } from 'commander'
import { wholeNumber } from '../whole-number.ts'

/** The error for an invalid option. The message has the option, the given value and the allowed values. */
export class BadInputError extends Error {
  override readonly name = 'BadInputError'
}

/** Parses a whole number of 1 to 100,000. */
export const count = wholeNumber(1, 100_000)
/** Parses a whole number of 0 to 999,999,999. */
export const positive = wholeNumber(0, 999_999_999)
/** Parses a whole percentage, 0 to 100. */
export const percent = wholeNumber(0, 100)

/** Parses an option that must be one of these words. */
export const oneOf =
  (words: readonly string[]) =>
  (text: string): string => {
    if (words.includes(text)) return text
    throw new InvalidArgumentError(`It must be one of ${words.join(', ')}.`)
  }
