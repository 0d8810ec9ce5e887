import type { PageGrant } from '../records/grants.ts'
import type { NumaCellRequest } from '../request/request-spec.ts'
import { memoByObject } from '../values/memo.ts'
import type { CellLimits, PageState } from './cell-limits.ts'
import { isBackedByHuge, plainMibLeft } from './plain-memory.ts'

/**
 * A NUMA cell of a host as the host reports it. Claims are not subtracted. `countsCpu`, `countsMemory` and `countsPinned` are true if the
 * report has the used shared CPUs, the used memory and the pinned CPUs. What the report has then includes the usage of materialised claims.
 */
export interface CellInventory {
  readonly id: number
  readonly cpuset: readonly number[]
  /** The count of shared CPUs that can be allocated, including overcommit. */
  readonly cpuCapacity: number
  /** The memory in MiB that can be allocated, including overcommit. */
  readonly memoryCapacity: number
  readonly countsCpu: boolean
  readonly countsMemory: boolean
  readonly countsPinned: boolean
  readonly pinnedByReport: ReadonlySet<number>
  /** The CPUs that can be dedicated to one instance, in ascending order. Undefined if all CPUs of `cpuset` can be dedicated. */
  readonly dedicated?: readonly number[]
  /** The threads of each core. Cores are in the order of their first thread. If undefined, every CPU is a separate core. */
  readonly cores?: readonly (readonly number[])[]
  /** Pages by size, smallest first. Undefined if not reported. */
  readonly pages?: readonly PageState[]
  readonly socket?: number
  /** Absent below feature level STRICT_CLAIMS. */
  readonly limits?: CellLimits | undefined
}

/** Counts of a host cell's CPUs that are not dedicated to an instance. The counts are cached until the cell changes. */
interface FreeCpus {
  /** The count of CPUs of `cpuset` that are dedicated to an instance and therefore cannot be shared. */
  readonly unshared: number
  /** The count of free CPUs that can be dedicated to an instance. */
  readonly free: number
  /** At index n, the count of cores with at least n free threads. */
  readonly coresWith: readonly number[]
  /** Entry i is the count of threads of the first i + 1 entirely free cores. If undefined, every CPU is a separate core. */
  readonly wholeCores: readonly number[] | undefined
}

/** A NUMA cell of a host: its CPUs, memory and pages, with the reported use and the claims. */
export class CellState implements CellInventory {
  readonly id: number
  readonly cpuset: readonly number[]
  readonly cpuCapacity: number
  readonly memoryCapacity: number
  readonly countsCpu: boolean
  readonly countsMemory: boolean
  readonly countsPinned: boolean
  /** Free shared CPUs, and free memory in MiB. Negative if the host now reports a cell that is smaller than its usage and claims. */
  cpuFree: number
  memoryFree: number
  /** CPUs that the report lists as dedicated to one instance. */
  readonly pinnedByReport: ReadonlySet<number>
  /** For each CPU, the count of claims that have it as a dedicated CPU. */
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
    // Absent properties are not set to undefined, because replicas of older releases must compute the same digest of the fields.
    const { dedicated, cores, pages, socket } = inventory
    Object.assign(this, dedicated && { dedicated }, cores && { cores }, pages && { pages }, socket !== undefined && { socket })
  }

  /** Copies the cell for a copy of the fleet. */
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

  /** CPUs that can be dedicated to one instance if they are free. */
  get pinnable(): readonly number[] {
    return this.dedicated ?? this.cpuset
  }

  /**
   * The limits are a getter instead of a field, because every field changes the state digest, and replicas of older releases must compute
   * the same digest.
   */
  get limits(): CellLimits | undefined {
    return this.#limits
  }

  /**
   * MiB outside of huge pages that claims hold in addition to the reported usage. This is a getter instead of a field, because every field
   * changes the state digest.
   */
  get plainClaimed(): number {
    return this.#plainClaimed
  }

  claimPlain(mib: number): void {
    this.#plainClaimed += mib
  }

  /** MiB of huge pages that materialised claims hold, if the report counts them as used memory but not as used pages. */
  get hugeCovered(): number {
    return this.#hugeCovered
  }

  coverHuge(mib: number): void {
    this.#hugeCovered += mib
  }

  /** The CPU counts (`freeCpus`) of the cell if no CPU were dedicated to an instance. */
  get cpusInAll(): FreeCpus {
    return countFree({ cpuset: this.cpuset, dedicated: this.dedicated, cores: this.cores, pinnable: this.pinnable, ...UNPINNED })
  }

  get freeCpus(): FreeCpus {
    this.#free ??= countFree(this)
    return this.#free
  }

  isPinned(cpu: number): boolean {
    return this.pinnedByReport.has(cpu) || this.pinnedByClaims.has(cpu)
  }

  /** Adds or removes (-1) one claim that has the CPU as a dedicated CPU. */
  pin(cpu: number, by: 1 | -1): void {
    const holders = (this.pinnedByClaims.get(cpu) ?? 0) + by
    if (holders === 0) this.pinnedByClaims.delete(cpu)
    else this.pinnedByClaims.set(cpu, holders)
    this.#free = undefined
  }

  /** Removes the dedicated CPUs of all claims. */
  unpinAll(): void {
    this.pinnedByClaims.clear()
    this.#free = undefined
  }
}

