import { InvalidArgumentError } from 'commander'

/** Parses an ISO 8601 duration of days, hours, minutes and seconds. */
export function duration(text: string): string {
  if (/^P(?=.)(\d+D)?(T(?=.)(\d+H)?(\d+M)?(\d+S)?)?$/.test(text)) return text
  throw new InvalidArgumentError('It must be an ISO 8601 duration such as PT10M.')
}

/** Parses an integer within these bounds. */
export const wholeNumber =
  (least: number, most: number) =>
  (text: string): number => {
    const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
    if (value >= least && value <= most) return value
    throw new InvalidArgumentError(`It must be a whole number of ${least} to ${most}.`)
  }

/** Parses one of these words, in upper or lower case. A hyphen is read as an underscore: live-migrate becomes LIVE_MIGRATE. */
export const oneOf =
  <Word extends string>(words: readonly Word[]) =>
  (text: string): Word => {
    const found = words.find((word) => word === text.toUpperCase().replaceAll('-', '_'))
    if (found !== undefined) return found
    throw new InvalidArgumentError(`It must be one of ${words.join(', ')}.`)
  }
