import { type CellAsk, CellState } from '../../hosts/cell.ts'
import type { PageState } from '../../hosts/cell-limits.ts'
import type { HostTable } from '../../hosts/hosts.ts'
import { isHuge } from '../../hosts/plain-memory.ts'
import type { CellGrant } from '../../records/grants.ts'
import type { HostIndex } from '../../values/host-index.ts'
import type { NumaAsk } from './ask.ts'
import { cpusOf } from './pin.ts'
import { placerOf, toGrant } from './place.ts'

/** The assumed size of plain pages in KiB. Used if only huge page sizes are known. */
const PLAIN_KIB = 4

/**
 * Returns the part of an instance's held cells that meets an ask. Undefined if the held cells do not meet the ask. Each held cell is
 * treated as a host cell that has exactly the held resources. What the host has free at present does not matter.
 */
export function keepCells(hosts: HostTable, host: HostIndex, ask: NumaAsk, held: readonly CellGrant[]): readonly CellGrant[] | undefined {
  const here = hosts.get(host).cells
  const own = [...byCell(held)].map(([id, parts]) =>
    ownCell(
      id,
      parts,
      ask.cells,
      here.find((cell) => cell.id === id),
    ),
  )
  const cells = ask.cells.map((cell): CellAsk => (cell.threads === 'require' ? { ...cell, threads: 'prefer' } : cell))
  const placed = placerOf({ ...ask, cells }).place(hosts, host, own)
  const kept = placed?.map((cell, i) => toGrant(cells[i] as CellAsk, cell))
  if (kept === undefined || !isPartOf(kept, held) || !areThreadsTogether(kept, ask, here)) return undefined
  // if the ask needs all held resources, the held grant itself is returned, because its CPUs must keep their order
  const isAll = isPartOf(held, kept) && kept.every((part) => held.some((own) => isAlike(part, own)))
  return isAll && areThreadsTogether(held, ask, here) ? held : kept
}

/**
 * True if each guest cell with the thread policy `require` has CPUs only on cores with several threads, and at most one CPU that is the
 * guest cell's only CPU on its core. If the host does not report the cell, any CPUs are accepted.
 */
const areThreadsTogether = (grant: readonly CellGrant[], { cells }: NumaAsk, here: readonly CellState[]): boolean =>
  grant.every(({ guest, cell: id, pinned = [] }) => {
    const cell = here.find((one) => one.id === id)
    if (cell === undefined || cells.every((asked) => asked.guest !== guest || asked.threads !== 'require')) return true
    const cores = (cell.cores ?? []).filter(({ length }) => length > 1)
    const pins = new Set(pinned)
    const onCores = cores.map((core) => core.filter((cpu) => pins.has(cpu)).length)
    return onCores.reduce((sum, count) => sum + count, 0) === pinned.length && onCores.filter((count) => count === 1).length < 2
  })

const isAlike = (a: CellGrant, b: CellGrant): boolean =>
  a.guest === b.guest && a.cell === b.cell && a.pinned?.length === b.pinned?.length && a.siblings?.length === b.siblings?.length

/**
 * True if `held` contains everything in `grant`: for each cell, the shared CPUs, the dedicated CPUs, the pages, and the memory by page
 * size.
 */
export function isPartOf(grant: readonly CellGrant[], held: readonly CellGrant[]): boolean {
  const own = byCell(held)
  for (const [id, parts] of byCell(grant)) {
    const theirs = own.get(id) ?? []
    if (sharedOf(parts) > sharedOf(theirs)) return false
    const cpus = parts.flatMap(cpusOf)
    const mine = new Set(theirs.flatMap(cpusOf))
    if (new Set(cpus).size < cpus.length || cpus.some((cpu) => !mine.has(cpu))) return false
    const [memory, pages] = [memoryBySize(theirs), pagesBySize(theirs)]
    for (const [size, mib] of memoryBySize(parts)) if (mib > (memory.get(size) ?? 0)) return false
    for (const [size, count] of pagesBySize(parts)) if (count > (pages.get(size) ?? 0)) return false
  }
  return true
}

