import type { HostIndex } from '../../fleet/columns.ts'
import type { HostTable } from '../../fleet/hosts.ts'
import type { Allotment } from '../pci/allot.ts'
import type { NumaAsk } from './ask.ts'
import { type CellState, hasRoom } from './cell.ts'
import { createMatcher, type Matcher } from './match.ts'

/**
 * Choices of cells that are looked at for devices, on one host. Hosts of eight cells never need more; where it ends
 * there, the host is refused.
 */
export const MAX_CHOICES = 2_000

/** Finds cells of hosts for the cells of a guest; one for each request, so that hosts share its work. */
export interface Placer {
  /** The first choice of cells in the order given, guest cell by guest cell; undefined where there is none. */
  place(hosts: HostTable, host: HostIndex, cells: readonly CellState[]): readonly CellState[] | undefined
  /** Whether there is any. */
  canPlace(hosts: HostTable, host: HostIndex, cells: readonly CellState[]): boolean
  /** How many of the guest's cells can sit on cells of their own at once. */
  countPlaced(cells: readonly CellState[]): number
  /** What the devices lack near the first choice of cells, where all guest cells have one. */
  shortNear(hosts: HostTable, host: HostIndex, cells: readonly CellState[]): Extract<Allotment, { ok: false }> | undefined
  /** Whether the last search for cells near the devices ended before it had seen all. */
  readonly isCut: boolean
}

export function createPlacer({ cells: guests, sameAs, nearness }: NumaAsk): Placer {
  const matcher = createMatcher()
  let isCut = false

  const countPlaced = (cells: readonly CellState[]): number => {
    fill(matcher, guests, sameAs, cells)
    return matcher.match()
  }
  const place = (hosts: HostTable, host: HostIndex, cells: readonly CellState[]): readonly CellState[] | undefined => {
    isCut = false
    if (cells.length < guests.length || countPlaced(cells) < guests.length) return undefined
    const first = matcher.firstChoice()
    const toCells = (chosen: readonly number[]) => chosen.map((c) => cells[c] as CellState)
    if (nearness === undefined) return toCells(first)
    const near = nearness.on(hosts, host, cells)
    const suits = (chosen: readonly number[]): boolean => near.allot(chosen).ok
    if (suits(first)) return toCells(first)
    if (!near.mayStill([], new Uint8Array(cells.length), guests.length)) return undefined
    const chosen = matcher.choiceThat(suits, near.mayStill, MAX_CHOICES)
    isCut = matcher.isCut
    return chosen && toCells(chosen)
  }
  return {
    place,
    canPlace: (hosts, host, cells) =>
      nearness === undefined
        ? cells.length >= guests.length && countPlaced(cells) === guests.length
        : place(hosts, host, cells) !== undefined,
    countPlaced,
    shortNear(hosts, host, cells) {
      if (countPlaced(cells) < guests.length) return undefined
      const allotted = nearness?.on(hosts, host, cells).allot(matcher.firstChoice())
      return allotted?.ok === false ? allotted : undefined
    },
    get isCut() {
      return isCut
    },
  }
}

/** Which cells have room for which of the guest's; those of the guest that ask the same are asked once. */
function fill(matcher: Matcher, guests: NumaAsk['cells'], sameAs: readonly number[], cells: readonly CellState[]): void {
  matcher.reset(guests.length, cells.length)
  for (const [g, guest] of guests.entries()) {
    const same = sameAs[g] as number
    if (same < g) matcher.copyRow(g, same)
    else for (const [c, cell] of cells.entries()) if (hasRoom(cell, guest)) matcher.allow(g, c)
  }
}
