import { type CellAsk, type CellState, hasRoom } from '../../hosts/cell.ts'
import type { HostTable } from '../../hosts/hosts.ts'
import { instancesLeft } from '../../text/amount-text.ts'
import { shareMissing } from '../../text/missing.ts'
import type { Reason } from '../../text/reason.ts'
import type { HostIndex } from '../../values/host-index.ts'
import type { NumaAsk } from './ask.ts'
import { cpusOf } from './pin.ts'
import { toGrant } from './place.ts'
import { isOfOneGuest, seatsOf, whatCellLacks } from './why.ts'

/** Guests with equal demands that are to be placed on one host. */
export interface Guests {
  readonly ask: Pick<NumaAsk, 'cells'>
  readonly count: number
  /** How many of the instances are already placed. */
  readonly placed: number
}

/** The number of guests of one kind that do not fit, and whether other guests of the request are placed or fit. */
export interface LeftOver {
  readonly count: number
  readonly areMore: boolean
}

/**
 * The shortfalls of the cells of a host for several guests together. As many guests as possible are placed one after the other. For the
 * remaining guests with equal demands, the shortfalls of the cells that lack least are returned. The result is empty if all guests are
 * placed, or if the host has fewer cells than one of the guests. Devices are ignored.
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

/** Places guests with equal demands until no further one fits. Returns the number of placed guests. */
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

/**
 * For each cell of the guest, the shortfall of the host cell that lacks the least for `over.count` guests. Each guest cell is compared with
 * a different host cell.
 */
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

/**
 * The shortfalls of one cell. A limit per guest is compared with the demand of one instance, and a free amount with the demand of all
 * instances.
 */
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

/** Adds the number of instances to the subject of a shortfall. */
export function namedAsLeft(reason: Reason, { count, areMore }: LeftOver): Reason {
  const who = instancesLeft(count, areMore)
  return { ...reason, subject: reason.subject?.replace(/^cell \d+/, (cell) => `${cell} of ${who}`) ?? `cells of ${who}` }
}
