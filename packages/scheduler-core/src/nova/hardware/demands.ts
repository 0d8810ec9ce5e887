import { type PciPool, type PciRequest, poolsFor } from './pci.ts'
import type { HostCell, NetworkMetadata } from './topology.ts'

/**
 * What the chosen cells must have together, as an amount: a request for devices, a network, all networks. To meet all
 * demands is needed, not enough: pools have an order, and one request takes what another wanted.
 */
export interface Demand {
  readonly need: number
  /** What each cell of the host adds, in the order of trying. */
  readonly gains: readonly number[]
  /** The cells with the largest gains first. */
  readonly best: readonly number[]
}

/** Demands of devices and networks on cells of a host. */
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

/** Whether cells that are chosen, and so many more of those that are not used, can meet all demands. */
export function canMeet(demands: readonly Demand[], chosen: readonly number[], used: Uint8Array, more: number): boolean {
  return demands.every(({ need, gains, best }) => {
    let sum = 0
    for (const host of chosen) sum += gains[host] as number
    for (let i = 0, left = more; i < best.length && left > 0 && sum < need; i += 1) {
      if (used[best[i] as number] === 1) continue
      sum += gains[best[i] as number] as number
      left -= 1
    }
    return sum >= need
  })
}

/** Devices for some requests together: each pool counts once, as far around its cell as the laxest of them reaches. */
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
