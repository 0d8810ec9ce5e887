import { memoByObject } from '../../values/memo.ts'
import { NovaError } from '../text/nova-error.ts'

/** Memory pages of one size in a cell of a host; counts are of pages. */
export interface MemoryPages {
  readonly sizeKib: number
  readonly total: number
  readonly used: number
  readonly reserved: number
}

/** Physical networks and tunnels: those that a cell's devices reach, or that a guest asks for. */
export interface NetworkMetadata {
  readonly physnets: readonly string[]
  readonly tunneled: boolean
}

/** One NUMA cell of a host. Sets of CPUs are ascending. Undefined fields are unset: old hosts do not know them. */
export interface HostCell {
  readonly id: number
  /** CPUs for guests with shared CPUs. */
  readonly cpuset: readonly number[]
  /** CPUs for guests with pinned CPUs. */
  readonly pcpuset: readonly number[] | undefined
  /** MiB. */
  readonly memory: number
  /** Shared virtual CPUs in use, and used memory in MiB. */
  readonly cpuUsage: number
  readonly memoryUsage: number
  readonly pinnedCpus: readonly number[]
  /** Threads of each core; cores in the host's order. */
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

/** A page size of a guest that is a kind and not a size. */
export const PAGES = { small: -1, large: -2, any: -3 } as const

/** One NUMA cell of a guest. Once it is placed, `id` is the host's cell, and the last two fields are the CPUs that it takes there. */
export interface GuestCell {
  readonly id: number
  /** Shared virtual CPUs, and pinned ones; undefined if not set. */
  readonly cpuset: readonly number[]
  readonly pcpuset: readonly number[] | undefined
  /** MiB. */
  readonly memory: number
  /** KiB, a kind of `PAGES`, or null for none. */
  readonly pagesize: number | null
  readonly cpuPolicy: CpuPolicy | null
  readonly cpuThreadPolicy: CpuThreadPolicy | null
  /** CPU of the host for each pinned virtual CPU. */
  readonly cpuPinning: Readonly<Record<number, number>> | null
  /** CPUs of the host for the emulator's threads. */
  readonly cpusetReserved: readonly number[] | null
}

export interface GuestTopology {
  readonly cells: readonly GuestCell[]
  readonly emulatorThreadsPolicy: EmulatorThreadsPolicy | null
}

/** The host's ratios and the request's networks, which the rules of a cell also read. */
export interface NumaLimits {
  readonly cpuAllocationRatio: number
  readonly ramAllocationRatio: number
  readonly networkMetadata?: NetworkMetadata | undefined
}

/** CPUs of the host that guests may pin. Throws where an old host has not set them. */
export function pinnableCpus(cell: HostCell): readonly number[] {
  if (cell.pcpuset === undefined) throw new NovaError('NotImplementedError', `cell ${cell.id} of the host has no pcpuset set`)
  return cell.pcpuset
}

/** Virtual CPUs of a guest that are pinned. Throws where an old request has not set them. */
export function pinnedVcpus(cell: GuestCell): readonly number[] {
  if (cell.pcpuset === undefined) throw new NovaError('NotImplementedError', `cell ${cell.id} of the guest has no pcpuset set`)
  return cell.pcpuset
}

/** CPUs that are not pinned, all and by core. */
export const freeCpus = memoByObject((cell: HostCell) => {
  const pinned = new Set(cell.pinnedCpus)
  const all = new Set(pinnableCpus(cell).filter((cpu) => !pinned.has(cpu)))
  return { count: all.size, cores: cell.siblings.map((threads) => threads.filter((cpu) => all.has(cpu))) }
})

/** Whether the guest has pinned CPUs, and whether it has shared CPUs. */
export function isPinned(cell: GuestCell): boolean {
  return cell.cpuPolicy === 'dedicated' || cell.cpuPolicy === 'mixed'
}

export function isShared(cell: GuestCell): boolean {
  return cell.cpuPolicy !== 'dedicated'
}
