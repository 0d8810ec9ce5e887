/** Memory pages of one size in a host cell. */
export interface PageState {
  readonly sizeKib: number
  readonly countsUse: boolean
  /** Pages neither used nor kept back; negative after a report that shrinks the cell. */
  free: number
}

/** What no guest may exceed, whatever is overcommitted, MiB. */
export interface CellLimits {
  /** All memory of the cell. */
  readonly memoryMb: number
  /** Of that, not set aside as huge pages. */
  readonly plainMb: number
  /** Of the plain memory that may be given, overcommit included. */
  readonly plainCapacity: number
  /** Huge pages that instances may have in all. */
  readonly hugeGiven: number
  /** Huge pages that the report counts as used, and not among its used memory. */
  readonly hugeApart: number
  /** What the report says is in use, of all memory and of huge pages; absent below feature level PLAIN_IN_CELLS. */
  readonly reported?: { readonly memoryMb: number; readonly hugeMb: number }
}