function ownCell(id: number, parts: readonly CellGrant[], guests: readonly CellAsk[], reported: CellState | undefined): CellState {
  const cpus = sharedOf(parts)
  const memoryMb = parts.reduce((sum, part) => sum + part.memoryMb, 0)
  // a claim with `siblings` (thread policy isolate) lists all threads of its cores, so the host's cores need not be read
  const hasNoSiblings = parts.every(({ siblings }) => siblings === undefined)
  const known = (hasNoSiblings ? reported?.cores : undefined) ?? coresOf(parts)
  const dedicated = parts.flatMap(cpusOf)
  const cores = guests.some(({ threads }) => threads === 'require') ? known && fullestFirst(known, dedicated) : known
  const pages = pagesIn(parts, reported)
  const inventory = {
    id,
    // only the count of shared CPUs matters, so their ids are made up
    cpuset: Array.from({ length: cpus }, (_, i) => -1 - i),
    cpuCapacity: cpus,
    memoryCapacity: memoryMb,
    ...{ countsCpu: false, countsMemory: false, countsPinned: false, pinnedByReport: new Set<number>() },
    dedicated,
    ...(cores !== undefined && { cores }),
    ...(pages !== undefined && { pages }),
    ...(reported?.socket !== undefined && { socket: reported.socket }),
  }
  return new CellState(inventory, 0, 0)
}

/**
 * Sorts cores by how many of `cpus` they contain, most first, then by their count of threads. If CPUs are taken in this order, as few CPUs
 * as possible are alone on their cores.
 */
function fullestFirst(cores: readonly (readonly number[])[], cpus: readonly number[]): readonly (readonly number[])[] {
  const held = new Set(cpus)
  const counted = cores.map((core) => ({ core, threads: core.filter((cpu) => held.has(cpu)).length }))
  return counted.sort((a, b) => b.threads - a.threads || b.core.length - a.core.length).map(({ core }) => core)
}

/** The cores of the held CPUs, as far as the claim shows them: each pinned CPU with its sibling threads that are kept free. */
function coresOf(parts: readonly CellGrant[]): readonly (readonly number[])[] | undefined {
  const all = parts.flatMap(({ pinned = [], siblings = [], emulator }) => {
    const others = pinned.length === 0 ? 0 : siblings.length / pinned.length
    const cores = pinned.map((cpu, i) => [cpu, ...siblings.slice(i * others, (i + 1) * others)])
    return [...cores, ...(emulator === undefined ? [] : [[emulator]])]
  })
  return all.some(({ length }) => length > 1) ? all : undefined
}

/** The held pages as free pages, for all page sizes that the instance holds or the host reports. Undefined if no pages are held. */
function pagesIn(parts: readonly CellGrant[], reported: CellState | undefined): readonly PageState[] | undefined {
  const counts = pagesBySize(parts)
  if (counts.size === 0) return undefined
  const sizes = new Set([...counts.keys(), ...(reported?.pages ?? []).map(({ sizeKib }) => sizeKib)])
  if (isHuge(Math.min(...sizes), Math.min(...sizes))) sizes.add(PLAIN_KIB)
  return [...sizes].sort((a, b) => a - b).map((sizeKib) => ({ sizeKib, countsUse: false, free: counts.get(sizeKib) ?? 0 }))
}

function byCell(grant: readonly CellGrant[]): ReadonlyMap<number, readonly CellGrant[]> {
  const cells = new Map<number, CellGrant[]>()
  for (const part of grant) cells.set(part.cell, [...(cells.get(part.cell) ?? []), part])
  return cells
}

const sharedOf = (parts: readonly CellGrant[]): number => parts.reduce((sum, { cpus }) => sum + cpus, 0)

/** For each page size in KiB, the memory in MiB. The key 0 is memory without a page size. */
const memoryBySize = (parts: readonly CellGrant[]) => summed(parts.map(({ pages, memoryMb }) => [pages?.sizeKib ?? 0, memoryMb]))

const pagesBySize = (parts: readonly CellGrant[]) => summed(parts.flatMap(({ pages }) => (pages ? [[pages.sizeKib, pages.count]] : [])))

function summed(amounts: readonly (readonly number[])[]): ReadonlyMap<number, number> {
  const sums = new Map<number, number>()
  for (const [size = 0, amount = 0] of amounts) sums.set(size, (sums.get(size) ?? 0) + amount)
  return sums
}
