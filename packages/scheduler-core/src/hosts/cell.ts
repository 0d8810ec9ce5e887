import type { PageGrant } from '../records/grants.ts'
import type { NumaCellRequest } from '../request/request-spec.ts'
import type { CellLimits, PageState } from './cell-limits.ts'
import { isBackedByHuge, plainMibLeft } from './plain-memory.ts'

/** The state of a host cell after its report is applied, without claims. */
export interface CellInventory {
  readonly id: number
  readonly cpuset: readonly number[]
  /** Shared CPUs that may be given, overcommit included. */
  readonly cpuCapacity: number
  /** MiB that may be given, overcommit included. */
  readonly memoryCapacity: number
  readonly countsCpu: boolean
  readonly countsMemory: boolean
  readonly countsPinned: boolean
  readonly pinnedByReport: ReadonlySet<number>
  /** CPUs that may be given to one instance alone, ascending; undefined: any of `cpuset`. */
  readonly dedicated?: readonly number[]
  /** Threads of each core, cores in the order of their first thread; undefined: every CPU is a core of its own. */
  readonly cores?: readonly (readonly number[])[]
  /** By size, smallest first; undefined: not reported. */
  readonly pages?: readonly PageState[]
  readonly socket?: number
  /** Absent below feature level STRICT_CLAIMS. */
  readonly limits?: CellLimits | undefined
}

/** Counts of a cell's CPUs that are not dedicated; cached until a change. */
interface FreeCpus {
  /** CPUs of `cpuset` that carry no shared ones any more. */
  readonly unshared: number
  /** CPUs that may still be given to one instance alone. */
  readonly free: number
  /** How many cores have at least this many free threads, by that number. */
  readonly coresWith: readonly number[]
  /** The threads of the first cores whose threads are all free; undefined: every CPU is a core of its own. */
  readonly wholeCores: readonly number[] | undefined
}

/** A NUMA cell of a host: its CPUs, memory and pages, the use by the report, and the claims in addition. */
export class CellState implements CellInventory {
  readonly id: number
  readonly cpuset: readonly number[]
  readonly cpuCapacity: number
  readonly memoryCapacity: number
  readonly countsCpu: boolean
  readonly countsMemory: boolean
  readonly countsPinned: boolean
  /** Shared CPUs and MiB still free; negative after a report that shrinks the cell. */
  cpuFree: number
  memoryFree: number
  /** CPUs that the report lists as given to one instance alone. */
  readonly pinnedByReport: ReadonlySet<number>
  /** How many claims hold a CPU for themselves; more than one only after a report and a claim met. */
  readonly pinnedByClaims = new Map<number, number>()
  #plainClaimed = 0
  #hugeCovered = 0
  declare readonly dedicated?: readonly number[]
  declare readonly cores?: readonly (readonly number[])[]
  declare readonly pages?: readonly PageState[]
  declare readonly socket?: number
  #free: FreeCpus | undefined
  readonly #limits: CellLimits | undefined

  constructor(inventory: CellInventory, cpuUsage: number, memoryUsage: number) {
    this.id = inventory.id
    this.cpuset = inventory.cpuset
    this.cpuCapacity = inventory.cpuCapacity
    this.memoryCapacity = inventory.memoryCapacity
    this.countsCpu = inventory.countsCpu
    this.countsMemory = inventory.countsMemory
    this.countsPinned = inventory.countsPinned
    this.cpuFree = inventory.cpuCapacity - cpuUsage
    this.memoryFree = inventory.memoryCapacity - memoryUsage
    this.pinnedByReport = inventory.pinnedByReport
    this.#limits = inventory.limits
    // only reported members: cells of older reports keep their form
    const { dedicated, cores, pages, socket } = inventory
    Object.assign(this, dedicated && { dedicated }, cores && { cores }, pages && { pages }, socket !== undefined && { socket })
  }

  /** A cell of another fleet that is as this one is now. */
  copy(): CellState {
    const { pages, limits } = this
    const copy = new CellState(pages === undefined ? this : { ...this, limits, pages: pages.map((page) => ({ ...page })) }, 0, 0)
    copy.cpuFree = this.cpuFree
    copy.memoryFree = this.memoryFree
    for (const [cpu, holders] of this.pinnedByClaims) copy.pinnedByClaims.set(cpu, holders)
    copy.#free = this.#free
    copy.#plainClaimed = this.#plainClaimed
    copy.#hugeCovered = this.#hugeCovered
    return copy
  }

