import type { HostTable } from '../../hosts/hosts.ts'
import type { PciGrant } from '../../records/grants.ts'
import type { HostIndex } from '../../values/host-index.ts'
import { allot, type Place } from './allot.ts'
import type { PciAsk } from './ask.ts'
import { type PoolState, poolNamed, poolsOf, sumByPool } from './pool.ts'

/**
 * From the devices that an instance holds, chooses devices that meet an ask and are near enough to the NUMA cells. Undefined if the held
 * devices do not meet the ask. A held device can be chosen even if the host does not report its pool.
 */
export function keepDevices(
  hosts: HostTable,
  host: HostIndex,
  ask: PciAsk,
  held: readonly PciGrant[],
  place: Place | undefined,
): readonly PciGrant[] | undefined {
  const { list } = poolsOf(hosts.get(host))
  const own = [...sumByPool(held)].map(([key, free]): PoolState => ({ ...(list.find((pool) => pool.key === key) ?? poolNamed(key)), free }))
  const allotted = allot({ shape: own.map(({ key }) => key).join(' '), list: own }, ask, place)
  return allotted.ok ? allotted.grants() : undefined
}
