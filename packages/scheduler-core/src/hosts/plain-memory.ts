import type { CellGrant, PageGrant } from '../records/grants.ts'
import type { HostStats } from '../report/stats.ts'
import type { CellLimits, PageState } from './cell-limits.ts'

/** The largest size of plain pages on any machine. Plain pages have 4 KiB, or 64 KiB on some architectures. */
const LARGEST_PLAIN_KIB = 64
const KIB_PER_MIB = 1_024

/** Whether pages of a cell with this size are huge pages: the size is not the smallest, or is larger than plain pages of any machine. */
export const isHuge = (sizeKib: number, smallestKib: number): boolean => sizeKib > smallestKib || sizeKib > LARGEST_PLAIN_KIB

/** Whether a machine's plain pages may have this size, regardless of its other sizes. */
export const isPlainSize = (sizeKib: number): boolean => sizeKib <= LARGEST_PLAIN_KIB

interface ReportedPages {
  readonly sizeKib: number
  readonly total: number
  readonly reserved: number
}

/**
 * The MiB of a cell outside of huge pages. If the report has the number of plain pages, the result is at most their size. If there are no
 * huge pages, it is all memory of the cell.
 */
export function plainMibOf(memoryMb: number, pages: readonly ReportedPages[]): number {
  const huge = hugeMib(pages, ({ total }) => total)
  if (huge === 0) return memoryMb
  const smallest = Math.min(...pages.map(({ sizeKib }) => sizeKib))
  const plain = pages.find(({ sizeKib }) => !isHuge(sizeKib, smallest))
  const counted = plain === undefined ? memoryMb : (plain.sizeKib * (plain.total - plain.reserved)) / KIB_PER_MIB
  return Math.max(0, Math.floor(Math.min(memoryMb - huge, counted)))
}

/** The MiB of all huge pages of a cell, with the number of each size from `countOf`. */
function hugeMib<Size extends { readonly sizeKib: number }>(pages: readonly Size[], countOf: (size: Size) => number): number {
  const smallest = Math.min(...pages.map(({ sizeKib }) => sizeKib))
  let kib = 0
  for (const size of pages) if (isHuge(size.sizeKib, smallest)) kib += size.sizeKib * countOf(size)
  return kib / KIB_PER_MIB
}

/** The properties of a host cell that describe its memory. */
interface MemoryOfCell {
  readonly id: number
  readonly memoryCapacity: number
  readonly memoryFree: number
  readonly pages?: readonly PageState[] | undefined
  readonly limits?: CellLimits | undefined
  readonly plainClaimed?: number
  readonly hugeCovered?: number
}

/** MiB of a cell that are in use as huge pages, by its report and its claims. */
export const hugeMibUsed = ({ limits, pages }: MemoryOfCell): number =>
  limits === undefined || limits.hugeGiven === 0 || pages === undefined
    ? 0
    : Math.max(0, limits.hugeGiven - hugeMib(pages, ({ free }) => free))

/**
 * The MiB of plain memory of a cell in use: the reported memory usage without the huge pages in use, plus the claims that the report does
 * not include. Below feature level PLAIN_IN_CELLS, huge pages in use are also subtracted from these claims.
 */
export function plainMibUsed(cell: MemoryOfCell): number {
  const { plainClaimed = 0, hugeCovered = 0 } = cell
  const reported = cell.limits?.reported
  if (reported !== undefined) return Math.max(0, plainMibReported(reported, hugeCovered) + plainClaimed)
  const used = cell.memoryCapacity - cell.memoryFree
  return Math.max(0, used - Math.max(0, hugeMibUsed(cell) - (cell.limits?.hugeApart ?? 0)))
}

/**
 * The MiB that a report counts as used outside of huge pages. The huge pages to subtract are those that the report counts, or those that
 * the claims of counted instances hold.
 */
export const plainMibReported = ({ memoryMb, hugeMb }: { readonly memoryMb: number; readonly hugeMb: number }, hugeHeld: number): number =>
  Math.max(0, memoryMb - Math.max(hugeMb, hugeHeld))

/** MiB of huge pages that a report counts as used, over all cells. */
export const hugeMibReported = ({ numaCells }: Pick<HostStats, 'numaCells'>): number =>
  numaCells.reduce((sum, { pages }) => sum + hugeMib(pages, ({ used }) => used ?? 0), 0)

/**
 * The limits of a cell according to its report. `memoryRatio` applies the overcommit ratio of the cell's memory. With `isApart`, the cell's
 * huge pages are never subtracted from the memory of claims.
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

/** Whether the pages of a grant are huge pages of the cell. */
export const isBackedByHuge = ({ pages }: Pick<MemoryOfCell, 'pages'>, backing: PageGrant | null | undefined): boolean =>
  backing !== null && backing !== undefined && isHuge(backing.sizeKib, pages?.[0]?.sizeKib ?? 0)

/** MiB of grants in huge pages of the host's cells. For a cell that the host no longer has, only sizes that are always huge are counted. */
export const hugeMibOf = (cells: readonly MemoryOfCell[], grants: readonly CellGrant[] = []): number =>
  grants.reduce((sum, { cell: id, memoryMb, pages }) => {
    if (pages === undefined) return sum
    const smallest = cells.find((cell) => cell.id === id)?.pages?.[0]?.sizeKib ?? pages.sizeKib
    return isHuge(pages.sizeKib, smallest) ? sum + memoryMb : sum
  }, 0)

/**
 * The maximum plain memory that a cell can still give one guest. With `isPinned` the guest has dedicated CPUs, so its memory is never
 * overcommitted.
 */
export function plainMibLeft(cell: MemoryOfCell, isPinned: boolean): number {
  const { limits } = cell
  if (limits === undefined) return Number.MAX_SAFE_INTEGER
  const used = plainMibUsed(cell)
  return Math.min(limits.plainMb, (isPinned ? Math.min(limits.plainMb, limits.plainCapacity) : limits.plainCapacity) - used)
}
