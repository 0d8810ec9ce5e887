import { at } from '../../fleet/columns.ts'
import type { HostTable } from '../../fleet/hosts.ts'
import { PLAIN_IN_CELLS } from '../../fleet/levels.ts'
import type { HostIndex } from '../../host-index.ts'
import { memoByObject } from '../../memo.ts'
import { hasPlainMemory, plainHeld } from '../classes/room.ts'
import type { CellGrant } from '../grants.ts'
import { heldByMover } from '../mover.ts'
import type { NumaAsk } from './ask.ts'
import type { CellAsk, CellState } from './cell.ts'
import { hugeMibOf, isPlainSize } from './plain-memory.ts'

/**
 * What the cells of a guest may ask of a host whose plain memory others have too: the guest's own ask; where the host has not so much plain
 * memory left, huge pages for those that would have any; undefined where that is too much as well. Guests that ask for no pages need no answer
 * here: that their memory finds room is for the amounts to say.
 */
export function askWithinPlain(hosts: HostTable, host: HostIndex, ask: NumaAsk): NumaAsk | undefined {
  if (!mayMatter(hosts, host, ask)) return ask
  const { cells } = hosts.get(host)
  if (hasPlain(hosts, host, mostPlain(cells, ask))) return ask
  const large = inLargePages(ask)
  return hasPlain(hosts, host, mostPlain(cells, large)) ? large : undefined
}

/** Whether cells that the guest keeps leave it plain memory enough. */
export const keptWithinPlain = (hosts: HostTable, host: HostIndex, ask: NumaAsk, kept: readonly CellGrant[]): boolean =>
  !mayMatter(hosts, host, ask) || hasPlain(hosts, host, (ask.outside ?? 0) + memoryOf(kept) - hugeMibOf(hosts.get(host).cells, kept))

/** The most plain memory that a guest could take of a host. */
export const mostPlain = (cells: readonly CellState[], { cells: guests, outside = 0 }: NumaAsk): number =>
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
