import { canMeet } from '../../../values/demand.ts'
import type { GuestCell, HostCell } from '../topology.ts'
import { fitCell } from './fit-cell.ts'
import { type Matching, matchAll, rematch } from './matching.ts'
import type { SearchInput, SearchResult } from './search.ts'
import { emulatorCpusAt } from './search-basis.ts'

/**
 * The search ends after this many steps. Only requests with devices or networks can need so many steps. Other requests need only one
 * bipartite matching.
 */
export const PAIR_STEPS = 20_000

/** The check of devices and networks for one choice of host cells is counted as this many steps. */
const SUIT_STEPS = 50

/**
 * Finds the first assignment, in lexicographic order of the host's cells, in which every guest cell fits and the chosen cells have the
 * requested devices and networks. Two rules limit the search. A host cell is assigned only if a matching exists for all later guest cells.
 * And a choice that failed is not repeated with interchangeable cells.
 */
export function searchEachPair(input: SearchInput, maxSteps: number = PAIR_STEPS): SearchResult {
  const { hosts, guests } = input
  if (!canMeet(input.demands, [], new Uint8Array(hosts.length), guests.length)) return { end: 'none', steps: hosts.length }
  const table = input.pairs
  let steps = 0
  const matching = matchAll(guests.length, hosts.length, table.fits, () => (steps += 1))
  if (matching === undefined) return { end: 'none', steps: steps + table.tests() }
  steps += table.tests()
  const kinds = input.suits && kindsOf(input, table.fits)
  const failed = new Set<string>()
  const used = Uint8Array.from(hosts, (_host, h) => Number(!guests.some((_guest, g) => table.fits(g, h))))
  const chosen: number[] = []
  if (!canMeet(input.demands, chosen, used, guests.length)) return { end: 'none', steps }

  /** Assigns host cells to the guest cells from `guest` on. Returns true if it succeeded. */
  const assignFrom = (guest: number, before: Matching): boolean => {
    if (guest === guests.length) {
      steps += SUIT_STEPS
      return input.suits?.(chosen) ?? true
    }
    for (let host = 0; host < hosts.length && steps < maxSteps; host += 1) {
      if (used[host] === 1 || !table.fits(guest, host)) continue
      steps += 1 + input.demands.length
      chosen.push(host)
      used[host] = 1
      const key = kinds && keyOf(chosen, kinds)
      const isNew = key === undefined || !failed.has(key)
      if (isNew && canMeet(input.demands, chosen, used, guests.length - guest - 1)) {
        const after = rematch(before, guest, host, used, table.fits, () => (steps += 1))
        if (after !== undefined && assignFrom(guest + 1, after)) return true
      }
      if (key !== undefined) failed.add(key)
      used[host] = 0
      chosen.pop()
    }
    return false
  }

  if (!assignFrom(0, matching)) return { end: steps < maxSteps ? 'none' : 'limit', steps }
  return { end: 'found', steps, cells: guests.map((guest, i) => fitPair(input, guest, i, hosts[chosen[i] as number] as HostCell)) }
}

function fitPair(input: SearchInput, guest: GuestCell, i: number, host: HostCell): GuestCell {
  return fitCell(host, guest, input.limits, emulatorCpusAt(input, i)).cell
}

/** Gives interchangeable host cells the same number: the same guest cells fit on them, and they reach the same devices and networks. */
function kindsOf(input: SearchInput, fits: (guest: number, host: number) => boolean): readonly number[] {
  const known = new Map<string, number>()
  return input.hosts.map((host, h) => {
    const kind = `${input.traitOf(host)}|${input.guests.map((_guest, g) => Number(fits(g, h))).join('')}`
    if (!known.has(kind)) known.set(kind, known.size)
    return known.get(kind) as number
  })
}

/** The key of a failed choice: the sorted kinds of the chosen cells. Choices with the same kinds fail in the same way. */
function keyOf(chosen: readonly number[], kinds: readonly number[]): string {
  return chosen
    .map((host) => kinds[host] as number)
    .sort((a, b) => a - b)
    .join(',')
}
