import { InvalidArgumentError } from 'commander'

/** Returns the parser of an option that must be a whole number of this range, written in digits. */
export const wholeNumber =
  (least: number, most: number) =>
  (text: string): number => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
    if (value >= least && value <= most) return value
    throw new InvalidArgumentError(`It must be a whole number of ${least} to ${most}.`)
  }
