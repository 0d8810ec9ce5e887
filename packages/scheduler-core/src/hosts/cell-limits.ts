/**
 * Memory pages of one size in a host cell. `countsUse` is true if the report has the count of used pages, which then includes the pages of
 * materialised claims.
 */
export interface PageState {
  readonly sizeKib: number
  readonly countsUse: boolean
  /** The count of pages that are neither used, reserved nor claimed. Negative if the host reports fewer pages than claims hold. */
  free: number
}

/** The count of pages of one size that are not reserved. Pages in use are included. */
export interface PagesGiven {
  readonly sizeKib: number
  readonly count: number
}

/** The memory limits of a host cell, in MiB unless stated otherwise. */
export interface CellLimits {
  /** The maximum memory of one guest. Overcommit does not raise this maximum, because it only lets several guests share the memory. */
  readonly memoryMb: number
  /** The maximum memory of one guest outside of huge pages. Overcommit does not raise this maximum. */
  readonly plainMb: number
  /** The memory outside of huge pages that can be allocated to all guests together, including overcommit. */
  readonly plainCapacity: number
  /** The total memory of the huge pages that are not reserved. */
  readonly hugeGiven: number
  /** For each page size, the count of pages that are not reserved. Empty if pages are not reported. */
  readonly pagesGiven: readonly PagesGiven[]
  /** The memory of huge pages in use that the reported memory usage does not include. */
  readonly hugeApart: number
  /** The reported memory usage: all memory in use, and the part of it that is in huge pages. Absent below feature level PLAIN_IN_CELLS. */
  readonly reported?: { readonly memoryMb: number; readonly hugeMb: number }
}
