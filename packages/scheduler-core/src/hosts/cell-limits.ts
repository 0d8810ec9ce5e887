/** Memory pages of one size in a host cell. */
export interface PageState {
  readonly sizeKib: number
  readonly countsUse: boolean
  /** Pages that are neither used nor reserved. Negative if a report reduced the cell. */
  free: number
}

/** The number of pages of one size that are not reserved, whether used or free. */
export interface PagesGiven {
  readonly sizeKib: number
  readonly count: number
}

/** The maximum memory of a cell for any one guest, in MiB. Overcommit does not raise it. */
export interface CellLimits {
  /** All memory of the cell. */
  readonly memoryMb: number
  /** The memory outside of huge pages. */
  readonly plainMb: number
  /** The plain memory that may be allocated, including overcommit. */
  readonly plainCapacity: number
  /** The total number of huge pages that instances may have. */
  readonly hugeGiven: number
  /** The total number of pages for instances, by size. Empty if pages are not reported. */
  readonly pagesGiven: readonly PagesGiven[]
  /** Huge pages in MiB that the report counts as used, but not as part of its used memory. */
  readonly hugeApart: number
  /** The reported used memory, in total and in huge pages. Absent below feature level PLAIN_IN_CELLS. */
  readonly reported?: { readonly memoryMb: number; readonly hugeMb: number }
}
