import { amountMissing, shareMissing } from '../text/missing.ts'

/** How far a host is from taking an instance. Distances are compared by `words`, then by `tooSmall`, then by `share`. */
export interface Distance {
  /** How many things are missing that are not amounts, such as a trait or the status of the host. */
  readonly words: number
  /** Of how many resources the host has too little even if nothing on it is in use. */
  readonly tooSmall: number
  /** The sum of the missing shares of the needed amounts. */
  readonly share: number
}

/** Nothing is missing. */
export const NO_DISTANCE: Distance = { words: 0, tooSmall: 0, share: 0 }

/** One thing that a host lacks. */
export interface Lacking {
  readonly required?: number | string | undefined
  readonly actual?: number | string | undefined
  /** True if the amount is too small even if nothing on the host is in use. */
  readonly isTotal?: boolean | undefined
}

/** The distance of a host that lacks only one thing. */
export function distanceFor({ required, actual, isTotal = false }: Lacking): Distance {
  const short = { need: required, have: actual }
  if (amountMissing(short) === undefined) return { words: 1, tooSmall: 0, share: 0 }
  return { words: 0, tooSmall: isTotal ? 1 : 0, share: limited(shareMissing(short)) }
}

/**
 * A share of at most 1 is unchanged. The share of an over-full host is larger; it is mapped to a value between 1 and 2 in the same order, so
 * that one resource does not outweigh all others.
 */
const limited = (share: number): number => (share <= 1 ? share : 2 - 1 / share)

export const compareDistances = (one: Distance, other: Distance): number =>
  one.words - other.words || one.tooSmall - other.tooSmall || rounded(one.share) - rounded(other.share)

/** Rounds a sum of shares, because sums of the same shares in a different order can differ in their last bits. */
const rounded = (share: number): number => Math.round(share * 1e9) / 1e9

/** The sum of distances by subject. Of several distances for the same subject, the largest values are used. */
export class DistanceSum implements Distance {
  words = 0
  tooSmall = 0
  share = 0
  readonly #subjects: string[] = []
  readonly #largest: Distance[] = []

  /** Adds one thing that the host lacks. */
  add(subject: string, { words, tooSmall, share }: Distance): void {
    const known = this.#subjects.indexOf(subject)
    const before = this.#largest[known]
    const after = {
      words: Math.max(before?.words ?? 0, words),
      tooSmall: Math.max(before?.tooSmall ?? 0, tooSmall),
      share: Math.max(before?.share ?? 0, share),
    }
    this.words += after.words - (before?.words ?? 0)
    this.tooSmall += after.tooSmall - (before?.tooSmall ?? 0)
    this.share += after.share - (before?.share ?? 0)
    if (before !== undefined) this.#largest[known] = after
    else {
      this.#subjects.push(subject)
      this.#largest.push(after)
    }
  }
}
