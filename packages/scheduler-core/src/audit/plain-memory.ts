import type { HostStats } from '../fleet/stats.ts'
import type { Mismatch } from '../kinds/kind.ts'
import { floorOf } from './floor.ts'
import { type HostSums, heldBeside, hugeSizesOf } from './sums.ts'

const KIB_PER_MIB = 1_024

/** The memory of a host, as its report and what is set for it say, and MiB of it that are in use or held beside that. */
export interface AuditedMemory {
  readonly total: number
  readonly reserved: number
  readonly ratioMilli: number
  readonly taken: number
}

/**
 * From feature level PLAIN_IN_CELLS on: memory that is set aside as huge pages, and the other memory that instances have in cells and
 * outside of them, are together no more than the host's. Added up anew, with no line of what counts them.
 */
export function auditPlainMemory({ numaCells }: HostStats, memory: AuditedMemory, sums: HostSums): readonly Mismatch[] {
  const late = sums.latePlain
  const aside = numaCells.reduce((sum, { memoryMb, pages }) => sum + memoryMb - besideHuge(memoryMb, pages), 0)
  if (late === undefined || aside === 0) return []
  const capacity = floorOf(Math.max(0, memory.total - memory.reserved - aside), memory.ratioMilli)
  const taken = memory.taken - hugeMibTaken(numaCells, sums)
  if (taken <= capacity) return []
  return [{ code: 'state.over_capacity', field: 'memory outside of huge pages', expected: capacity, actual: taken, claim: late.id }]
}

type Pages = HostStats['numaCells'][number]['pages']

/** MiB of a cell beside its huge pages: no more than its small pages are, where it counts those. */
function besideHuge(memoryMb: number, pages: Pages): number {
  const sizes = hugeSizesOf(pages)
  if (!pages.some(({ sizeKib, total }) => sizes.has(sizeKib) && total > 0)) return memoryMb
  let left = memoryMb
  for (const { sizeKib, total } of pages) if (sizes.has(sizeKib)) left -= (sizeKib * total) / KIB_PER_MIB
  const plain = pages.find(({ sizeKib }) => !sizes.has(sizeKib))
  if (plain !== undefined) left = Math.min(left, (plain.sizeKib * (plain.total - plain.reserved)) / KIB_PER_MIB)
  return Math.max(0, Math.floor(left))
}

/** MiB of huge pages that the report counts as used, and that claims hold beside it. */
function hugeMibTaken(numaCells: HostStats['numaCells'], { cells }: HostSums): number {
  const huge = new Set(numaCells.flatMap(({ pages }) => [...hugeSizesOf(pages)]))
  let kib = 0
  for (const sizeKib of huge) {
    const inCell = new Map(numaCells.map(({ id, pages }) => [id, pages.find((size) => size.sizeKib === sizeKib)]))
    const anyCounts = [...inCell.values()].some((size) => size !== undefined && size.used !== null)
    const used = [...inCell.values()].reduce((sum, size) => sum + (size?.used ?? 0), 0)
    let beside = 0
    let covered = 0
    for (const [id, { pages }] of cells) {
      const held = pages.get(sizeKib)
      const own = inCell.get(id)
      const countsUse = own === undefined ? anyCounts : own.used !== null
      beside += heldBeside(held, countsUse)
      if (countsUse) covered += held?.unlessCounted ?? 0
    }
    kib += sizeKib * (Math.max(used, covered) + beside)
  }
  return kib / KIB_PER_MIB
}
