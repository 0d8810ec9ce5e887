import { memoByObject } from '../../../values/memo.ts'
import { pinCpus } from '../pin-cpus.ts'
import type { Shortfall } from '../shortfall.ts'
import {
  freeCpus,
  type GuestCell,
  type HostCell,
  isPinned,
  isShared,
  type MemoryPages,
  type NumaLimits,
  PAGES,
  pinnableCpus,
  pinnedVcpus,
} from '../topology.ts'

/** The result of fitting a guest cell on a host cell. */
export interface CellFit {
  /**
   * The guest cell with the page size and the pins that were chosen. As in Nova, these choices stay in the cell even if a later rule
   * refuses.
   */
  readonly cell: GuestCell
  /**
   * Undefined if the guest cell fits. Otherwise a function that returns the shortfall. It is computed on demand, because most shortfalls
   * are never read.
   */
  readonly why: (() => Shortfall) | undefined
  /** How many rules passed. The host cell with the most passed rules is the nearest one, which a refusal names. */
  readonly rules: number
}

/**
 * Fits one guest cell on one host cell, with Nova's rules in Nova's order. A guest cell never gets more CPUs or pages than the host cell
 * has in total, whatever the ratios. Pinned CPUs and the memory of a pinned guest cell are never overcommitted.
 */
export function fitCell(host: HostCell, guest: GuestCell, limits: NumaLimits | null, emulatorCpus: number): CellFit {
  let cell = guest
  const refuse = (rules: number, why: () => Shortfall): CellFit => {
    return { cell, rules, why: () => ({ subject: `cell ${guest.id}`, ...why(), guestCell: guest.id, hostCell: host.id }) }
  }
  const pages = choosePages(host, guest)
  if (pages.why !== undefined) return refuse(0, pages.why)
  if (pages.pagesize !== guest.pagesize) cell = { ...cell, pagesize: pages.pagesize }
  const pinned = isPinned(guest) ? pinnedVcpus(guest).length + emulatorCpus : 0
  if (isPinned(guest) && pinned > pinnableCpus(host).length) return refuse(1, () => dedicatedShort(pinned, pinnableCpus(host).length))
  const shared = guest.cpuset.length
  if (isShared(guest) && shared > host.cpuset.length) return refuse(1, () => sharedShort(shared, host.cpuset.length))
  if (isPinned(guest)) {
    const free = freeCpus(host).count
    if (pinned > free) return refuse(2, () => dedicatedShort(pinned, free))
    const memory = host.memory - host.memoryUsage
    if (guest.memory > memory) return refuse(3, () => memoryShort(guest.memory, memory))
    const pinning = pinCpus(host, guest, emulatorCpus)
    if (pinning === undefined) return refuse(4, () => threadsShort(guest, pinned, free))
    const pairs = Object.fromEntries(pinnedVcpus(guest).map((vcpu, i) => [vcpu, pinning.cpus[i] as number]))
    cell = { ...cell, id: host.id, cpuPinning: { ...cell.cpuPinning, ...pairs }, cpusetReserved: pinning.reserved }
  }
  if (isShared(guest) && limits !== null) {
    const cpus = host.cpuset.length * limits.cpuAllocationRatio
    if (host.cpuUsage + shared > cpus) return refuse(5, () => sharedShort(shared, left(cpus, host.cpuUsage)))
    const memory = host.memory * limits.ramAllocationRatio
    if (host.memoryUsage + guest.memory > memory) return refuse(6, () => memoryShort(guest.memory, left(memory, host.memoryUsage)))
  }
  return { cell: cell.id === host.id ? cell : { ...cell, id: host.id }, why: undefined, rules: 7 }
}

type Pages = { readonly pagesize: number | null; readonly why?: undefined } | { readonly why: () => Shortfall }

/** The page sizes of a host cell, largest first. */
const pageSizes = memoByObject((host: HostCell) => host.mempages.map((pages) => pages.sizeKib).sort((a, b) => b - a))