/** The free fraction of a cell's CPUs or of its memory, whichever is smaller. Pinned CPUs are not free. */
export const freeRate = (cell: CellState): number =>
  Math.min(
    cell.cpuCapacity === 0 ? 0 : sharedCpusLeft(cell) / cell.cpuCapacity,
    cell.memoryCapacity === 0 ? 0 : cell.memoryFree / cell.memoryCapacity,
  )

/**
 * The count of shared CPUs that can still be allocated on the CPUs that are not pinned. Negative if the host now reports a cell that is
 * smaller than its claims.
 */
export function sharedCpusLeft(cell: CellState): number {
  const size = cell.cpuset.length
  const { unshared } = cell.freeCpus
  return (unshared === 0 ? cell.cpuCapacity : Math.floor(((size - unshared) * cell.cpuCapacity) / size)) - (cell.cpuCapacity - cell.cpuFree)
}

/**
 * True if one guest can get `shared` more shared CPUs while `pins` more CPUs of `cpuset` are pinned. A pinned CPU cannot be shared. If p of
 * n CPUs are pinned, floor((n - p) x capacity / n) shared CPUs can be allocated. If `limits` is set, one guest can have at most n - p.
 */
export function cpusFit(cell: CellState, shared: number, pins: number): boolean {
  return (
    cpusAreLeft(cell, shared, pins) &&
    (cell.limits === undefined || shared <= Math.max(0, cell.cpuset.length - cell.freeCpus.unshared - pins))
  )
}

/** Like `cpusFit`, but `shared` and `pins` are sums over several guests, so the limit for one guest is not checked. */
export function cpusAreLeft(cell: CellState, shared: number, pins: number): boolean {
  const size = cell.cpuset.length
  if (shared === 0 && cell.dedicated !== undefined && pins === 0) return true
  const unpinned = size - cell.freeCpus.unshared - pins
  if (unpinned < 0 || size === 0) return false
  return cell.cpuCapacity - cell.cpuFree + shared <= Math.floor((unpinned * cell.cpuCapacity) / size)
}

/** True if the host cell has enough free memory, shared CPUs, dedicated CPUs and pages for a guest cell. */
export function hasRoom(cell: CellState, ask: CellAsk): boolean {
  if (cell.memoryFree < ask.memoryMb) return false
  if (cell.limits !== undefined && !isWithinLimits(cell, ask)) return false
  if (ask.isPlain && cell.dedicated === undefined) return cpusFit(cell, ask.shared, ask.dedicated)
  const held = cpusHeld(cell, ask)
  return (
    held >= 0 && cpusFit(cell, ask.shared, pinsAmongShared(cell, held)) && (ask.pageSize === null || choosePages(cell, ask) !== undefined)
  )
}

