import type { Demand } from './demands.ts'
import type { PairTable } from './pair-table.ts'
import type { Shortfall } from './shortfall.ts'
import type { EmulatorThreadsPolicy, GuestCell, HostCell, NumaLimits } from './topology.ts'

/** Whose places are sought, and where: cells of the host in the order of trying. */
export interface SearchBasis {
  readonly hosts: readonly HostCell[]
  readonly guests: readonly GuestCell[]
  readonly emulatorThreadsPolicy: EmulatorThreadsPolicy | null
  readonly limits: NumaLimits | null
}

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

/** CPUs for the emulator's threads beside a guest's cell: they go with its first, whose place everyone knows. */
export function emulatorCpusAt(basis: SearchBasis, guest: number): number {
  return guest === 0 && basis.emulatorThreadsPolicy === 'isolate' ? 1 : 0
}
