import type { EmulatorThreadsPolicy, GuestCell, HostCell, NumaLimits } from '../topology.ts'

/** The guest cells to assign, and the host cells in the order in which they are tried. */
export interface SearchBasis {
  readonly hosts: readonly HostCell[]
  readonly guests: readonly GuestCell[]
  readonly emulatorThreadsPolicy: EmulatorThreadsPolicy | null
  readonly limits: NumaLimits | null
}

/** How many CPUs a guest cell needs for the emulator's threads: 1 for the first cell if the policy is isolate, otherwise 0. */
export function emulatorCpusAt(basis: SearchBasis, guest: number): number {
  return guest === 0 && basis.emulatorThreadsPolicy === 'isolate' ? 1 : 0
}
