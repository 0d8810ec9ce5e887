import type { Demand } from '../../../values/demand.ts'
import type { Shortfall } from '../shortfall.ts'
import type { GuestCell, HostCell } from '../topology.ts'
import type { PairTable } from './pair-table.ts'
import type { SearchBasis } from './search-basis.ts'

/** The input of both searches, with the pairs that fit and the demands on the chosen cells. */
export interface SearchInput extends SearchBasis {
  readonly pairs: PairTable
  /** A condition on the chosen cells together; choices that cannot meet it are not examined. */
  readonly demands: readonly Demand[]
  /** Whether a choice of cells, by their positions in `hosts`, satisfies devices and networks. Undefined where the request has neither. */
  readonly suits: ((chosen: readonly number[]) => boolean) | undefined
  /** Why a choice of cells does not satisfy devices and networks. Undefined if it does. */
  readonly objection: (chosen: readonly number[]) => Shortfall | undefined
  /** The property by which cells differ in the check of devices and networks. Cells with the same trait are interchangeable. */
  readonly traitOf: (host: HostCell) => string
}

/** The result of a search: the guest's cells with their host cells, nothing, or too much to examine. */
export type SearchResult =
  | { readonly end: 'found'; readonly cells: readonly GuestCell[]; readonly steps: number }
  | { readonly end: 'none' | 'limit'; readonly steps: number }
