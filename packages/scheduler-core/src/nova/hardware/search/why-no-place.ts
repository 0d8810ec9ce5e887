import type { Shortfall } from '../shortfall.ts'
import { fitCell } from './fit-cell.ts'
import { largestMatching } from './matching.ts'
import type { SearchInput, SearchResult } from './search.ts'
import { emulatorCpusAt } from './search-basis.ts'
import { searchEachPair } from './search-each-pair.ts'

/**
 * Returns the reason why a guest does not fit on a host. If a guest cell fits on no host cell, the reason is the shortfall of the nearest
 * host cell. If each guest cell fits alone but not all together, the reason is the number of cells. Otherwise the reason is the shortfall
 * of devices or networks, or the limit of the search.
 */
export function whyNoPlace(input: SearchInput, result: SearchResult): Shortfall {
  const { hosts, guests, pairs } = input
  const homeless = guests.findIndex((_guest, g) => !hosts.some((_host, h) => pairs.fits(g, h)))
  if (homeless >= 0) return nearest(input, homeless)
  const assigned = largestMatching(guests.length, hosts.length, pairs.fits)
  if (assigned < guests.length) return { code: 'numa.no_match', need: guests.length, have: assigned, unit: 'cells' }
  if (result.end === 'limit')
    return { code: 'numa.search_limit', need: `more than ${result.steps} steps`, have: result.steps, unit: 'steps' }
  return objectionTo(input) ?? { code: 'numa.missed', need: guests.length, have: assigned, unit: 'cells' }
}

/** The shortfall of devices or networks for the first choice in which every cell fits. Undefined if Nova's search missed a valid choice. */
function objectionTo(input: SearchInput): Shortfall | undefined {
  if (input.suits === undefined || searchEachPair(input).end === 'found') return undefined
  let first: Shortfall | undefined
  const suits = (chosen: readonly number[]): boolean => {
    first = input.objection(chosen)
    return true
  }
  searchEachPair({ ...input, demands: [], suits })
  return first
}

/** The shortfall of the nearest host cell: the cell on which the most rules pass and, among these cells, the least is missing. */
function nearest(input: SearchInput, guest: number): Shortfall {
  const fits = input.hosts.map((host) => {
    const cell = input.guests[guest] as SearchInput['guests'][number]
    const { rules, why } = fitCell(host, cell, input.limits, emulatorCpusAt(input, guest))
    const short = why?.() as Shortfall
    return { rules, short, lack: lackOf(short) }
  })
  return fits.reduce((best, fit) => (fit.rules > best.rules || (fit.rules === best.rules && fit.lack < best.lack) ? fit : best)).short
}

function lackOf({ need, have }: Shortfall): number {
  return typeof need === 'number' && typeof have === 'number' ? need - have : Number.POSITIVE_INFINITY
}
