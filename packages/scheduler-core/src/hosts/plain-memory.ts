import type { CellGrant, PageGrant } from '../records/grants.ts'
import type { HostStats } from '../report/stats.ts'
import type { CellLimits, PageState } from './cell-limits.ts'

/** The largest size of plain pages, which are pages that are not huge. They have 4 KiB, or 64 KiB on some architectures. */
const LARGEST_PLAIN_KIB = 64
const KIB_PER_MIB = 1_024

/** True if pages of this size are huge pages: the size is not the smallest of the cell, or is larger than plain pages of any machine. */
export const isHuge = (sizeKib: number, smallestKib: number): boolean => sizeKib > smallestKib || sizeKib > LARGEST_PLAIN_KIB

/** True if pages of this size can be plain pages on a machine. */
export const isPlainSize = (sizeKib: number): boolean => sizeKib <= LARGEST_PLAIN_KIB

interface ReportedPages {
  readonly sizeKib: number
  readonly total: number
  readonly reserved: number
}

/**
 * The memory of a cell outside of huge pages, in MiB. If the cell has no huge pages, this is all of its memory. If the report has the count
 * of plain pages, the result is at most the memory of these pages.
 */
export function plainMibOf(memoryMb: number, pages: readonly ReportedPages[]): number {
  const huge = hugeMib(pages, ({ total }) => total)
  if (huge === 0) return memoryMb
  const smallest = Math.min(...pages.map(({ sizeKib }) => sizeKib))
  const plain = pages.find(({ sizeKib }) => !isHuge(sizeKib, smallest))
  const counted = plain === undefined ? memoryMb : (plain.sizeKib * (plain.total - plain.reserved)) / KIB_PER_MIB
  return Math.max(0, Math.floor(Math.min(memoryMb - huge, counted)))
}

/** The memory of all huge pages of a cell, in MiB. `countOf` returns the count of pages of a size. */
function hugeMib<Size extends { readonly sizeKib: number }>(pages: readonly Size[], countOf: (size: Size) => number): number {
  const smallest = Math.min(...pages.map(({ sizeKib }) => sizeKib))
  let kib = 0
  for (const size of pages) if (isHuge(size.sizeKib, smallest)) kib += size.sizeKib * countOf(size)
  return kib / KIB_PER_MIB
}

/** The properties of a host cell that this file reads. */
interface MemoryOfCell {
  readonly id: number
  readonly memoryCapacity: number
  readonly memoryFree: number
  readonly pages?: readonly PageState[] | undefined
  readonly limits?: CellLimits | undefined
  readonly plainClaimed?: number
  readonly hugeCovered?: number
}

/** The memory of a cell's huge pages that are in use according to its report and its claims, in MiB. */
export const hugeMibUsed = ({ limits, pages }: MemoryOfCell): number =>
  limits === undefined || limits.hugeGiven === 0 || pages === undefined
    ? 0
    : Math.max(0, limits.hugeGiven - hugeMib(pages, ({ free }) => free))

/**
 * The memory of a cell in use outside of huge pages, in MiB: the reported memory usage minus the huge pages in use, plus the memory of
 * claims that the report does not count. Below feature level PLAIN_IN_CELLS, the huge pages in use are subtracted from the sum of reported
 * usage and claims.
 */
export function plainMibUsed(cell: MemoryOfCell): number {
  const { plainClaimed = 0, hugeCovered = 0 } = cell
  const reported = cell.limits?.reported
  if (reported !== undefined) return Math.max(0, plainMibReported(reported, hugeCovered) + plainClaimed)
  const used = cell.memoryCapacity - cell.memoryFree
  return Math.max(0, used - Math.max(0, hugeMibUsed(cell) - (cell.limits?.hugeApart ?? 0)))
}

/**
 * The memory that a report counts as used outside of huge pages, in MiB. The huge pages that are subtracted from the reported usage are
 * those that the report counts as used or those that claims hold (`hugeHeld`), whichever is more.
 */
export const plainMibReported = ({ memoryMb, hugeMb }: { readonly memoryMb: number; readonly hugeMb: number }, hugeHeld: number): number =>
  Math.max(0, memoryMb - Math.max(hugeMb, hugeHeld))

/** The memory of huge pages that a report counts as used, summed over all cells, in MiB. */
export const hugeMibReported = ({ numaCells }: Pick<HostStats, 'numaCells'>): number =>
  numaCells.reduce((sum, { pages }) => sum + hugeMib(pages, ({ used }) => used ?? 0), 0)

/**
 * The limits of a cell according to its report. `memoryRatio` multiplies an amount by the cell's overcommit ratio. `isApart` is true from
 * feature level PLAIN_IN_CELLS on. The limits then contain the reported memory usage, and the reported usage of huge pages separately.
 */
export function limitsOf(cell: HostStats['numaCells'][number], memoryRatio: (mib: number) => number, isApart: boolean): CellLimits {
  const plain = plainMibOf(cell.memoryMb, cell.pages)
  return {
    memoryMb: cell.memoryMb,
    plainMb: plain,
    plainCapacity: memoryRatio(plain),
    hugeGiven: hugeMib(cell.pages, ({ total, reserved }) => total - reserved),
    pagesGiven: cell.pages.map(({ sizeKib, total, reserved }) => ({ sizeKib, count: total - reserved })),
    hugeApart: cell.memoryUsageMb === null ? hugeMib(cell.pages, ({ used }) => used ?? 0) : 0,
    ...(isApart && { reported: { memoryMb: cell.memoryUsageMb ?? 0, hugeMb: hugeMib(cell.pages, ({ used }) => used ?? 0) } }),
  }
}

/** True if the pages of a grant are huge pages of the cell. */
export const isBackedByHuge = ({ pages }: Pick<MemoryOfCell, 'pages'>, backing: PageGrant | null | undefined): boolean =>
  backing !== null && backing !== undefined && isHuge(backing.sizeKib, pages?.[0]?.sizeKib ?? 0)

/**
 * The memory of grants that is in huge pages, in MiB. If the host has no cell with the id in a grant, only page sizes that are huge on
 * every machine are counted.
 */
export const hugeMibOf = (cells: readonly MemoryOfCell[], grants: readonly CellGrant[] = []): number =>
  grants.reduce((sum, { cell: id, memoryMb, pages }) => {
    if (pages === undefined) return sum
    const smallest = cells.find((cell) => cell.id === id)?.pages?.[0]?.sizeKib ?? pages.sizeKib
    return isHuge(pages.sizeKib, smallest) ? sum + memoryMb : sum
  }, 0)

/**
 * The maximum memory outside of huge pages that a cell has free for one guest, in MiB. With `isPinned` the guest has dedicated CPUs, so its
 * memory is never overcommitted.
 */
export function plainMibLeft(cell: MemoryOfCell, isPinned: boolean): number {
  const { limits } = cell
  if (limits === undefined) return Number.MAX_SAFE_INTEGER
  const used = plainMibUsed(cell)
  return Math.min(limits.plainMb, (isPinned ? Math.min(limits.plainMb, limits.plainCapacity) : limits.plainCapacity) - used)
}
