import { instancesLeft } from '../../amount-text.ts'
import type { HostTable } from '../../fleet/hosts.ts'
import type { HostIndex } from '../../host-index.ts'
import { shareMissing } from '../../missing.ts'
import type { Reason } from '../../reason.ts'
import type { NumaAsk } from './ask.ts'
import { type CellAsk, type CellState, hasRoom } from './cell.ts'
import { cpusOf } from './pin.ts'
import { toGrant } from './place.ts'
import { isOfOneGuest, seatsOf, whatCellLacks } from './why.ts'

/** Guests of one kind that are to be on a host. */
export interface Guests {
  readonly ask: Pick<NumaAsk, 'cells'>
  readonly count: number
  /** How many of them are there already. */
  readonly placed: number
}

/** Guests that have no room: how many, and whether others have some. */
export interface LeftOver {
  readonly count: number
  readonly areMore: boolean
}

/**
 * What the cells of a host lack for several guests at once: as many as can sit one after the other, and of those that are left all of a kind take
 * the cells that lack least for them. Empty: all of them sit, or the host has too few cells for one of them. Devices are not looked at.
 */
export function whatCellsLackFor(hosts: HostTable, host: HostIndex, guests: readonly Guests[]): readonly Reason[] {
  const cells = hosts.get(host).cells.map((cell) => cell.copy())
  if (guests.some(({ ask }) => ask.cells.length > cells.length)) return []
  let areMore = guests.some(({ placed }) => placed > 0)
  return guests.flatMap(({ ask, count }) => {
    const left = count - sitDown(cells, ask.cells, count)
    areMore ||= left < count
    return left === 0 ? [] : lacksOf(cells, ask.cells, { count: left, areMore })
  })
}

/** Seats guests of one kind, until there is no more room; returns how many sit. */
function sitDown(cells: readonly CellState[], guest: readonly CellAsk[], count: number): number {
  for (let seated = 0; seated < count; seated++) {
    const seats = seatsOf(guest, cells)
    if (seats.includes(undefined)) return seated
    for (const [g, cell] of seats.entries()) take(cell as CellState, guest[g] as CellAsk)
  }
  return count
}

function take(cell: CellState, guest: CellAsk): void {
  const part = toGrant(guest, cell)
  cell.cpuFree -= part.cpus
  cell.memoryFree -= part.memoryMb
  for (const cpu of cpusOf(part)) cell.pin(cpu, 1)
  const pages = cell.pages?.find(({ sizeKib }) => sizeKib === part.pages?.sizeKib)
  if (pages !== undefined) pages.free -= part.pages?.count ?? 0
}

/** Of the cells that are nearest to so many guests, each guest cell on one of its own: what these lack for all of them. */
function lacksOf(cells: readonly CellState[], guest: readonly CellAsk[], over: LeftOver): readonly Reason[] {
  const left = new Set(cells)
  return guest.flatMap((one) => {
    const [nearest] = [...left]
      .map((cell) => ({ cell, lacks: cellLacks(cell, one, over) }))
      .sort((a, b) => shareOf(a.lacks) - shareOf(b.lacks))
    if (nearest === undefined) return []
    left.delete(nearest.cell)
    return nearest.lacks
  })
}

const shareOf = (lacks: readonly Reason[]): number => lacks.reduce((sum, reason) => sum + shareMissing(reason), 0)

/** What no more than one guest may have is compared with one of them, what is left with all. */
function cellLacks(cell: CellState, guest: CellAsk, over: LeftOver): readonly Reason[] {
  const { count } = over
  const { shared, dedicated, emulator, memoryMb } = guest
  const all: CellAsk = {
    ...guest,
    ...{ shared: shared * count, dedicated: dedicated * count, emulator: emulator * count, memoryMb: memoryMb * count },
  }
  const alone = hasRoom(cell, guest) ? [] : whatCellLacks(cell, guest).filter(isOfOneGuest)
  const together = hasRoom(cell, all) ? [] : whatCellLacks(cell, all).filter((reason) => !isOfOneGuest(reason))
  return [...alone, ...together].map((reason) => namedAsLeft(reason, over))
}

/** Of what a cell of the host lacks, for how many instances it lacks it. */
export function namedAsLeft(reason: Reason, { count, areMore }: LeftOver): Reason {
  const who = instancesLeft(count, areMore)
  return { ...reason, subject: reason.subject?.replace(/^cell \d+/, (cell) => `${cell} of ${who}`) ?? `cells of ${who}` }
}
