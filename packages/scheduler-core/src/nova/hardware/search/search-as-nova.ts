import { canMeet } from '../../../values/demand.ts'
import type { GuestCell, HostCell } from '../topology.ts'
import { fitCell } from './fit-cell.ts'
import { shapeOf } from './pair-table.ts'
import type { SearchInput, SearchResult } from './search.ts'
import { emulatorCpusAt } from './search-basis.ts'

/** The search ends after this many steps. This is enough to try every order of the cells of a host with up to five cells. */
export const NOVA_STEPS = 1_000

const [UNKNOWN, FITS, REFUSED] = [0, 1, 2]

/**
 * Nova's search, with the same results as long as it ends within `maxSteps`. It tries every order of the host's cells, and caches which
 * pairs of cells fit. The cache identifies a pair by the ids of both cells. But a guest cell gets the id, the page size and the pins of the
 * host cell on which it was last tried. So Nova misses some fits, and sometimes accepts a pair that it never tried. This search repeats
 * these errors. It is faster than Nova because it skips orders whose first cells were already refused.
 */
export function searchAsNova(input: SearchInput, maxSteps: number = NOVA_STEPS): SearchResult {
  const { hosts, guests, limits } = input
  const ids = indexIds([...hosts, ...guests])
  const idOf = [...ids.keys()]
  const hostIds = hosts.map(({ id }) => ids.get(id) as number)
  const guestIds = guests.map(({ id }) => ids.get(id) as number)
  const pairs = new Uint8Array(ids.size * ids.size).fill(UNKNOWN)
  const cells = [...guests]
  const order = guests.map((_guest, i) => i)
  let steps = 0
  // The next pass starts at this position, because the cells before it have not changed and would be accepted again.
  let settled = 0
  if (!canMeet(input.demands, [], new Uint8Array(hosts.length), guests.length)) return { end: 'none', steps: hosts.length }
  if (tooFewUsable(input)) return { end: 'none', steps: hosts.length }
  for (;;) {
    let [at, changed] = [settled, false]
    for (; at < cells.length; at += 1) {
      steps += 1
      const hostAt = order[at] as number
      const hostId = hostIds[hostAt] as number
      const pair = hostId * ids.size + (guestIds[at] as number)
      if (pairs[pair] === REFUSED) break
      if (pairs[pair] === FITS && guestIds[at] === hostId) {
        if (!changed) settled = at + 1
        continue
      }
      changed = true
      const host = hosts[hostAt] as HostCell
      if (pairs[pair] === FITS) {
        // Here Nova only gives the guest cell the id of the host cell. The cell is not fitted.
        guestIds[at] = hostId
        continue
      }
      const fit = fitCell(host, withId(cells[at] as GuestCell, idOf[guestIds[at] as number] as number), limits, emulatorCpusAt(input, at))
      cells[at] = fit.cell
      guestIds[at] = ids.get(fit.cell.id) as number
      pairs[pair] = fit.why === undefined ? FITS : REFUSED
      if (fit.why !== undefined) break
    }
    const complete = at === cells.length
    if (complete && input.suits?.(order) !== false)
      return { end: 'found', cells: cells.map((cell, i) => withId(cell, idOf[guestIds[i] as number] as number)), steps }
    if (steps >= maxSteps) return { end: 'limit', steps }
    const moved = nextOrder(order, complete || changed ? cells.length - 1 : at, hosts.length)
    if (moved < 0) return { end: 'none', steps }
    settled = Math.min(settled, moved)
  }
}

const withId = (cell: GuestCell, id: number): GuestCell => (cell.id === id ? cell : { ...cell, id })

/**
 * Changes `order` to the next order, in lexicographic order, that differs at the position `from` or earlier. Returns the first position
 * that changed, or -1 if there is no further order.
 */
export function nextOrder(order: number[], from: number, size: number): number {
  for (let at = from; at >= 0; at -= 1) {
    const next = unusedFrom(order, at, (order[at] as number) + 1)
    if (next >= size) continue
    order[at] = next
    for (let later = at + 1; later < order.length; later += 1) order[later] = unusedFrom(order, later, 0)
    return at
  }
  return -1
}

/** The smallest integer that is at least `from` and is not among the first `count` items of `order`. */
function unusedFrom(order: readonly number[], count: number, from: number): number {
  for (let next = from; ; next += 1) {
    let i = 0
    while (i < count && order[i] !== next) i += 1
    if (i === count) return next
  }
}

/**
 * Returns true if there are fewer usable host cells than guest cells. A host cell is usable if at least one guest cell fits on it. No
 * search is then needed. Even Nova's wrong cache entries do not change this, because Nova only accepts a host cell on which some guest cell
 * did fit. Returns false if a guest cell requests a kind of pages, because the search replaces the kind by a page size.
 */
function tooFewUsable(input: SearchInput): boolean {
  if (input.guests.some((guest) => (guest.pagesize ?? 0) < 0)) return false
  const shapes = [...new Map(input.guests.map((guest) => [shapeOf(guest), guest])).values()]
  const usable = input.hosts.filter((host) => shapes.some((guest) => fitCell(host, guest, input.limits, 0).why === undefined))
  return usable.length < input.guests.length
}

function indexIds(cells: readonly { readonly id: number }[]): ReadonlyMap<number, number> {
  return new Map([...new Set(cells.map((cell) => cell.id))].map((id, i) => [id, i]))
}
