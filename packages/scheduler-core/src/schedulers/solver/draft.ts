/** A row of an integer program. It limits a sum of columns: `values[i]` is the factor of the column with the index `columns[i]`. */
export interface Row {
  readonly columns: readonly number[]
  readonly values: readonly number[]
  /** The sum of the row is at least `least` and at most `most`. Null means no limit. */
  readonly least: number | null
  readonly most: number | null
}

/** An integer program to which rows and columns are still added. */
export interface Draft {
  readonly objective: number[]
  readonly most: number[]
  readonly rows: Row[]
}
