import type { EmulatorThreadsPolicy, GuestCell, HostCell, NumaLimits } from './topology.ts'

/** Whose places are sought, and where: cells of the host in the order of trying. */
export interface SearchBasis {
  readonly hosts: readonly HostCell[]
  readonly guests: readonly GuestCell[]
  readonly emulatorThreadsPolicy: EmulatorThreadsPolicy | null
  readonly limits: NumaLimits | null
}

/** CPUs for the emulator's threads beside a guest's cell: they go with its first, whose place everyone knows. */
export function emulatorCpusAt(basis: SearchBasis, guest: number): number {
  return guest === 0 && basis.emulatorThreadsPolicy === 'isolate' ? 1 : 0
}