/** True if the guest cell's memory is within the limits of the host cell. Huge pages and other memory have separate limits. */
function isWithinLimits(cell: CellState, ask: CellAsk): boolean {
  if (ask.memoryMb > (cell.limits?.memoryMb ?? ask.memoryMb)) return false
  if (ask.pageSize !== null && isBackedByHuge(cell, choosePages(cell, ask))) return true
  return ask.memoryMb <= plainMibLeft(cell, isPinned(ask))
}

/** True if a guest cell has dedicated CPUs. */
export const isPinned = ({ dedicated, emulator }: Pick<CellAsk, 'dedicated' | 'emulator'>): boolean => dedicated + emulator > 0

/**
 * The count of CPUs that a guest cell would use as dedicated CPUs, including sibling threads and the emulator's CPU. -1 if the host cell
 * has too few free threads.
 */
export function cpusHeld({ freeCpus }: Pick<CellState, 'freeCpus'>, { dedicated, emulator, threads }: CellAsk): number {
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

/**
 * How many shared CPUs are lost if `pins` CPUs are pinned. A host can report separate lists of shared and dedicated CPUs. A shared CPU is
 * then lost only if it is in both lists.
 */
function pinsAmongShared(cell: CellState, pins: number): number {
  if (cell.dedicated === undefined) return pins
  return pins === 0 ? 0 : Math.min(pins, sharedAndDedicated(cell))
}

/** The CPUs of a list as a set, for checking many CPUs. Cached, so the list must never change. */
export const cpuSetOf: (cpus: readonly number[]) => ReadonlySet<number> = memoByObject((cpus: readonly number[]) => new Set(cpus))

function sharedAndDedicated({ cpuset, dedicated = [] }: CellState): number {
  const shared = cpuSetOf(cpuset)
  let both = 0
  for (const cpu of dedicated) if (shared.has(cpu)) both++
  return both
}

/**
 * The page size and the page count for a guest cell: the first size with enough free pages, in the order that the guest prefers. Null if no
 * pages are counted for the guest cell. Undefined if no size has enough free pages.
 */
export function choosePages(
  { pages }: { readonly pages?: CellState['pages'] | undefined },
  { pageSize, memoryMb }: CellAsk,
): PageGrant | null | undefined {
  // Every host has small pages. If a report does not contain their count, only the free memory is checked.
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

/** The CPUs of a host cell, and the CPUs that are dedicated to instances. */
type CellCpus = Pick<CellState, 'cpuset' | 'pinnable' | 'pinnedByReport' | 'isPinned'> & {
  readonly pinnedByClaims: ReadonlyMap<number, number>
  readonly dedicated?: readonly number[] | undefined
  readonly cores?: readonly (readonly number[])[] | undefined
}

const UNPINNED: Pick<CellCpus, 'pinnedByReport' | 'pinnedByClaims' | 'isPinned'> = {
  pinnedByReport: new Set(),
  pinnedByClaims: new Map(),
  isPinned: () => false,
}

function countFree(cell: CellCpus): FreeCpus {
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

/** The resources that one guest cell needs from a host cell. */
export interface CellAsk {
  /** The id of the guest cell. */
  readonly guest: number
  /** The count of shared CPUs. */
  readonly shared: number
  readonly dedicated: number
  /** The count of CPUs for the emulator threads: 0 or 1. */
  readonly emulator: number
  /** The thread policy. `prefer` if the request sets none. */
  readonly threads: 'prefer' | 'isolate' | 'require'
  readonly memoryMb: number
  /** A page size in KiB, or a preference. Null if the request sets none. */
  readonly pageSize: NumaCellRequest['pageSize']
  /** True if the guest cell has no page size, no CPU for the emulator threads, and the thread policy `prefer`. */
  readonly isPlain: boolean
}
