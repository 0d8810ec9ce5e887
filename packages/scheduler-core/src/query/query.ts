/** How a field is compared: `:` any of the values, the others with one number or one time. */
export type QueryOperator = ':' | '>' | '>=' | '<' | '<='

/** One condition of a query, with its place in the text. */
export interface QueryTerm {
  /** Null: a bare word, looked for in the name. */
  readonly field: string | null
  readonly negated: boolean
  readonly operator: QueryOperator
  /** As written, without quotes. A `*` in a bare value stands for any run of characters; in a quoted one it is escaped as `\*`. */
  readonly values: readonly string[]
  readonly from: number
  readonly to: number
}

/** Conditions that must all hold. */
export interface Query {
  readonly terms: readonly QueryTerm[]
}

/** What is wrong with a text, and where: characters `from` to `to`. */
export interface QueryProblem {
  readonly message: string
  readonly from: number
  readonly to: number
}

/** Something that can be asked of a row. */
export interface QueryField {
  readonly name: string
  readonly aliases?: readonly string[]
  /** A time is compared by its order alone. */
  readonly kind: 'text' | 'enum' | 'number' | 'time'
  /** Of a number as the rows have it; what is written with another unit of its kind is converted. */
  readonly unit?: 'MiB' | 'GiB' | '%' | 's' | 'count'
  /** Of an enum. */
  readonly values?: readonly string[]
  readonly description: string
}

/** Whether more and less can be asked of it. */
export const isOrdered = ({ kind }: Pick<QueryField, 'kind'>): boolean => kind === 'number' || kind === 'time'
