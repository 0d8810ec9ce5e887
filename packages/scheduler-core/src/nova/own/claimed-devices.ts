import type { Fleet } from '../../fleet/fleet.ts'
import { poolKey } from '../../kinds/pci/pool.ts'
import { isLive } from '../../records/claim.ts'
import type { HostStats } from '../../report/stats.ts'
import type { HostName } from '../../values/host-name.ts'

/**
 * Adds claimed devices to the device pools of a report. The pools in Nova's document have only the number of free devices
 * (`nova/pci/stats.py`). Therefore the devices of claims whose instances are in the report are added to both the total and the usage of a
 * pool. Nova leaves out a pool without free devices. Such a pool is taken from the previous report.
 */
export function withClaimedDevices(stats: HostStats, name: HostName, { hosts, ledger }: Pick<Fleet, 'hosts' | 'ledger'>): HostStats {
  const record = hosts.find(name)
  const listed = new Set(stats.instances)
  const held = new Map<string, number>()
  for (const claim of record?.claims ?? []) {
    if (claim.instance === null || !listed.has(claim.instance) || !isLive(claim)) continue
    for (const { pool, count } of ledger.addedGrants(claim).pci ?? []) held.set(pool, (held.get(pool) ?? 0) + count)
  }
  if (held.size === 0) return stats
  const pools = stats.pciPools.map((pool) => {
    const count = held.get(poolKey(pool)) ?? 0
    held.delete(poolKey(pool))
    return count === 0 ? pool : { ...pool, total: pool.total + count, used: (pool.used ?? 0) + count }
  })
  for (const pool of record?.stats.pciPools ?? []) {
    const count = held.get(poolKey(pool))
    if (count !== undefined) pools.push({ ...pool, total: count, used: count })
    held.delete(poolKey(pool))
  }
  return { ...stats, pciPools: pools }
}
