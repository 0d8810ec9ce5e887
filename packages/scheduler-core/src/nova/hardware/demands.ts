import type { Demand } from '../../values/demand.ts'
import { type PciPool, type PciRequest, poolsFor } from './pci.ts'
import type { HostCell, NetworkMetadata } from './topology.ts'

/**
 * Conditions that every choice of host cells must meet to have the requested devices and networks. The search skips choices that do not
 * meet all of them.
 */
export function demandsOf(
  hosts: readonly HostCell[],
  pools: readonly PciPool[],
  requests: readonly PciRequest[],
  networks: NetworkMetadata | undefined,
): readonly Demand[] {
  const demands = requests.map((request) => devicesDemand(hosts, pools, [request]))
  if (requests.length > 1) demands.push(devicesDemand(hosts, pools, requests))
  const leads = (physnet: string) => hosts.map((cell) => Number(cell.networkMetadata?.physnets.includes(physnet) ?? false))
  const physnets = [...new Set(networks?.physnets)].map(leads).filter(isSomewhere)
  const tunneled = networks?.tunneled === true ? hosts.map((cell) => Number(cell.networkMetadata?.tunneled ?? false)) : []
  const ways = isSomewhere(tunneled) ? [...physnets, tunneled] : physnets
  const all = hosts.map((_cell, i) => ways.reduce((sum, gains) => sum + (gains[i] as number), 0))
  return [...demands, ...ways.map((gains) => demand(1, gains)), ...(ways.length > 1 ? [demand(ways.length, all)] : [])]
}

/**
 * The condition for several device requests together: the pools near the chosen cells must have enough devices for all of them. A pool is
 * counted once, for all cells from which the least strict request can use it.
 */
function devicesDemand(hosts: readonly HostCell[], pools: readonly PciPool[], requests: readonly PciRequest[]): Demand {
  const usable = requests.map((request) => new Set(poolsFor(pools, request)))
  const gains = hosts.map(() => 0)
  let need = requests.reduce((sum, request) => sum + request.count, 0)
  for (const pool of pools) {
    const cell = pool.keys.numa_node ?? null
    const policies = requests.filter((_request, i) => usable[i]?.has(pool)).map((request) => request.numaPolicy ?? 'legacy')
    if (policies.includes('preferred') || (cell === null && policies.includes('legacy'))) need -= pool.count
    else if (policies.length > 0) {
      const own = hosts.find((host) => host.id === cell)
      const reaches = (host: HostCell) =>
        host.id === cell || (own !== undefined && policies.includes('socket') && host.socket === own.socket)
      for (const [i, host] of hosts.entries()) if (reaches(host)) gains[i] = (gains[i] as number) + pool.count
    }
  }
  return demand(need, gains)
}

function demand(need: number, gains: readonly number[]): Demand {
  return { need, gains, best: gains.map((_gain, i) => i).sort((a, b) => (gains[b] as number) - (gains[a] as number)) }
}

function isSomewhere(gains: readonly number[]): boolean {
  return gains.some((gain) => gain > 0)
}