/** Chooses the page size of a guest cell. A requested size needs enough free pages. The default size needs enough pages in total. */
function choosePages(host: HostCell, guest: GuestCell): Pages {
  const needKib = guest.memory * 1024
  if (!guest.pagesize) {
    const smallest = pageSizes(host).at(-1)
    if (smallest === undefined) return guest.memory > host.memory ? { why: () => memoryShort(guest.memory, host.memory) } : guest
    const why = pagesShort(host, smallest, needKib, (pages) => pages.total)
    return why === undefined ? guest : { why }
  }
  const wish = guest.pagesize
  const sizes = candidateSizes(host, wish)
  for (const sizeKib of sizes) if (pagesShort(host, sizeKib, needKib, freePages) === undefined) return { pagesize: sizeKib }
  return { why: () => nearestShort(host, sizes, needKib) ?? { code: 'numa.page_size', need: sizeText(wish), have: sizesText(host) } }
}

const freePages = (pages: MemoryPages): number => pages.total - pages.used - pages.reserved

/**
 * Returns the shortfall for one of the allowed page sizes: the size with the most free memory. Sizes that do not divide the guest's memory
 * come last.
 */
function nearestShort(host: HostCell, sizes: readonly number[], needKib: number): Shortfall | undefined {
  const freeKib = (sizeKib: number): number => freePages(host.mempages.find((one) => one.sizeKib === sizeKib) as MemoryPages) * sizeKib
  const distance = (sizeKib: number): number => (needKib % sizeKib === 0 ? 0 : needKib) - freeKib(sizeKib)
  const [nearest] = [...sizes].sort((a, b) => distance(a) - distance(b))
  return nearest === undefined ? undefined : pagesShort(host, nearest, needKib, freePages)?.()
}

/** The page sizes of the host that a requested page size (or kind of pages) allows, in the order in which they are tried. */
function candidateSizes(host: HostCell, pagesize: number): readonly number[] {
  const sizes = pageSizes(host)
  if (pagesize === PAGES.small) return sizes.slice(-1)
  if (pagesize === PAGES.large) return sizes.slice(0, -1)
  if (pagesize === PAGES.any) return sizes
  return sizes.includes(pagesize) ? [pagesize] : []
}

/**
 * Returns a function for the shortfall of pages of a size. Undefined if there are enough, and the size divides the guest's memory. Of
 * several entries with this size, only the first is read.
 */
function pagesShort(
  host: HostCell,
  sizeKib: number,
  needKib: number,
  count: (pages: MemoryPages) => number,
): (() => Shortfall) | undefined {
  const pages = host.mempages.find((one) => one.sizeKib === sizeKib) as MemoryPages
  if (needKib > count(pages) * sizeKib) {
    return () => ({ code: 'numa.pages', need: Math.ceil(needKib / sizeKib), have: count(pages), unit: `pages of ${sizeKib} KiB` })
  }
  if (needKib % sizeKib !== 0) return () => ({ code: 'numa.page_multiple', need: sizeKib, have: needKib, unit: 'KiB' })
  return undefined
}

function memoryShort(need: number, have: number): Shortfall {
  return { code: 'numa.memory', need, have, unit: 'MiB' }
}

function sharedShort(need: number, have: number): Shortfall {
  return { code: 'numa.cpus', need, have, unit: 'CPUs' }
}

function dedicatedShort(need: number, have: number): Shortfall {
  return { code: 'numa.dedicated_cpus', need, have, unit: 'CPUs' }
}

function threadsShort(guest: GuestCell, need: number, have: number): Shortfall {
  return { code: 'numa.threads', need, have, unit: 'CPUs', source: `thread policy ${guest.cpuThreadPolicy ?? 'prefer'}` }
}

/** The amount between usage and limit, rounded down. */
function left(limit: number, used: number): number {
  return Math.max(0, Math.floor(limit) - used)
}

function sizeText(pagesize: number): string {
  const wish = Object.entries(PAGES).find(([, size]) => size === pagesize)
  return wish === undefined ? `${pagesize} KiB` : `${wish[0]} pages`
}

function sizesText(host: HostCell): string {
  return host.mempages.length === 0 ? 'no page sizes' : host.mempages.map((pages) => `${pages.sizeKib} KiB`).join(', ')
}
