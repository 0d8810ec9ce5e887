import type { Shortfall } from './shortfall.ts'
import type { EmulatorThreadsPolicy, GuestCell, HostCell, NumaLimits } from './topology.ts'

/** What both searches are given: cells of the host in the order of trying, and what the chosen ones must be good for. */
export interface SearchInput {
  readonly hosts: readonly HostCell[]
  readonly guests: readonly GuestCell[]
  readonly emulatorThreadsPolicy: EmulatorThreadsPolicy | null
  readonly limits: NumaLimits | null
  /** Why a choice of cells will not do: devices or networks. Undefined where neither is asked for. */
  readonly objection: ((chosen: readonly HostCell[]) => Shortfall | undefined) | undefined
  /** What tells cells apart for the objection: cells of one trait can stand for each other. */
  readonly traitOf: (host: HostCell) => string
}

/** What a search found: the guest's cells in their places, nothing, or too much to look at. */
export type SearchResult =
  | { readonly end: 'found'; readonly cells: readonly GuestCell[]; readonly steps: number }
  | { readonly end: 'none' | 'limit'; readonly steps: number }

/** CPUs for the emulator's threads beside a guest's cell: they go with its first, whose place everyone knows. */
export function emulatorCpusAt(input: SearchInput, guest: number): number {
  return guest === 0 && input.emulatorThreadsPolicy === 'isolate' ? 1 : 0
}
