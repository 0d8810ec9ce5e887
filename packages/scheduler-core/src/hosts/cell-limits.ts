/** Memory pages of one size in a host cell. */
export interface PageState {
  readonly sizeKib: number
  readonly countsUse: boolean
  /** Pages that are neither used nor reserved. Negative if a report reduced the cell. */
  free: number
}

/** The number of pages of one size that instances can use, which are all pages that are not reserved. They may be in use or free. */
export interface PagesGiven {
  readonly sizeKib: number
  readonly count: number
}

/** The maximum memory of a cell for any one guest, in MiB. Overcommit does not raise it. */
export interface CellLimits {
  /** The limit for all memory of the cell. */
  readonly memoryMb: number
  /** The limit for memory outside of huge pages. */
  readonly plainMb: number
  /** The plain memory that may be allocated, including overcommit. */
  readonly plainCapacity: number
  /** The total number of huge pages that instances may have. */
  readonly hugeGiven: number
  /** The total number of pages for instances, by size. Empty if pages are not reported. */
  readonly pagesGiven: readonly PagesGiven[]
  /** The MiB of huge pages that the report counts as used pages but not as used memory. */
  readonly hugeApart: number
  /** The memory usage in the report, in total and in huge pages. Absent below feature level PLAIN_IN_CELLS. */
  readonly reported?: { readonly memoryMb: number; readonly hugeMb: number }
}
