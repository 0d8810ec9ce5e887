/** How a field is compared. `:` means that the field has one of the term's values. All other operators compare with one number or time. */
export type QueryOperator = ':' | '>' | '>=' | '<' | '<='

/** One condition of a query, with its position in the text: from the character `from` up to, but not including, `to`. */
export interface QueryTerm {
  /** Null for a bare word. A bare word is searched for in the texts that identify a row, such as names and ids. */
  readonly field: string | null
  readonly negated: boolean
  readonly operator: QueryOperator
  /**
   * The values without quotes. In an unquoted value, `*` matches any run of characters. In a quoted value, a star is an ordinary character,
   * and is stored here as `\*`.
   */
  readonly values: readonly string[]
  readonly from: number
  readonly to: number
}

/** A query. A row matches the query if it satisfies all terms of the query. */
export interface Query {
  readonly terms: readonly QueryTerm[]
}

/** A problem in the text of a query, with its position: from the character `from` up to, but not including, `to`. */
export interface QueryProblem {
  readonly message: string
  readonly from: number
  readonly to: number
}

/** A field of a row that a query can name. */
export interface QueryField {
  readonly name: string
  readonly aliases?: readonly string[]
  /** A time can only be compared with <, <=, > and >=. */
  readonly kind: 'text' | 'enum' | 'number' | 'time'
  /** The unit of the numbers in the rows. If a value in a query has another unit, the value is converted to this unit. */
  readonly unit?: 'MiB' | 'GiB' | '%' | 's' | 'count'
  /** The possible values of an enum. */
  readonly values?: readonly string[]
  readonly description: string
}

/** True if a field can be compared with < and >. */
export const isOrdered = ({ kind }: Pick<QueryField, 'kind'>): boolean => kind === 'number' || kind === 'time'