  /** CPUs that can be dedicated to one instance, if they are free. */
  get pinnable(): readonly number[] {
    return this.dedicated ?? this.cpuset
  }

  /** A getter rather than a field, because releases are compared by their fields. */
  get limits(): CellLimits | undefined {
    return this.#limits
  }

  /** MiB outside of huge pages that claims hold in addition to what the report shows; no field either. */
  get plainClaimed(): number {
    return this.#plainClaimed
  }

  claimPlain(mib: number): void {
    this.#plainClaimed += mib
  }

  /** MiB in huge pages among the memory that the report shows, where it does not count these pages. */
  get hugeCovered(): number {
    return this.#hugeCovered
  }

  coverHuge(mib: number): void {
    this.#hugeCovered += mib
  }

  get freeCpus(): FreeCpus {
    this.#free ??= countFree(this)
    return this.#free
  }

  isPinned(cpu: number): boolean {
    return this.pinnedByReport.has(cpu) || this.pinnedByClaims.has(cpu)
  }

  /** One holder of a CPU more or less. */
  pin(cpu: number, by: 1 | -1): void {
    const holders = (this.pinnedByClaims.get(cpu) ?? 0) + by
    if (holders === 0) this.pinnedByClaims.delete(cpu)
    else this.pinnedByClaims.set(cpu, holders)
    this.#free = undefined
  }

  /** No claim holds a CPU for itself any more. */
  unpinAll(): void {
    this.pinnedByClaims.clear()
    this.#free = undefined
  }
}

/** The lesser of a cell's free shares of CPUs and of memory, 0..1. Pinned CPUs are not free. */
export const freeRate = (cell: CellState): number =>
  Math.min(
    cell.cpuCapacity === 0 ? 0 : sharedCpusLeft(cell) / cell.cpuCapacity,
    cell.memoryCapacity === 0 ? 0 : cell.memoryFree / cell.memoryCapacity,
  )

/** Shared CPUs that may still be given in addition to the pinned ones; negative after a report that shrinks the cell. */
export function sharedCpusLeft(cell: CellState): number {
  const size = cell.cpuset.length
  const { unshared } = cell.freeCpus
  return (unshared === 0 ? cell.cpuCapacity : Math.floor(((size - unshared) * cell.cpuCapacity) / size)) - (cell.cpuCapacity - cell.cpuFree)
}

/**
 * Whether `shared` more shared CPUs of one guest fit once `pins` more of `cpuset` are pinned. A pinned CPU carries no shared ones: with
 * p of n CPUs pinned, floor((n - p) x capacity / n) shared CPUs may be given, and where limits hold n - p of them to one guest.
 */
export function cpusFit(cell: CellState, shared: number, pins: number): boolean {
  return (
    cpusAreLeft(cell, shared, pins) &&
    (cell.limits === undefined || shared <= Math.max(0, cell.cpuset.length - cell.freeCpus.unshared - pins))
  )
}

/** The same regardless of the owners: several guests may each have some. */
export function cpusAreLeft(cell: CellState, shared: number, pins: number): boolean {
  const size = cell.cpuset.length
  if (shared === 0 && cell.dedicated !== undefined && pins === 0) return true
  const unpinned = size - cell.freeCpus.unshared - pins
  if (unpinned < 0 || size === 0) return false
  return cell.cpuCapacity - cell.cpuFree + shared <= Math.floor((unpinned * cell.cpuCapacity) / size)
}

/** Whether a cell can take a guest's cell: its memory, its shared CPUs, CPUs of its own, and pages. */
export function hasRoom(cell: CellState, ask: CellAsk): boolean {
  if (cell.memoryFree < ask.memoryMb) return false
  if (cell.limits !== undefined && !isWithinLimits(cell, ask)) return false
  if (ask.isPlain && cell.dedicated === undefined) return cpusFit(cell, ask.shared, ask.dedicated)
  const held = cpusHeld(cell, ask)
  return (
    held >= 0 && cpusFit(cell, ask.shared, pinsAmongShared(cell, held)) && (ask.pageSize === null || choosePages(cell, ask) !== undefined)
  )
}

/** Whether a guest's cell gets its memory of the sort that it asks for; huge pages are counted by themselves. */
function isWithinLimits(cell: CellState, ask: CellAsk): boolean {
  if (ask.memoryMb > (cell.limits?.memoryMb ?? ask.memoryMb)) return false
  if (ask.pageSize !== null && isBackedByHuge(cell, choosePages(cell, ask))) return true
  return ask.memoryMb <= plainMibLeft(cell, isPinned(ask))
}

