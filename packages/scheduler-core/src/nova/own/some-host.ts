import type { Fleet } from '../../fleet/fleet.ts'
import type { HostIndex } from '../../values/host-index.ts'
import { memoByObject } from '../../values/memo.ts'

/**
 * Returns a function that says whether some present host of a fleet has a property. `has` must depend only on the host's own state. It is
 * called once for every host, and then only for hosts that changed.
 */
export function someHost(has: (fleet: Fleet, host: HostIndex) => boolean): (fleet: Fleet) => boolean {
  const knownOf = memoByObject((_fleet: Fleet) => ({ hosts: new Set<HostIndex>(), count: 0, followed: 0 }))
  return (fleet) => {
    const { count, changes, columns } = fleet.hosts
    const known = knownOf(fleet)
    const check = (host: HostIndex): void => {
      if (columns.gone[host] === 0 && has(fleet, host)) known.hosts.add(host)
      else known.hosts.delete(host)
    }
    if (!changes.eachAfter(known.followed, (host) => host < known.count && check(host))) known.count = 0
    for (let host = known.count; host < count; host++) check(host as HostIndex)
    known.count = count
    known.followed = changes.count
    return known.hosts.size > 0
  }
}
