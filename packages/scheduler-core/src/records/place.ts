/** A position in the log, by which two replicas recognise the same history. */
export interface Place {
  readonly revision: number
  /** Id of the entry at that revision; `''` before the first. */
  readonly id: string
  /** The store's stamp of that entry, milliseconds since 1970. */
  readonly at: number
}

export const ORIGIN: Place = { revision: 0, id: '', at: 0 }
