import type { Demand } from './demands.ts'
import type { PairTable } from './pair-table.ts'
import type { SearchBasis } from './search-basis.ts'
import type { Shortfall } from './shortfall.ts'
import type { GuestCell, HostCell } from './topology.ts'

/** What both searches are given: also which pairs fit, and what the chosen cells must be good for. */
export interface SearchInput extends SearchBasis {
  readonly pairs: PairTable
  /** What the chosen cells must have together; a choice that cannot have it need not be looked at. */
  readonly demands: readonly Demand[]
  /** Whether a choice of cells, by their places in `hosts`, will do for devices and networks. Undefined where neither is asked for. */
  readonly suits: ((chosen: readonly number[]) => boolean) | undefined
  /** Why such a choice will not do. */
  readonly objection: (chosen: readonly number[]) => Shortfall | undefined
  /** What tells cells apart for that: cells of one trait can stand for each other. */
  readonly traitOf: (host: HostCell) => string
}

/** What a search found: the guest's cells in their places, nothing, or too much to look at. */
export type SearchResult =
  | { readonly end: 'found'; readonly cells: readonly GuestCell[]; readonly steps: number }
  | { readonly end: 'none' | 'limit'; readonly steps: number }
