import { type CellAsk, type CellState, choosePages, hasRoom } from '../../hosts/cell.ts'
import type { HostTable } from '../../hosts/hosts.ts'
import type { CellGrant } from '../../records/grants.ts'
import type { Reason } from '../../text/reason.ts'
import type { HostIndex } from '../../values/host-index.ts'
import { memoByObject } from '../../values/memo.ts'
import type { Nearness } from '../near-cell.ts'
import type { NumaAsk } from './ask.ts'
import { createMatcher, type Matcher } from './match.ts'
import { choosePins } from './pin.ts'

/**
 * The search for cells near devices stops after this many steps for one host. The host is then refused. A guest of four cells on a host
 * with eight cells never needs more steps.
 */
export const MAX_CHOICES = 600

/** The first host cell on which a guest with a single cell fits. Most guests have a single cell. */
export const placeAlone = (guest: CellAsk, cells: readonly CellState[]): CellState | undefined => {
  for (let c = 0; c < cells.length; c++) if (hasRoom(cells[c] as CellState, guest)) return cells[c]
  return undefined
}

/** Finds host cells for the cells of one guest. */
export interface Placer {
  /** A host cell for each guest cell. Host cells that are first in `cells` are preferred. Undefined if the guest does not fit. */
  place(hosts: HostTable, host: HostIndex, cells: readonly CellState[]): readonly CellState[] | undefined
  /** True if the guest fits on the host: each guest cell on a separate host cell, with the required devices near them. */
  canPlace(hosts: HostTable, host: HostIndex, cells: readonly CellState[]): boolean
  /** Returns how many guest cells can each have a separate host cell. */
  countPlaced(cells: readonly CellState[]): number
  /**
   * The shortfall of devices near the first choice of host cells. Undefined if no devices are missing there, or if the guest cells do not
   * fit even without devices.
   */
  shortNear(hosts: HostTable, host: HostIndex, cells: readonly CellState[]): Reason | undefined
  /** True if the last search for cells near devices stopped at its limit of steps. */
  readonly isCut: boolean
}

/** The placer for an ask. One placer is created for each ask and used for all hosts, so results of one host are reused for equal hosts. */
export const placerOf = memoByObject(createPlacer)

function createPlacer({ cells: guests, sameAs, nearness, wished }: NumaAsk): Placer {
  const matcher = createMatcher()
  /** Results of earlier searches. The key contains all inputs of a search. Results are often reused, because many hosts are equal. */
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
    if (!near.canComplete([], new Uint8Array(cells.length), guests.length)) return undefined
    const key = `${matcher.key}|${near.key}`
    let search = searched.get(key)
    if (search === undefined) {
      const chosen = matcher.choiceThat({ suits, canComplete: near.canComplete, traitOf: near.traitOf }, MAX_CHOICES)
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
 * Records in the matcher which guest cells fit on which host cells. Guest cells with the same needs are checked only once. Returns false if
 * a guest cell fits on no host cell.
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

/** The grant for a guest cell on a host cell on which it fits. */
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
