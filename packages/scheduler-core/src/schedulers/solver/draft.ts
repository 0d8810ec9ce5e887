export interface Row {
  readonly columns: readonly number[]
  readonly values: readonly number[]
  /** null means no limit. */
  readonly least: number | null
  readonly most: number | null
}

/** A program under construction. */
export interface Draft {
  readonly objective: number[]
  readonly most: number[]
  readonly rows: Row[]
}
