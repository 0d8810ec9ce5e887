/** A position in the log. If two replicas have equal positions, the entries of their logs up to this position are the same. */
export interface Place {
  readonly revision: number
  /** The id of the entry at this revision. Empty before the first entry. */
  readonly id: string
  /** The time stamp that the store set for that entry, in milliseconds since 1970. */
  readonly at: number
}

export const ORIGIN: Place = { revision: 0, id: '', at: 0 }
