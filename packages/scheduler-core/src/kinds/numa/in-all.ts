import type { CellAsk, CellState } from '../../hosts/cell.ts'
import { at } from '../../hosts/columns.ts'
import type { HostTable } from '../../hosts/hosts.ts'
import { hugeMibOf, isPlainSize } from '../../hosts/plain-memory.ts'
import type { CellGrant } from '../../records/grants.ts'
import type { HostIndex } from '../../values/host-index.ts'
import { PLAIN_IN_CELLS } from '../../values/levels.ts'
import { memoByObject } from '../../values/memo.ts'
import { hasPlainMemory, plainHeld } from '../classes/room.ts'
import { heldByMover } from '../mover.ts'
import type { NumaAsk } from './ask.ts'

/**
 * Adapts an ask to the memory that the host has free outside of huge pages (plain memory). Usually returns the ask unchanged. If too little
 * plain memory is free, guest cells that accept any page size must use huge pages. Returns undefined if too little plain memory is free
 * even then. Guests without page sizes are not checked here, because the resource classes check their memory.
 */
export function askWithinPlain(hosts: HostTable, host: HostIndex, ask: NumaAsk): NumaAsk | undefined {
  if (!mayMatter(hosts, host, ask)) return ask
  const { cells } = hosts.get(host)
  if (hasPlain(hosts, host, maxPlain(cells, ask))) return ask
  const large = inLargePages(ask)
  return hasPlain(hosts, host, maxPlain(cells, large)) ? large : undefined
}

/** True if the host has enough memory outside of huge pages for a guest that keeps the cells in `kept`. */
export const keptWithinPlain = (hosts: HostTable, host: HostIndex, ask: NumaAsk, kept: readonly CellGrant[]): boolean =>
  !mayMatter(hosts, host, ask) || hasPlain(hosts, host, (ask.outside ?? 0) + memoryOf(kept) - hugeMibOf(hosts.get(host).cells, kept))

/** The largest amount of memory outside of huge pages that a guest can take on a host, in MiB. */
export const maxPlain = (cells: readonly CellState[], { cells: guests, outside = 0 }: NumaAsk): number =>
  outside + memoryOf(guests.filter((guest) => mayBePlain(cells, guest)))

const mayMatter = (hosts: HostTable, host: HostIndex, { cells }: NumaAsk): boolean =>
  hosts.featureLevel >= PLAIN_IN_CELLS && at(hosts.columns.hugePageMib, host) > 0 && cells.some(({ pageSize }) => pageSize !== null)

const hasPlain = (hosts: HostTable, host: HostIndex, mib: number): boolean =>
  hasPlainMemory(hosts, host, mib, plainHeld(hosts, host, heldByMover(hosts, host)?.classes?.MEMORY_MB ?? 0))

function mayBePlain(cells: readonly CellState[], { pageSize }: CellAsk): boolean {
  if (pageSize === null) return true
  if (pageSize === 'large' || (typeof pageSize === 'number' && !isPlainSize(pageSize))) return false
  return cells.some(({ pages }) => pages === undefined || isPlainSize(pages[0]?.sizeKib ?? 0))
}

const inLargePages = memoByObject(
  (ask: NumaAsk): NumaAsk => ({
    ...ask,
    cells: ask.cells.map((cell) => (cell.pageSize === 'any' ? { ...cell, pageSize: 'large' } : cell)),
  }),
)

const memoryOf = (parts: readonly { readonly memoryMb: number }[]): number => parts.reduce((sum, { memoryMb }) => sum + memoryMb, 0)
