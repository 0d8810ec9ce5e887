import { type CellAsk, type CellState, hasRoom } from '../../hosts/cell.ts'
import type { HostTable } from '../../hosts/hosts.ts'
import { instancesLeft } from '../../text/amount-text.ts'
import { shareMissing } from '../../text/missing.ts'
import type { Reason } from '../../text/reason.ts'
import type { HostIndex } from '../../values/host-index.ts'
import type { NumaAsk } from './ask.ts'
import { cpusOf } from './pin.ts'
import { toGrant } from './place.ts'
import { assignCells, isOfOneGuest, whatCellLacks } from './why.ts'

/** Guests with the same needs that are to be placed on one host. */
export interface Guests {
  readonly ask: Pick<NumaAsk, 'cells'>
  readonly count: number
  /** How many guests with these needs have already been placed. */
  readonly placed: number
}

/** Guests with the same needs that do not fit. */
export interface LeftOver {
  readonly count: number
  /** True if some guests of the request are already placed or fit. */
  readonly areMore: boolean
}

/**
 * The shortfalls of a host's cells for several guests. First, as many guests as possible are placed, one after the other. If guests do not
 * fit, the shortfalls of the host cells that need the smallest increase for them are returned. The result is empty if all guests fit, or if
 * a guest has more cells than the host. Devices are ignored.
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

/** Places up to `count` guests with the same needs on the cells, until a guest does not fit. Returns how many guests were placed. */
function sitDown(cells: readonly CellState[], guest: readonly CellAsk[], count: number): number {
  for (let assigned = 0; assigned < count; assigned++) {
    const assignedCells = assignCells(guest, cells)
    if (assignedCells.includes(undefined)) return assigned
    for (const [g, cell] of assignedCells.entries()) take(cell as CellState, guest[g] as CellAsk)
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
 * For each guest cell, the shortfalls of the host cell that needs the smallest increase for `over.count` guests. Different guest cells get
 * different host cells.
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
 * The shortfalls of one host cell. Limits for a single guest are compared with the needs of one guest. Free amounts are compared with the
 * needs of all guests that do not fit.
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

/** Adds the count of instances that do not fit to the subject of a shortfall. */
export function namedAsLeft(reason: Reason, { count, areMore }: LeftOver): Reason {
  const who = instancesLeft(count, areMore)
  return { ...reason, subject: reason.subject?.replace(/^cell \d+/, (cell) => `${cell} of ${who}`) ?? `cells of ${who}` }
}
