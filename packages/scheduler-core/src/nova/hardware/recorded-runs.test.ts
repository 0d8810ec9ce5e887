import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { sharedData } from '../../../../../testing/shared-folder.ts'
import { NovaError } from '../text/nova-error.ts'
import { consumeGuest } from './consume-guest.ts'
import { consumePci, type PciPool, type PciRequest } from './pci.ts'
import { readPciPools, readPciRequests } from './read-pci.ts'
import { readGuestTopology, readHostTopology, readNetworkMetadata } from './read-topology.ts'
import { fitGuest, placesOf } from './search/fit-guest.ts'
import type { GuestTopology, HostTopology, NumaLimits } from './topology.ts'

/** Requests with all their filter results and placements, recorded from Nova's own scheduler. */
const recordedRuns = sharedData('conformance/cases/endtoend.jsonl.gz')

interface Envelope {
  readonly 'nova_object.data': Readonly<Record<string, unknown>>
}

interface Run {
  readonly id: string
  readonly config: Readonly<Record<string, unknown>>
  readonly hosts: readonly { readonly host: string; readonly compute_node: Envelope }[]
  readonly spec: Envelope
  readonly expected: { readonly rounds?: readonly Round[] }
}

interface Round {
  readonly filters: readonly { readonly filter: string; readonly survivors: readonly string[] }[]
  readonly selected: string | null
  readonly state_after?: { readonly pci_pools: unknown; readonly numa: unknown }
}

interface HostState {
  numa: HostTopology | null
  pools: readonly PciPool[]
  limits: NumaLimits | null
}

/** Converts the state of a host's cells to the form of the recorded runs. */
function numaRow(numa: HostTopology | null): unknown {
  return (
    numa?.cells.map((cell) => ({
      id: cell.id,
      cpu_usage: cell.cpuUsage,
      memory_usage: cell.memoryUsage,
      pinned_cpus: cell.pinnedCpus,
      mempages: cell.mempages.map(({ sizeKib, ...counts }) => ({ size_kb: sizeKib, ...counts })),
    })) ?? null
  )
}

function poolRow(pools: readonly PciPool[]): unknown {
  return pools.map(({ keys, count }) => ({ ...keys, count }))
}

/**
 * Places a guest on a host as Nova's scheduler does, and changes `state`. An error ends the placement. Changes before the error stay, as in
 * Nova. Returns the guest after the placement.
 */
function take(state: HostState, guest: GuestTopology | null, requests: readonly PciRequest[], packing: boolean): GuestTopology | null {
  let placed = guest
  try {
    const pci = { pools: state.pools, requests }
    if (state.numa !== null && guest !== null) {
      const fit = fitGuest(state.numa, guest, { limits: state.limits, pci, packing })
      placed = fit.ok ? fit.guest : null
      if (placed !== null) state.numa = consumeGuest(state.numa, placed)
    }
    const cells = placed?.cells.map((cell) => cell.id)
    const taken = consumePci(state.pools, requests, cells && state.numa ? placesOf(state.numa, cells) : undefined)
    state.pools = taken.pools
  } catch (error) {
    if (!(error instanceof NovaError)) throw error
  }
  return placed
}

function stateOf(node: Readonly<Record<string, unknown>>): HostState {
  return { numa: readHostTopology(node.numa_topology), pools: readPciPools(node.pci_device_pools), limits: null }
}

test.skipIf(recordedRuns.isMissing)(`hosts after each selection are as recorded${recordedRuns.skipNote}`, () => {
  const runs = gunzipSync(readFileSync(recordedRuns.path))
    .toString('utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Run)
  const found: unknown[] = []
  const recorded: unknown[] = []
  for (const { id, config, hosts, spec, expected } of runs) {
    const request = spec['nova_object.data']
    const states = new Map(
      hosts.map(({ host, compute_node }) => [
        host,
        { node: compute_node['nova_object.data'], state: stateOf(compute_node['nova_object.data']) },
      ]),
    )
    let guest = readGuestTopology(request.numa_topology)
    const requests = readPciRequests(request.pci_requests)
    const networkMetadata = readNetworkMetadata(request.network_metadata)
    const packing = config['compute.packing_host_numa_cells_allocation_strategy'] === true
    for (const round of expected.rounds ?? []) {
      const filtered = round.filters.find(({ filter }) => filter === 'NUMATopologyFilter')?.survivors ?? []
      for (const name of filtered) {
        const host = states.get(name)
        if (host === undefined || guest === null || host.state.numa === null) continue
        const [cpu, ram] = [host.node.cpu_allocation_ratio as number, host.node.ram_allocation_ratio as number]
        host.state.limits = { cpuAllocationRatio: cpu, ramAllocationRatio: ram, networkMetadata }
      }
      const state = states.get(round.selected ?? '')?.state
      if (state === undefined || round.state_after === undefined) continue
      guest = take(state, guest, requests, packing)
      found.push({ id, numa: numaRow(state.numa), pools: poolRow(state.pools) })
      recorded.push({ id, numa: round.state_after.numa, pools: round.state_after.pci_pools })
    }
  }
  expect(recorded.length).toBeGreaterThan(0)
  expect(found).toEqual(recorded)
})
