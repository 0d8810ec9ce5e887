import type { EmulatorThreadsPolicy, GuestCell, HostCell, NumaLimits } from '../topology.ts'

/** The cells to assign: those of the guest, and those of the host in the order in which they are tried. */
export interface SearchBasis {
  readonly hosts: readonly HostCell[]
  readonly guests: readonly GuestCell[]
  readonly emulatorThreadsPolicy: EmulatorThreadsPolicy | null
  readonly limits: NumaLimits | null
}

/** The number of additional CPUs for the emulator's threads in a guest cell. Only the first guest cell has such CPUs. */
export function emulatorCpusAt(basis: SearchBasis, guest: number): number {
  return guest === 0 && basis.emulatorThreadsPolicy === 'isolate' ? 1 : 0
}
