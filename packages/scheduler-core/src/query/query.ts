/** How a field is compared: `:` with any of the values, the others with one number or one time. */
export type QueryOperator = ':' | '>' | '>=' | '<' | '<='

/** One condition of a query, with its position in the text. */
export interface QueryTerm {
  /** Null for a bare word, which is searched in the name. */
  readonly field: string | null
  readonly negated: boolean
  readonly operator: QueryOperator
  /** As written, without quotes. A `*` in a bare value matches any run of characters; in a quoted one it is escaped as `\*`. */
  readonly values: readonly string[]
  readonly from: number
  readonly to: number
}

/** Conditions that must all hold. */
export interface Query {
  readonly terms: readonly QueryTerm[]
}

/** A problem in a text, and its position: characters `from` to `to`. */
export interface QueryProblem {
  readonly message: string
  readonly from: number
  readonly to: number
}

/** A field of a row that a query can name. */
export interface QueryField {
  readonly name: string
  readonly aliases?: readonly string[]
  /** A time is only compared by its order. */
  readonly kind: 'text' | 'enum' | 'number' | 'time'
  /** The unit of a number in the rows; values in another unit of the same kind are converted. */
  readonly unit?: 'MiB' | 'GiB' | '%' | 's' | 'count'
  /** The values of an enum. */
  readonly values?: readonly string[]
  readonly description: string
}

/** Whether a field can be compared by its order. */
export const isOrdered = ({ kind }: Pick<QueryField, 'kind'>): boolean => kind === 'number' || kind === 'time'
