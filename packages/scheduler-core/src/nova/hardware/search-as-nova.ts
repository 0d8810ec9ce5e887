import { fitCell } from './fit-cell.ts'
import { emulatorCpusAt, type SearchInput, type SearchResult } from './search.ts'
import type { GuestCell } from './topology.ts'

/** Steps that the search may take. It looks at every order of the cells of hosts with up to five, and of all it can be sure of. */
export const NOVA_STEPS = 2_000

const [UNKNOWN, FITS, REFUSED] = [0, 1, 2]

/**
 * Nova's own search, whose answers it gives whenever it ends: every order of the host's cells, with a memory of pairs.
 * That memory is by the ids of both cells, and a guest's cell takes the id of whatever cell it was last put on, its page
 * size and its pins too. So Nova misses fits, and now and then takes one that it never tried; this does the same. What
 * it leaves out are orders that begin like one that was refused without anything having changed: they end alike.
 */
export function searchAsNova(input: SearchInput, maxSteps: number = NOVA_STEPS): SearchResult {
  const { hosts, guests, limits } = input
  const places = indexIds([...hosts, ...guests])
  const pairs = new Uint8Array(places.size * places.size).fill(UNKNOWN)
  const cells = [...guests]
  const order = guests.map((_guest, i) => i)
  let steps = 0
  if (tooFewForAll(input)) return { end: 'none', steps: hosts.length }
  for (;;) {
    let [at, changed] = [0, false]
    for (; at < cells.length; at += 1) {
      steps += 1
      const host = hosts[order[at] as number] as SearchInput['hosts'][number]
      const cell = cells[at] as GuestCell
      const pair = (places.get(host.id) as number) * places.size + (places.get(cell.id) as number)
      if (pairs[pair] === REFUSED) break
      if (pairs[pair] === FITS) {
        if (cell.id === host.id) continue
        cells[at] = { ...cell, id: host.id }
        changed = true
        continue
      }
      const fit = fitCell(host, cell, limits, emulatorCpusAt(input, at))
      cells[at] = fit.cell
      pairs[pair] = fit.why === undefined ? FITS : REFUSED
      changed = true
      if (fit.why !== undefined) break
    }
    const complete = at === cells.length
    if (complete && input.objection?.(order.map((i) => hosts[i] as SearchInput['hosts'][number])) === undefined) {
      return { end: 'found', cells, steps }
    }
    if (!nextOrder(order, complete || changed ? cells.length - 1 : at, hosts.length)) return { end: 'none', steps }
    if (steps >= maxSteps) return { end: 'limit', steps }
  }
}

/** The next order that differs at a place or before it, in lexicographic order; false at the end. */
export function nextOrder(order: number[], from: number, size: number): boolean {
  for (let at = from; at >= 0; at -= 1) {
    const before = new Set(order.slice(0, at))
    let next = (order[at] as number) + 1
    while (before.has(next)) next += 1
    if (next >= size) continue
    order[at] = next
    before.add(next)
    let rest = 0
    for (let later = at + 1; later < order.length; later += 1) {
      while (before.has(rest)) rest += 1
      order[later] = rest
      before.add(rest)
    }
    return true
  }
  return false
}

/**
 * Whether the guest's cells are all alike and fewer cells of the host can take one. Then the memory of pairs says of
 * each cell of the host what one try says, whatever the ids, and no order is worth a look.
 */
function tooFewForAll(input: SearchInput): boolean {
  const [first, ...others] = input.guests
  if (first === undefined || input.emulatorThreadsPolicy === 'isolate' || (first.pagesize ?? 0) < 0) return false
  if (!others.every((cell) => shapeOf(cell) === shapeOf(first))) return false
  return input.hosts.filter((host) => fitCell(host, first, input.limits, 0).why === undefined).length < input.guests.length
}

/** All of a guest's cell that decides where it fits. */
export function shapeOf(cell: GuestCell): string {
  return [cell.cpuset.length, cell.pcpuset?.length, cell.memory, cell.pagesize, cell.cpuPolicy, cell.cpuThreadPolicy].join(' ')
}

function indexIds(cells: readonly { readonly id: number }[]): ReadonlyMap<number, number> {
  return new Map([...new Set(cells.map((cell) => cell.id))].map((id, i) => [id, i]))
}
