import type { GuestCell, GuestTopology, HostCell, HostTopology } from './topology.ts'

/**
 * An idle host cell for tests, with eight CPUs on four cores, 4 GiB of memory and no memory pages. All CPUs can be shared or pinned.
 */
export function aHostCell(id: number, more: Partial<HostCell> = {}): HostCell {
  const cpus = more.cpuset ?? numbers(8, id * 8)
  return {
    id,
    cpuset: cpus,
    pcpuset: cpus,
    memory: 4096,
    cpuUsage: 0,
    memoryUsage: 0,
    pinnedCpus: [],
    siblings: cpus.flatMap((_cpu, i) => (i % 2 === 0 ? [cpus.slice(i, i + 2)] : [])),
    mempages: [],
    socket: Math.floor(id / 2),
    networkMetadata: undefined,
    ...more,
  }
}

export function aHost(...cells: readonly HostCell[]): HostTopology {
  return { cells }
}

/** A guest cell for tests, with two shared CPUs and 512 MiB of memory. */
export function aGuestCell(id: number, more: Partial<GuestCell> = {}): GuestCell {
  return {
    id,
    cpuset: more.cpuPolicy === 'dedicated' ? [] : numbers(2, id * 2),
    pcpuset: more.cpuPolicy === 'dedicated' ? numbers(2, id * 2) : [],
    memory: 512,
    pagesize: null,
    cpuPolicy: null,
    cpuThreadPolicy: null,
    cpuPinning: null,
    cpusetReserved: null,
    ...more,
  }
}

export function aGuest(cells: readonly GuestCell[], more: Partial<GuestTopology> = {}): GuestTopology {
  return { cells, emulatorThreadsPolicy: null, ...more }
}

/** The `count` integers that start at `from`. */
export function numbers(count: number, from = 0): readonly number[] {
  return Array.from({ length: count }, (_nothing, i) => from + i)
}
