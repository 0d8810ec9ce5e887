import { type CellState, cpuSetOf, cpusAreLeft } from '../../hosts/cell.ts'
import type { PageState } from '../../hosts/cell-limits.ts'
import { hugeMibOf, isHuge, plainMibReported } from '../../hosts/plain-memory.ts'
import type { CellGrant, PageGrant } from '../../records/grants.ts'
import { cpusOf } from './pin.ts'

/** A part of a claim on one NUMA cell. Each claim is split into parts of which the report counts either everything or nothing. */
export interface CellPiece {
  readonly cell: number
  /** The count of shared CPUs. */
  readonly cpus: number
  readonly memoryMb: number
  /** The part of the memory that is not in huge pages. */
  readonly plainMb: number
  /** The ids of dedicated CPUs. */
  readonly pins: readonly number[]
  readonly pages: PageGrant | undefined
}

/** Amounts summed over the cells of a host. */
export interface Amounts {
  cpus: number
  memoryMb: number
  plainMb: number
  pins: number
  /** For each page size in KiB, the count of pages. */
  readonly pages: Map<number, number>
}

/** True if all amounts of a piece are 0. */
export const isNothing = ({ cpus, memoryMb, pins, pages }: CellPiece): boolean =>
  cpus === 0 && memoryMb === 0 && pins.length === 0 && pages === undefined

export const takeMemory = (cell: CellState, amount: number): void => {
  cell.memoryFree -= amount
}

export const takeCpus = (cell: CellState, amount: number): void => {
  cell.cpuFree -= amount
}

export const takePagesOf = (state: PageState, count: number): void => {
  state.free -= count
}

export const hugeSizesOf = (cells: readonly CellState[]): readonly number[] => {
  const sizes = cells.flatMap(({ pages = [] }) =>
    pages.flatMap(({ sizeKib }) => (isHuge(sizeKib, pages[0]?.sizeKib ?? 0) ? [sizeKib] : [])),
  )
  return [...new Set(sizes)].sort((a, b) => a - b)
}

export const claimPlain = (cell: CellState, amount: number): void => cell.claimPlain(amount)

/** The reported usage of a cell's memory outside of huge pages, in MiB. */
export const plainUsedOf = ({ limits, hugeCovered }: CellState): number =>
  limits?.reported === undefined ? 0 : plainMibReported(limits.reported, hugeCovered)

/**
 * The amounts that a claim holds on a cell. `named` is the host's cell with the id in the claim. Undefined if the host has no such cell.
 */
export const pieceIn = (named: CellState | undefined, part: CellGrant): CellPiece => ({
  cell: part.cell,
  cpus: part.cpus,
  memoryMb: part.memoryMb,
  plainMb: part.memoryMb - hugeMibOf(named === undefined ? [] : [named], [part]),
  pins: cpusOf(part),
  pages: part.pages,
})

export function fitsIn(cell: CellState, { cpus, memoryMb, pins, pages }: CellPiece): boolean {
  if (memoryMb > 0 && memoryMb > cell.memoryFree) return false
  for (const cpu of pins) if (!cpuSetOf(cell.pinnable).has(cpu) || cell.isPinned(cpu)) return false
  if (new Set(pins).size < pins.length) return false
  if (cpus > 0 || pins.length > 0) {
    const unshared = cell.dedicated === undefined ? pins.length : pins.filter((cpu) => cpuSetOf(cell.cpuset).has(cpu)).length
    if (!cpusAreLeft(cell, cpus, unshared)) return false
  }
  if (pages === undefined) return true
  return (cell.pages ?? []).some(({ sizeKib, free }) => sizeKib === pages.sizeKib && free >= pages.count)
}

export function takeFrom(cell: CellState, { cpus, memoryMb, plainMb, pins, pages }: CellPiece, sign: 1 | -1): void {
  cell.cpuFree -= sign * cpus
  cell.memoryFree -= sign * memoryMb
  cell.claimPlain(sign * plainMb)
  for (const cpu of pins) cell.pin(cpu, sign)
  if (pages === undefined) return
  for (const state of cell.pages ?? []) if (state.sizeKib === pages.sizeKib) state.free -= sign * pages.count
}

/** The free CPUs of a cell that can be dedicated to an instance. */
export const openOf = (cell: CellState): readonly number[] => cell.pinnable.filter((cpu) => !cell.isPinned(cpu))

/** Free CPUs of a cell, at most as many as the piece needs. The CPUs that the piece names are first. */
export function freePinsOf(cell: CellState, { cell: named, pins }: CellPiece): readonly number[] {
  if (pins.length === 0) return pins
  const open = openOf(cell)
  const wanted = new Set(cell.id === named ? pins : [])
  return [...open.filter((cpu) => wanted.has(cpu)), ...open.filter((cpu) => !wanted.has(cpu))].slice(0, pins.length)
}

export function usedIn(cells: readonly CellState[], pages: ReadonlyMap<number, number>): Amounts {
  const used: Amounts = { cpus: 0, memoryMb: 0, plainMb: 0, pins: 0, pages: new Map(pages) }
  for (const { cpuCapacity, cpuFree, memoryCapacity, memoryFree, pinnedByReport } of cells) {
    used.cpus += cpuCapacity - cpuFree
    used.memoryMb += memoryCapacity - memoryFree
    used.pins += pinnedByReport.size
  }
  return used
}

export const copyOf = (amounts: Amounts | undefined): Amounts =>
  amounts === undefined
    ? { cpus: 0, memoryMb: 0, plainMb: 0, pins: 0, pages: new Map() }
    : { cpus: amounts.cpus, memoryMb: amounts.memoryMb, plainMb: amounts.plainMb, pins: amounts.pins, pages: new Map(amounts.pages) }

export function compareLists(a: readonly number[], b: readonly number[]): number {
  for (const [i, value] of a.entries()) {
    const other = b[i] ?? 0
    if (value !== other) return value - other
  }
  return a.length - b.length
}
