import { memoByObject } from '../../values/memo.ts'
import { NovaError } from '../text/nova-error.ts'

/** Memory pages of one size in a host cell. `total`, `used` and `reserved` are numbers of pages. */
export interface MemoryPages {
  readonly sizeKib: number
  readonly total: number
  readonly used: number
  readonly reserved: number
}

/** The physical networks that a host cell reaches, or that a guest needs. `tunneled` is true if tunnels are included. */
export interface NetworkMetadata {
  readonly physnets: readonly string[]
  readonly tunneled: boolean
}

/** One NUMA cell of a host. Lists of CPUs are in ascending order. Fields that old hosts do not report are undefined. */
export interface HostCell {
  readonly id: number
  /** Host CPUs on which shared virtual CPUs can run. */
  readonly cpuset: readonly number[]
  /** Host CPUs to which virtual CPUs can be pinned. */
  readonly pcpuset: readonly number[] | undefined
  /** In MiB. */
  readonly memory: number
  /** The number of shared virtual CPUs on this cell, and the used memory in MiB. */
  readonly cpuUsage: number
  readonly memoryUsage: number
  readonly pinnedCpus: readonly number[]
  /** For each core, the CPUs that are its threads. */
  readonly siblings: readonly (readonly number[])[]
  readonly mempages: readonly MemoryPages[]
  readonly socket: number | null | undefined
  readonly networkMetadata: NetworkMetadata | undefined
}

export interface HostTopology {
  readonly cells: readonly HostCell[]
}

export type CpuPolicy = 'dedicated' | 'shared' | 'mixed'
export type CpuThreadPolicy = 'prefer' | 'isolate' | 'require'
export type EmulatorThreadsPolicy = 'share' | 'isolate'

/** Values of a guest's page size that stand for a kind of pages instead of a size. */
export const PAGES = { small: -1, large: -2, any: -3 } as const

/** One NUMA cell of a guest. After the cell is placed, `id` is the id of its host cell, and the last two fields are its host CPUs. */
export interface GuestCell {
  readonly id: number
  /** The shared virtual CPUs, and the pinned virtual CPUs. `pcpuset` is undefined if it is not set. */
  readonly cpuset: readonly number[]
  readonly pcpuset: readonly number[] | undefined
  /** In MiB. */
  readonly memory: number
  /** A size in KiB, a kind of pages (`PAGES`), or null if none is requested. */
  readonly pagesize: number | null
  readonly cpuPolicy: CpuPolicy | null
  readonly cpuThreadPolicy: CpuThreadPolicy | null
  /** The host CPU of each pinned virtual CPU. */
  readonly cpuPinning: Readonly<Record<number, number>> | null
  /** The host CPUs for the emulator's threads. */
  readonly cpusetReserved: readonly number[] | null
}

export interface GuestTopology {
  readonly cells: readonly GuestCell[]
  readonly emulatorThreadsPolicy: EmulatorThreadsPolicy | null
}

/** The host's allocation ratios and the request's networks, which are needed to fit cells. */
export interface NumaLimits {
  readonly cpuAllocationRatio: number
  readonly ramAllocationRatio: number
  readonly networkMetadata?: NetworkMetadata | undefined
}

/** The host CPUs to which virtual CPUs can be pinned. Throws NotImplementedError if an old host does not report them. */
export function pinnableCpus(cell: HostCell): readonly number[] {
  if (cell.pcpuset === undefined) throw new NovaError('NotImplementedError', `cell ${cell.id} of the host has no pcpuset set`)
  return cell.pcpuset
}

/** The pinned virtual CPUs of a guest cell. Throws NotImplementedError if an old request does not have them. */
export function pinnedVcpus(cell: GuestCell): readonly number[] {
  if (cell.pcpuset === undefined) throw new NovaError('NotImplementedError', `cell ${cell.id} of the guest has no pcpuset set`)
  return cell.pcpuset
}

/** The host CPUs of a cell that can be pinned and are free: their count, and a list for each core. */
export const freeCpus = memoByObject((cell: HostCell) => {
  const pinned = new Set(cell.pinnedCpus)
  const all = new Set(pinnableCpus(cell).filter((cpu) => !pinned.has(cpu)))
  return { count: all.size, cores: cell.siblings.map((threads) => threads.filter((cpu) => all.has(cpu))) }
})

/** Returns true if the guest cell has pinned CPUs. */
export function isPinned(cell: GuestCell): boolean {
  return cell.cpuPolicy === 'dedicated' || cell.cpuPolicy === 'mixed'
}

export function isShared(cell: GuestCell): boolean {
  return cell.cpuPolicy !== 'dedicated'
}
