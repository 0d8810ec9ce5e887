import type { HostTable } from '../../fleet/hosts.ts'
import type { HostIndex } from '../../host-index.ts'
import { memoByObject } from '../../memo.ts'
import type { Reason } from '../../reason.ts'
import type { CellGrant } from '../grants.ts'
import type { Nearness } from '../near-cell.ts'
import type { NumaAsk } from './ask.ts'
import { type CellAsk, type CellState, choosePages, hasRoom } from './cell.ts'
import { createMatcher, type Matcher } from './match.ts'
import { choosePins } from './pin.ts'

/**
 * Steps of the search for cells near to devices, on one host. Half of eight cells are found with fewer, whatever the
 * devices are; where it ends there, the host is refused.
 */
export const MAX_CHOICES = 600

/** A cell for a guest of one; what most requests ask needs no more than this. */
export const placeAlone = (guest: CellAsk, cells: readonly CellState[]): CellState | undefined => {
  for (let c = 0; c < cells.length; c++) if (hasRoom(cells[c] as CellState, guest)) return cells[c]
  return undefined
}

/** Finds cells of hosts for the cells of a guest. */
export interface Placer {
  /** The first choice of cells in the order given, guest cell by guest cell; undefined where there is none. */
  place(hosts: HostTable, host: HostIndex, cells: readonly CellState[]): readonly CellState[] | undefined
  /** Whether there is any. */
  canPlace(hosts: HostTable, host: HostIndex, cells: readonly CellState[]): boolean
  /** How many of the guest's cells can sit on cells of their own at once. */
  countPlaced(cells: readonly CellState[]): number
  /** What the devices lack near the first choice of cells, where all guest cells have one. */
  shortNear(hosts: HostTable, host: HostIndex, cells: readonly CellState[]): Reason | undefined
  /** Whether the last search for cells near the devices ended before it had seen all. */
  readonly isCut: boolean
}

/** The placer of a request: one for all hosts, so that they share its work. */
export const placerOf = memoByObject(createPlacer)

function createPlacer({ cells: guests, sameAs, nearness, wished }: NumaAsk): Placer {
  const matcher = createMatcher()
  /** What was searched for, by all that it depends on: most hosts are like others. */
  const searched = new Map<string, { readonly chosen: readonly number[] | undefined; readonly isCut: boolean }>()
  let isCut = false

  const canPlaceAll = (cells: readonly CellState[]): boolean =>
    cells.length >= guests.length && fill(matcher, guests, sameAs, cells) && matcher.match() === guests.length
  const placeBy = (
    wanted: Nearness | undefined,
    hosts: HostTable,
    host: HostIndex,
    cells: readonly CellState[],
  ): readonly CellState[] | undefined => {
    isCut = false
    if (!canPlaceAll(cells)) return undefined
    const first = matcher.firstChoice()
    const toCells = (chosen: readonly number[]) => chosen.map((c) => cells[c] as CellState)
    if (wanted === undefined) return toCells(first)
    const near = wanted.on(hosts, host, cells)
    const suits = (chosen: readonly number[]): boolean => near.shortOf(chosen) === undefined
    if (suits(first)) return toCells(first)
    if (!near.mayStill([], new Uint8Array(cells.length), guests.length)) return undefined
    const key = `${matcher.key}|${near.key}`
    let search = searched.get(key)
    if (search === undefined) {
      const chosen = matcher.choiceThat({ suits, mayStill: near.mayStill, traitOf: near.traitOf }, MAX_CHOICES)
      search = { chosen, isCut: matcher.isCut }
      searched.set(key, search)
    }
    isCut = search.isCut
    return search.chosen && toCells(search.chosen)
  }
  return {
    place: (...asked) => (wished === undefined ? undefined : placeBy(wished, ...asked)) ?? placeBy(nearness, ...asked),
    canPlace: (hosts, host, cells) => (nearness === undefined ? canPlaceAll(cells) : placeBy(nearness, hosts, host, cells) !== undefined),
    countPlaced(cells) {
      fill(matcher, guests, sameAs, cells)
      return matcher.match()
    },
    shortNear(hosts, host, cells) {
      if (!canPlaceAll(cells)) return undefined
      return nearness?.on(hosts, host, cells).shortOf(matcher.firstChoice())
    },
    get isCut() {
      return isCut
    },
  }
}

/**
 * Which cells have room for which of the guest's; those of the guest that ask the same are asked once. False where one
 * fits nowhere.
 */
function fill(matcher: Matcher, guests: readonly CellAsk[], sameAs: readonly number[], cells: readonly CellState[]): boolean {
  matcher.reset(guests.length, cells.length)
  let allFit = true
  for (let g = 0; g < guests.length; g++) {
    const same = sameAs[g] as number
    if (same < g) {
      matcher.copyRow(g, same)
      continue
    }
    let fitsSomewhere = false
    for (let c = 0; c < cells.length; c++) {
      if (!hasRoom(cells[c] as CellState, guests[g] as CellAsk)) continue
      matcher.allow(g, c)
      fitsSomewhere = true
    }
    allFit &&= fitsSomewhere
  }
  return allFit
}

/** What a guest's cell takes of a cell that has room for it. */
export function toGrant(ask: CellAsk, cell: CellState): CellGrant {
  const pages = choosePages(cell, ask)
  return {
    guest: ask.guest,
    cell: cell.id,
    memoryMb: ask.memoryMb,
    cpus: ask.shared,
    ...choosePins(cell, ask),
    ...(pages && { pages }),
  }
}
