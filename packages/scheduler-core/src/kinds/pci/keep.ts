import type { HostTable } from '../../fleet/hosts.ts'
import type { HostIndex } from '../../host-index.ts'
import type { PciGrant } from '../grants.ts'
import { allot, type Place } from './allot.ts'
import type { PciAsk } from './ask.ts'
import { type PoolState, poolNamed, poolsOf, sumByPool } from './pool.ts'

/** Of the devices that an instance holds, those that answer an ask, as near to its cells as they must be, whether the host reports their pools or not. */
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
