/** Memory pages of one size in a host cell. */
export interface PageState {
  readonly sizeKib: number
  readonly countsUse: boolean
  /** Pages that are neither used nor reserved; negative if a report made the cell smaller. */
  free: number
}

/** The pages of one size that are not reserved, used or not. */
export interface PagesGiven {
  readonly sizeKib: number
  readonly count: number
}

/** The maximum memory for any one guest, MiB; overcommit does not raise it. */
export interface CellLimits {
  /** All memory of the cell. */
  readonly memoryMb: number
  /** The memory that is not set aside as huge pages. */
  readonly plainMb: number
  /** The plain memory that may be allocated, overcommit included. */
  readonly plainCapacity: number
  /** The total number of huge pages that instances may have. */
  readonly hugeGiven: number
  /** The pages that instances may have in all, by size; empty if pages are not reported. */
  readonly pagesGiven: readonly PagesGiven[]
  /** Huge pages that the report counts as used, and not among its used memory. */
  readonly hugeApart: number
  /** The used memory by the report, in total and in huge pages; absent below feature level PLAIN_IN_CELLS. */
  readonly reported?: { readonly memoryMb: number; readonly hugeMb: number }
}
