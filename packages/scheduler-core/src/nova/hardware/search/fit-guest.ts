import { demandsOf } from '../demands.ts'
import { networksShort } from '../networks.ts'
import { type PciPlaces, type PciPool, type PciRequest, supportPciRequests } from '../pci.ts'
import type { Shortfall } from '../shortfall.ts'
import type { GuestTopology, HostCell, HostTopology, NetworkMetadata, NumaLimits } from '../topology.ts'
import { orderCells } from './order-cells.ts'
import { pairTable } from './pair-table.ts'
import type { SearchInput } from './search.ts'
import { NOVA_STEPS, searchAsNova } from './search-as-nova.ts'
import { searchEachPair } from './search-each-pair.ts'
import { whyNoPlace } from './why-no-place.ts'

/** The inputs of `fitGuest` in addition to the topologies of host and guest. */
export interface FitOptions {
  /** The host's allocation ratios and the request's networks. Null on forced hosts, for which no filter sets limits. */
  readonly limits: NumaLimits | null
  /** The host's device pools and the request's device requests. Undefined if the host reports no pools. */
  readonly pci?: { readonly pools: readonly PciPool[]; readonly requests: readonly PciRequest[] }
  /** If true, the fullest cells of the host are tried first. */
  readonly packing?: boolean
  /**
   * `nova` gives the results of Nova's search, including its wrong results. `pairs` checks each pair of guest cell and host cell
   * independently, and so finds every fit. The default is `nova`.
   */
  readonly search?: 'nova' | 'pairs'
}

/** The guest with its host cells, or a function that returns the shortfall. `steps` is the number of steps that the search took. */
export type FitResult =
  | { readonly ok: true; readonly guest: GuestTopology; readonly steps: number }
  | { readonly ok: false; readonly why: () => Shortfall; readonly steps: number }

/**
 * Assigns each NUMA cell of a guest to a separate NUMA cell of the host. If several assignments are possible, the result is the first one
 * in Nova's order. If Nova's search would take more than `NOVA_STEPS` steps, it is replaced by the search `pairs`.
 */
export function fitGuest(host: HostTopology, guest: GuestTopology, options: FitOptions): FitResult {
  if (guest.cells.length === 0 || host.cells.length === 0) {
    const why = (): Shortfall => ({ code: 'numa.not_reported', need: guest.cells.length, have: host.cells.length, unit: 'cells' })
    return { ok: false, why, steps: 0 }
  }
  if (host.cells.length < guest.cells.length) {
    const why = (): Shortfall => ({ code: 'numa.cells', need: guest.cells.length, have: host.cells.length, unit: 'cells' })
    return { ok: false, why, steps: 0 }
  }
  const input = searchInput(host, guest, options)
  const first = options.search === 'pairs' ? undefined : searchAsNova(input, NOVA_STEPS)
  const result = first === undefined || first.end === 'limit' ? searchEachPair(input) : first
  const steps = result.steps + (result === first ? 0 : (first?.steps ?? 0))
  if (result.end === 'found') return { ok: true, guest: { ...guest, cells: result.cells }, steps }
  return { ok: false, why: () => whyNoPlace(input, result), steps }
}

/** The chosen host cells, with the sockets of all host cells. The device policy `socket` needs the sockets. */
export function placesOf(host: HostTopology, cells: readonly number[]): PciPlaces {
  return { cells, sockets: new Map(host.cells.map((cell) => [cell.id, cell.socket])) }
}

function searchInput(host: HostTopology, guest: GuestTopology, { limits, pci, packing = false }: FitOptions): SearchInput {
  const requests = pci?.requests ?? []
  const networks = limits?.networkMetadata
  const hosts = orderCells(host, guest, { packing, pools: pci?.pools, wantsDevices: requests.length > 0 })
  const isAsked = requests.length > 0 || networks !== undefined
  const objection = (chosen: readonly number[]): Shortfall | undefined => {
    const cells = chosen.map((i) => hosts[i] as HostCell)
    return devicesShort(host, cells, pci) ?? networksShort(host, cells, networks)
  }
  const basis = { hosts, guests: guest.cells, emulatorThreadsPolicy: guest.emulatorThreadsPolicy, limits }
  return {
    ...basis,
    pairs: pairTable(basis),
    demands: demandsOf(hosts, pci?.pools ?? [], requests, networks),
    suits: isAsked ? knownBySet((chosen) => objection(chosen) === undefined) : undefined,
    objection,
    traitOf: (cell) => traitOf(cell, pci, networks),
  }
}

function devicesShort(host: HostTopology, chosen: readonly HostCell[], pci: FitOptions['pci']): Shortfall | undefined {
  if (pci === undefined || pci.requests.length === 0) return undefined
  const cells = chosen.map((cell) => cell.id)
  return supportPciRequests(pci.pools, pci.requests, placesOf(host, cells))
}

/** Caches the answer for each set of chosen cells. The answer does not depend on the order of the cells. */
function knownBySet(answer: (chosen: readonly number[]) => boolean): (chosen: readonly number[]) => boolean {
  const known = new Map<bigint | number, boolean>()
  return (chosen) => {
    const key =
      Math.max(...chosen) < 31 ? chosen.reduce((bits, i) => bits | (1 << i), 0) : chosen.reduce((bits, i) => bits | (1n << BigInt(i)), 0n)
    let found = known.get(key)
    if (found === undefined) {
      found = answer(chosen)
      known.set(key, found)
    }
    return found
  }
}

/** Text with everything about a cell that matters for the request's devices and networks. Cells with equal texts are interchangeable. */
function traitOf(cell: HostCell, pci: FitOptions['pci'], networks: NetworkMetadata | undefined): string {
  const bySocket = pci?.requests.some((request) => request.numaPolicy === 'socket') ? cell.socket : ''
  const devices = pci !== undefined && pci.requests.length > 0 && pci.pools.some((pool) => pool.keys.numa_node === cell.id) ? cell.id : ''
  const physnets = networks?.physnets.filter((physnet) => cell.networkMetadata?.physnets.includes(physnet)) ?? []
  const tunnel = networks?.tunneled === true && cell.networkMetadata?.tunneled === true
  return JSON.stringify([bySocket, devices, physnets, tunnel])
}
