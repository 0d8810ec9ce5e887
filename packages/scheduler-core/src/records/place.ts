/** A position in the log. By comparing positions, two replicas recognise whether they have the same history. */
export interface Place {
  readonly revision: number
  /** The id of the entry at this revision. Empty before the first entry. */
  readonly id: string
  /** The store's stamp of that entry, milliseconds since 1970. */
  readonly at: number
}

export const ORIGIN: Place = { revision: 0, id: '', at: 0 }
