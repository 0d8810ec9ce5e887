import type { Demand } from '../../../values/demand.ts'
import type { Shortfall } from '../shortfall.ts'
import type { GuestCell, HostCell } from '../topology.ts'
import type { PairTable } from './pair-table.ts'
import type { SearchBasis } from './search-basis.ts'

/** The input of `searchAsNova` and `searchEachPair`. */
export interface SearchInput extends SearchBasis {
  readonly pairs: PairTable
  /** Necessary conditions for the chosen host cells together. Choices that cannot meet all of them are not examined. */
  readonly demands: readonly Demand[]
  /**
   * Returns true if the chosen cells (indexes in `hosts`) have the requested devices and networks. Undefined if the request has neither.
   */
  readonly suits: ((chosen: readonly number[]) => boolean) | undefined
  /** Returns the shortfall of devices or networks for the chosen cells. Undefined if there is none. */
  readonly objection: (chosen: readonly number[]) => Shortfall | undefined
  /** Returns a text. Cells with equal texts are interchangeable when devices and networks are checked. */
  readonly traitOf: (host: HostCell) => string
}

/** The result of a search: the guest's cells on their host cells (`found`), no assignment (`none`), or too many steps (`limit`). */
export type SearchResult =
  | { readonly end: 'found'; readonly cells: readonly GuestCell[]; readonly steps: number }
  | { readonly end: 'none' | 'limit'; readonly steps: number }
