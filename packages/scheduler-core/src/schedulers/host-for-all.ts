import type { Grants, GroupBinding } from '../fleet/change.ts'
import { at, type HostIndex } from '../fleet/columns.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { TOGETHER_AT_ONCE } from '../fleet/levels.ts'
import type { Overlay } from '../fleet/overlay.ts'
import type { Steps } from '../fleet/steps.ts'
import { type FilterStep, passesSafely } from '../pipeline/run-filters.ts'
import { sumsOf } from '../request/members.ts'
import type { RequestSpec } from '../request/request-spec.ts'

/** Hosts that have the amounts for all instances together and are tried for the rest: cells and devices are found out by placing. */
const MOST_TRIED = 100

/**
 * Whether the instances of a request go to one host together: several members of a server group with the policy AFFINITY. The best host for the
 * first of them may have no room for the others; then a host is looked for that holds all.
 */
export const goTogether = ({ instanceGroup, numInstances }: RequestSpec, { featureLevel }: Fleet): boolean =>
  featureLevel >= TOGETHER_AT_ONCE && instanceGroup?.policy === 'AFFINITY' && numInstances > 1

/** What decides whether an instance, by its number, may be on a host, and what it takes there. */
export interface InstanceAsk {
  readonly steps: readonly FilterStep[]
  readonly grantsOn: (host: HostIndex) => Grants
}

/** The first of some hosts on which all instances of a request have room together, one after the other; undefined: none of those looked at. */
export function* findHostForAll(
  request: RequestSpec,
  fleet: Fleet,
  overlay: Overlay,
  askOf: (instance: number) => InstanceAsk,
  group: GroupBinding | null,
  hosts: Iterable<HostIndex>,
): Steps<HostIndex | undefined> {
  const isLarge = largeEnough(request, fleet)
  let tried = 0
  for (const host of hosts) {
    if (!isLarge(host)) continue
    if (tried++ === MOST_TRIED) return undefined
    const { host: name, node } = fleet.hosts.get(host)
    const before = overlay.size
    let placed = 0
    for (; placed < request.numInstances; placed++) {
      const { steps, grantsOn } = askOf(placed)
      if (!steps.every(({ prepared }) => prepared !== undefined && passesSafely(prepared, host) === true)) break
      overlay.hold({ claim: '', instance: null, host: name, node, grants: grantsOn(host) }, group)
    }
    overlay.rollback(before)
    if (placed === request.numInstances) return host
    yield
  }
  return undefined
}

/** Whether a host has the amounts left that all instances take together. Disk may lie in a pool: filters say. */
function largeEnough(request: RequestSpec, { hosts }: Fleet): (host: HostIndex) => boolean {
  const sums = sumsOf(request)
  sums.delete('DISK_GB')
  const needs = [...sums].map(([resourceClass, need]) => ({ need, free: hosts.classColumns(resourceClass).free }))
  return (host) => needs.every(({ need, free }) => at(free, host) >= need)
}
