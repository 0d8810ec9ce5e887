/** How a field is compared. `:` compares with any of several values, the others with one number or one time. */
export type QueryOperator = ':' | '>' | '>=' | '<' | '<='

/** One condition of a query, with its position in the text. */
export interface QueryTerm {
  /** Null for a bare word, which is searched in the row's name. */
  readonly field: string | null
  readonly negated: boolean
  readonly operator: QueryOperator
  /** The values as written, without quotes. `*` in a bare value matches any run of characters. In a quoted value it is escaped as `\*`. */
  readonly values: readonly string[]
  readonly from: number
  readonly to: number
}

/** Conditions that must all hold. */
export interface Query {
  readonly terms: readonly QueryTerm[]
}

/** A problem in a query's text, from the character `from` up to `to`. */
export interface QueryProblem {
  readonly message: string
  readonly from: number
  readonly to: number
}

/** A field of a row that a query can name. */
export interface QueryField {
  readonly name: string
  readonly aliases?: readonly string[]
  /** Times are only compared with <, <=, > and >=. */
  readonly kind: 'text' | 'enum' | 'number' | 'time'
  /** The unit of a number in the rows. Values in another unit are converted. */
  readonly unit?: 'MiB' | 'GiB' | '%' | 's' | 'count'
  /** The possible values of an enum. */
  readonly values?: readonly string[]
  readonly description: string
}

/** Whether a field can be compared with < and >. */
export const isOrdered = ({ kind }: Pick<QueryField, 'kind'>): boolean => kind === 'number' || kind === 'time'
