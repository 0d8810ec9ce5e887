/** Memory pages of one size in a host cell. */
export interface PageState {
  readonly sizeKib: number
  readonly countsUse: boolean
  /** Pages neither used nor kept back; negative after a report that shrinks the cell. */
  free: number
}

/** The most that any guest may use of the cell's memory, MiB; overcommit does not raise it. */
export interface CellLimits {
  /** All memory of the cell. */
  readonly memoryMb: number
  /** The memory that is not set aside as huge pages. */
  readonly plainMb: number
  /** The plain memory that may be allocated, overcommit included. */
  readonly plainCapacity: number
  /** The total number of huge pages that instances may have. */
  readonly hugeGiven: number
  /** Huge pages that the report counts as used, and not among its used memory. */
  readonly hugeApart: number
  /** The used memory by the report, in total and in huge pages; absent below feature level PLAIN_IN_CELLS. */
  readonly reported?: { readonly memoryMb: number; readonly hugeMb: number }
}