/** Whether a guest's cell has CPUs of its own. */
export const isPinned = ({ dedicated, emulator }: Pick<CellAsk, 'dedicated' | 'emulator'>): boolean => dedicated + emulator > 0

/** How many CPUs of a cell a guest's cell holds for itself, siblings and emulator included; -1 where its threads do not allow it. */
export function cpusHeld({ freeCpus }: CellState, { dedicated, emulator, threads }: CellAsk): number {
  const { free, coresWith, wholeCores } = freeCpus
  const wanted = dedicated + emulator
  if (wanted === 0) return 0
  if (threads === 'isolate') {
    const held = wholeCores === undefined || dedicated === 0 ? dedicated : (wholeCores[dedicated - 1] ?? free + 1)
    return held + emulator <= free ? held + emulator : -1
  }
  if (wanted > free) return -1
  if (threads === 'require' && !coresWith.some((cores, threadsFree) => threadsFree > 1 && threadsFree * cores >= dedicated)) return -1
  return wanted
}

/** How many of this many pinned CPUs no longer carry shared ones: if only some of them are shared, at most so many. */
function pinsAmongShared(cell: CellState, pins: number): number {
  if (cell.dedicated === undefined) return pins
  return pins === 0 ? 0 : Math.min(pins, sharedAndDedicated(cell))
}

function sharedAndDedicated({ cpuset, dedicated = [] }: CellState): number {
  const shared = new Set(cpuset)
  let both = 0
  for (const cpu of dedicated) if (shared.has(cpu)) both++
  return both
}

/** The pages that back a guest's cell: of the sizes that it may have, in the order of its wish, the first of which enough are free. */
export function choosePages({ pages }: CellState, { pageSize, memoryMb }: CellAsk): PageGrant | null | undefined {
  // every host has small pages: one that does not report how many counts them as memory
  if (pages === undefined) return pageSize === 'small' || pageSize === 'any' || pageSize === null ? null : undefined
  if (pageSize === null) return null
  const needKib = memoryMb * 1_024
  const [from, to] = pageSize === 'large' ? [pages.length - 1, 1] : pageSize === 'small' ? [0, 0] : [pages.length - 1, 0]
  for (let i = from; i >= to; i--) {
    const { sizeKib, free } = pages[i] as PageState
    if (typeof pageSize === 'number' && sizeKib !== pageSize) continue
    if (needKib % sizeKib === 0 && needKib / sizeKib <= free) return { sizeKib, count: needKib / sizeKib }
  }
  return undefined
}

function countFree(cell: CellState): FreeCpus {
  const { cpuset, dedicated, cores, pinnedByReport, pinnedByClaims } = cell
  let pinned = pinnedByReport.size
  for (const cpu of pinnedByClaims.keys()) if (!pinnedByReport.has(cpu)) pinned++
  if (dedicated === undefined && cores === undefined) {
    return { unshared: pinned, free: cpuset.length - pinned, coresWith: [], wholeCores: undefined }
  }
  const open = new Set(cell.pinnable.filter((cpu) => !cell.isPinned(cpu)))
  const unshared = dedicated === undefined ? pinned : cpuset.filter((cpu) => cell.isPinned(cpu)).length
  if (cores === undefined) return { unshared, free: open.size, coresWith: [], wholeCores: undefined }
  const coresWith: number[] = []
  const wholeCores: number[] = []
  for (const core of cores) {
    let threads = 0
    for (const cpu of core) if (open.has(cpu)) threads++
    for (let n = 1; n <= threads; n++) coresWith[n] = (coresWith[n] ?? 0) + 1
    if (threads === core.length) wholeCores.push((wholeCores.at(-1) ?? 0) + threads)
  }
  return { unshared, free: open.size, coresWith, wholeCores }
}

/** What one cell of a guest asks of a cell of the host. */
export interface CellAsk {
  /** The guest's cell. */
  readonly guest: number
  /** CPUs that it shares with others, and CPUs for itself. */
  readonly shared: number
  readonly dedicated: number
  /** CPUs for the threads of the emulator: one or none. */
  readonly emulator: number
  /** `prefer` if the request sets none. */
  readonly threads: 'prefer' | 'isolate' | 'require'
  readonly memoryMb: number
  /** A size in KiB, or a wish; null: nothing is asked of pages. */
  readonly pageSize: NumaCellRequest['pageSize']
  /** Nothing but numbers of CPUs and memory is asked. */
  readonly isPlain: boolean
}
