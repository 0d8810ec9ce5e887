import type { Mismatch } from '../kinds/kind.ts'
import type { HostStats } from '../report/stats.ts'
import { floorOf } from './floor.ts'
import { type HostSums, hugeSizesOf } from './sums.ts'

const KIB_PER_MIB = 1_024

/** The memory of a host in MiB, according to its report and settings. `used` is the usage in the report. */
export interface AuditedMemory {
  readonly total: number
  readonly reserved: number
  readonly ratioMilli: number
  readonly used: number
}

/**
 * Checks the memory rule that applies from feature level PLAIN_IN_CELLS on. Huge pages and the plain memory of all instances together must
 * not exceed the memory of the host. Plain memory is memory outside of huge pages, in cells or not. The check shares no code with the
 * ledger whose result it checks.
 */
export function auditPlainMemory({ numaCells }: HostStats, memory: AuditedMemory, sums: HostSums): readonly Mismatch[] {
  const { late, always, unlessCounted } = sums.plain
  const aside = numaCells.reduce((sum, { memoryMb, pages }) => sum + memoryMb - withoutHugePages(memoryMb, pages), 0)
  if (late === undefined || aside === 0) return []
  const capacity = floorOf(Math.max(0, memory.total - memory.reserved - aside), memory.ratioMilli)
  const hugeCounted = (sums.classes.get('MEMORY_MB')?.unlessCounted ?? 0) - unlessCounted
  const taken = Math.max(0, unlessCounted, memory.used - Math.max(hugeMibUsed(numaCells), hugeCounted)) + always
  if (taken <= capacity) return []
  return [{ code: 'state.over_capacity', field: 'memory outside of huge pages', expected: capacity, actual: taken, claim: late.id }]
}

type Pages = HostStats['numaCells'][number]['pages']

/** MiB of a cell outside of its huge pages, limited to the size of its small pages if the cell reports small pages. */
function withoutHugePages(memoryMb: number, pages: Pages): number {
  const sizes = hugeSizesOf(pages)
  if (!pages.some(({ sizeKib, total }) => sizes.has(sizeKib) && total > 0)) return memoryMb
  let left = memoryMb
  for (const { sizeKib, total } of pages) if (sizes.has(sizeKib)) left -= (sizeKib * total) / KIB_PER_MIB
  const plain = pages.find(({ sizeKib }) => !sizes.has(sizeKib))
  if (plain !== undefined) left = Math.min(left, (plain.sizeKib * (plain.total - plain.reserved)) / KIB_PER_MIB)
  return Math.max(0, Math.floor(left))
}

/** MiB of huge pages that are in use according to the report. */
const hugeMibUsed = (numaCells: HostStats['numaCells']): number =>
  numaCells
    .flatMap(({ pages }) => pages.filter(({ sizeKib }) => hugeSizesOf(pages).has(sizeKib)))
    .reduce((mib, { sizeKib, used }) => mib + (sizeKib * (used ?? 0)) / KIB_PER_MIB, 0)
