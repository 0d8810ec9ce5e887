import { NovaError } from '../text/nova-error.ts'
import { freeCpus, type GuestCell, type HostCell, pinnableCpus, pinnedVcpus } from './topology.ts'

/**
 * The host CPU for each pinned virtual CPU of a guest cell (`cpus`, in the order of the virtual CPUs), and the host CPUs for the emulator
 * (`reserved`, or null if it needs none).
 */
export interface Pinning {
  readonly cpus: readonly number[]
  readonly reserved: readonly number[] | null
}

type Core = readonly number[]

/**
 * Chooses the host CPUs to which a guest cell is pinned, by the guest's thread policy. Undefined if the host cell has too few suitable free
 * CPUs. As in Nova, the result is also undefined for a guest cell without pinned CPUs.
 */
export function pinCpus(host: HostCell, guest: GuestCell, emulatorCpus: number): Pinning | undefined {
  if (host.siblings.length === 0) throw new NovaError('ValueError', `NUMA cell ${host.id} of the host reports no CPU siblings`)
  const threadsPerCore = Math.max(...host.siblings.map((threads) => threads.length)) || 1
  const wanted = pinnedVcpus(guest).length
  const cores = freeCpus(host).cores
  if (guest.cpuThreadPolicy === 'isolate') return isolated(host, cores, threadsPerCore, wanted, emulatorCpus)
  if (guest.cpuThreadPolicy === 'require' && threadsPerCore <= 1) return undefined
  return packed(cores, threadsPerCore, wanted, emulatorCpus, guest.cpuThreadPolicy === 'require')
}

/** For the thread policy isolate: pins each virtual CPU to a separate core. The other threads of the core stay unused. */
function isolated(
  host: HostCell,
  cores: readonly Core[],
  threadsPerCore: number,
  wanted: number,
  emulatorCpus: number,
): Pinning | undefined {
  const whole = cores.filter((core) => core.length >= threadsPerCore)
  if (whole.length === 0) return undefined
  // As in Nova, cores with several threads can be isolated only if every CPU of the host cell can be shared and can be pinned.
  if (threadsPerCore !== 1 && !sameCpus(pinnableCpus(host), host.cpuset)) return undefined
  const cpus = takeThreads(whole, 1, wanted)
  return cpus && withReserved(cpus, emulatorCpus, () => untouched(cores, cpus))
}

/** Pins virtual CPUs to as many threads of each core as possible. If this fails and `whole` is false, any free CPUs are used. */
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
  // Nova tries single CPUs only if the loop found too few CPUs for the guest. If only a CPU for the emulator was missing, the guest does
  // not fit.
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

/** The free CPUs of the cores on which none of `cpus` is. */
function untouched(cores: readonly Core[], cpus: readonly number[]): readonly number[] {
  const taken = new Set(cpus)
  return cores.filter((core) => !core.some((cpu) => taken.has(cpu))).flat()
}

function leftOver(cores: readonly Core[], cpus: readonly number[]): readonly number[] {
  const taken = new Set(cpus)
  return cores.flat().filter((cpu) => !taken.has(cpu))
}

function sameCpus(left: readonly number[], right: readonly number[]): boolean {
  return left.length === right.length && left.every((cpu, i) => cpu === right[i])
}
