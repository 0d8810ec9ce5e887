import { NovaError } from '../text/nova-error.ts'
import { freeCpus, type GuestCell, type HostCell, pinnableCpus, pinnedVcpus } from './topology.ts'

/** The host CPUs for the pinned virtual CPUs, in their order, and the host CPUs that are reserved for the emulator's threads. */
export interface Pinning {
  readonly cpus: readonly number[]
  readonly reserved: readonly number[] | null
}

type Core = readonly number[]

/**
 * The CPUs of a host cell to which a guest cell is pinned. If the thread policy requires it, whole cores are used, emptiest first, and
 * within a core CPUs in ascending order. Undefined if there are not enough suitable free threads. A guest cell without pinned CPUs is never
 * pinned, as in Nova.
 */
export function pinCpus(host: HostCell, guest: GuestCell, emulatorCpus: number): Pinning | undefined {
  if (host.siblings.length === 0) throw new NovaError('ValueError', `cell ${host.id} of the host has no siblings`)
  const threadsPerCore = Math.max(...host.siblings.map((threads) => threads.length)) || 1
  const wanted = pinnedVcpus(guest).length
  const cores = freeCpus(host).cores
  if (guest.cpuThreadPolicy === 'isolate') return isolated(host, cores, threadsPerCore, wanted, emulatorCpus)
  if (guest.cpuThreadPolicy === 'require' && threadsPerCore <= 1) return undefined
  return packed(cores, threadsPerCore, wanted, emulatorCpus, guest.cpuThreadPolicy === 'require')
}

/** Pins each virtual CPU to a separate core. All other threads of the core stay unused. */
function isolated(
  host: HostCell,
  cores: readonly Core[],
  threadsPerCore: number,
  wanted: number,
  emulatorCpus: number,
): Pinning | undefined {
  const whole = cores.filter((core) => core.length >= threadsPerCore)
  if (whole.length === 0) return undefined
  // A host with threads can reserve sibling threads only if all its CPUs can be pinned, as in Nova.
  if (threadsPerCore !== 1 && !sameCpus(pinnableCpus(host), host.cpuset)) return undefined
  const cpus = takeThreads(whole, 1, wanted)
  return cpus && withReserved(cpus, emulatorCpus, () => untouched(cores, cpus))
}

/** Pins CPUs to as many threads of each core as possible. If this fails, and without `whole`, any free CPUs are used. */
function packed(cores: readonly Core[], threadsPerCore: number, wanted: number, emulatorCpus: number, whole: boolean): Pinning | undefined {
  let last: readonly number[] | undefined
  for (let threads = threadsPerCore; threads > (whole ? 1 : 0); threads -= 1) {
    const able = cores.filter((core) => core.length >= threads)
    if (able.length === 0) continue
    last = takeThreads(able, threads, wanted)
    const cpus = last
    const pinning = cpus && withReserved(cpus, emulatorCpus, () => leftOver(cores, cpus))
    if (pinning !== undefined) return pinning
  }
  // Nova continues only if the last attempt found no CPUs for the guest, not if it found none for the emulator.
  if (whole || last !== undefined) return undefined
  const singles = cores.flat().map((cpu) => [cpu])
  const cpus = takeThreads(singles, 1, wanted)
  return cpus && withReserved(cpus, emulatorCpus, () => leftOver(singles, cpus))
}

function takeThreads(cores: readonly Core[], threads: number, wanted: number): readonly number[] | undefined {
  if (wanted === 0 || threads * cores.length < wanted) return undefined
  const cpus: number[] = []
  for (const core of cores) {
    for (let i = 0; i < threads && cpus.length < wanted; i += 1) cpus.push(core[i] as number)
    if (cpus.length === wanted) break
  }
  return cpus
}

function withReserved(cpus: readonly number[], emulatorCpus: number, left: () => readonly number[]): Pinning | undefined {
  if (emulatorCpus === 0) return { cpus, reserved: null }
  const reserved = left().slice(0, emulatorCpus)
  return reserved.length === 0 ? undefined : { cpus, reserved }
}

/** Free CPUs of cores on which nothing is pinned. */
function untouched(cores: readonly Core[], cpus: readonly number[]): readonly number[] {
  return cores.filter((core) => !core.some((cpu) => cpus.includes(cpu))).flat()
}

function leftOver(cores: readonly Core[], cpus: readonly number[]): readonly number[] {
  const taken = new Set(cpus)
  return cores.flat().filter((cpu) => !taken.has(cpu))
}

function sameCpus(left: readonly number[], right: readonly number[]): boolean {
  return left.length === right.length && left.every((cpu, i) => cpu === right[i])
}
