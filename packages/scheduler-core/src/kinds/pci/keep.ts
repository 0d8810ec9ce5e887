import type { HostTable } from '../../hosts/hosts.ts'
import type { PciGrant } from '../../records/grants.ts'
import type { HostIndex } from '../../values/host-index.ts'
import { allot, type Place } from './allot.ts'
import type { PciAsk } from './ask.ts'
import { type PoolState, poolNamed, poolsOf, sumByPool } from './pool.ts'

/**
 * The held devices of an instance that satisfy an ask and are near enough to its cells, whether or not the host still reports their pools.
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
