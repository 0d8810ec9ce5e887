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

/** One thing that a host lacks. */
export interface Lacking {
  readonly required?: number | string | undefined
  readonly actual?: number | string | undefined
  /** Which amount is compared, such as the total of a resource. Absent for the free amount. */
  readonly amountOf?: string | undefined
}

/** The distance of a host that lacks only one thing. */
export function distanceFor({ required, actual, amountOf }: Lacking): Distance {
  const short = { need: required, have: actual }
  if (amountMissing(short) === undefined) return { words: 1, tooSmall: 0, share: 0 }
  return { words: 0, tooSmall: amountOf === 'in total' ? 1 : 0, share: limited(shareMissing(short)) }
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
  readonly #subjects: (string | undefined)[] = []
  readonly #largest: Distance[] = []

  /** Adds one thing that the host lacks. Things without a subject are always added. */
  add(subject: string | undefined, { words, tooSmall, share }: Distance): void {
    const known = subject === undefined ? -1 : this.#subjects.indexOf(subject)
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
