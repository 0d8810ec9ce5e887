import { NovaError } from '../text/nova-error.ts'
import {
  type GuestCell,
  type GuestTopology,
  type HostCell,
  type HostTopology,
  isPinned,
  type MemoryPages,
  pinnableCpus,
} from './topology.ts'

/**
 * Returns the host after a guest is placed on it, with more memory, shared CPUs, pages and pinned CPUs in use. If the guest isolates its
 * CPUs, all CPUs of their cores become pinned. Throws NovaError where Nova raises an exception: if a CPU is already pinned or not on the
 * host, if a pinned guest has no pinning, if a host cell has no memory pages, or if an old host lacks a field. The argument `host` is never
 * changed.
 */
export function consumeGuest(host: HostTopology, guest: GuestTopology): HostTopology {
  if (host.cells.length === 0 || guest.cells.length === 0) return host
  return { cells: host.cells.map((cell) => consumeCells(cell, guest.cells)) }
}

function consumeCells(host: HostCell, guests: readonly GuestCell[]): HostCell {
  pinnableCpus(host)
  if (host.socket === undefined) throw new NovaError('NotImplementedError', `cell ${host.id} of the host has no socket set`)
  return guests.filter((guest) => guest.id === host.id).reduce(consumeCell, host)
}

function consumeCell(host: HostCell, guest: GuestCell): HostCell {
  return {
    ...host,
    mempages: takePages(host, guest),
    memoryUsage: Math.max(0, host.memoryUsage + guest.memory),
    cpuUsage: Math.max(0, host.cpuUsage + guest.cpuset.length),
    pinnedCpus: isPinned(guest) ? pin(host, guest) : host.pinnedCpus,
  }
}

/** Uses pages of the guest's page size or, if the guest states none, of the smallest size. As in Nova, page counts are truncated. */
function takePages(host: HostCell, guest: GuestCell): readonly MemoryPages[] {
  const sizes = host.mempages.map((pages) => pages.sizeKib)
  if (!guest.pagesize && sizes.length === 0) throw new NovaError('IndexError', `cell ${host.id} of the host reports no memory pages`)
  const sizeKib = guest.pagesize || Math.min(...sizes)
  return host.mempages.map((pages) => {
    return pages.sizeKib === sizeKib ? { ...pages, used: Math.max(0, Math.trunc(pages.used + (guest.memory * 1024) / sizeKib)) } : pages
  })
}

function pin(host: HostCell, guest: GuestCell): readonly number[] {
  if (guest.cpuPinning === null) throw new NovaError('AttributeError', `cell ${guest.id} of the guest has no pinning`)
  const cpus = new Set([...Object.values(guest.cpuPinning), ...(guest.cpusetReserved ?? [])])
  const wanted =
    guest.cpuThreadPolicy === 'isolate' ? new Set(host.siblings.filter((core) => core.some((cpu) => cpus.has(cpu))).flat()) : cpus
  const known = new Set(pinnableCpus(host))
  const unknown = [...wanted].filter((cpu) => !known.has(cpu))
  if (unknown.length > 0)
    throw new NovaError('CPUPinningUnknown', `CPUs ${unknown.join(', ')} must not be pinned by guests in cell ${host.id}`)
  const taken = host.pinnedCpus.filter((cpu) => wanted.has(cpu))
  if (taken.length > 0) throw new NovaError('CPUPinningInvalid', `CPUs ${taken.join(', ')} are pinned already in cell ${host.id}`)
  return [...host.pinnedCpus, ...wanted].sort((a, b) => a - b)
}
