import type { QueryField } from './query.ts'

/** The value of a field for a host. Null if the host does not report the field. */
export type HostValue = string | number | null | readonly string[] | ReadonlySet<string>

/** How a field of a host appears in filters, lists, columns and orders. `Host` is the data that `read` needs. */
export interface HostFieldRow<Host> extends QueryField {
  /** One to three words for the heading of a column, a facet or a group. */
  readonly label: string
  /** The name of the field in copied CSV and JSON, with its unit. It must not change, because users' scripts read it. */
  readonly copied: string
  /** The column of the API with the values of all hosts. `host` and `node` have no column, because every answer contains these names. */
  readonly column?: string
  /**
   * The type of the column's values: one text, a set of texts, or a number. The values of a field that hosts can omit from their reports
   * are sets: empty, or with the value as a text.
   */
  readonly holds?: 'code' | 'set' | 'number'
  /** The number in the column is the number in the field's unit, multiplied by this factor. Absent if both units are the same. */
  readonly scale?: number
  /** The columns from which a client can compute the values of this field. */
  readonly usedOf?: { readonly capacity: string; readonly free: string }
  /**
   * The order of hosts by this field in the API. Absent for `node`, because the order by name also compares nodes. Also absent for sets
   * such as traits, and for reported fields (`isReported`): in the API, the order by a reported field has the name of the field's column.
   */
  readonly order?: {
    readonly field: string
    readonly resourceClass?: string
    readonly description?: string
    /** True if the API's descending order corresponds to ascending order of this field. */
    readonly isReversed?: true
  }
  /** True if the values of the field are counted as a facet. */
  readonly isFacet?: true
  /** True if the field is data about the host's machine that hosts can omit from their reports. Hosts can be grouped by such a field. */
  readonly isReported?: true
  /** Reads the value of a host, in the unit of the column. */
  read(host: Host): HostValue
}
