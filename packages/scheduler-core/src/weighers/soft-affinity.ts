import type { Weigher } from '../contracts/weigher.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { GroupPolicy } from '../records/change.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import type { HostIndex } from '../values/host-index.ts'
import { multipliedBy } from './aggregate-multiplier.ts'

/** The number of members on the host, for a server group with the policy SOFT_AFFINITY; 0 for every other request. */
export const serverGroupSoftAffinityWeigher: Weigher = {
  name: 'ServerGroupSoftAffinityWeigher',
  description: 'Members of the soft-affinity group on the host.',
  readsRequest: { fields: ['softAffinity', 'softAffinityHosts'] },
  reads: [],
  unit: 'members',
  readsHostOnly: true,
  ...multipliedBy('soft_affinity_weight_multiplier'),
  prepare: (request, fleet) => membersOf(request, fleet, 'SOFT_AFFINITY'),
}

/** Minus the number of members on the host, for a server group with the policy SOFT_ANTI_AFFINITY; 0 for every other request. */
export const serverGroupSoftAntiAffinityWeigher: Weigher = {
  name: 'ServerGroupSoftAntiAffinityWeigher',
  description: 'Members of the soft-anti-affinity group on the host; fewer are better.',
  readsRequest: { fields: ['softAntiAffinity', 'softAntiAffinityHosts'] },
  reads: [],
  unit: 'members',
  readsHostOnly: true,
  ...multipliedBy('soft_anti_affinity_weight_multiplier'),
  prepare(request, fleet) {
    const count = membersOf(request, fleet, 'SOFT_ANTI_AFFINITY')
    return (host) => 0 - count(host)
  },
}

/** Counts live claims, earlier instances of this request, and members that the caller lists by their hosts. */
function membersOf({ instanceGroup }: RequestSpec, { groups, hosts }: Fleet, policy: GroupPolicy): (host: HostIndex) => number {
  if (instanceGroup?.policy !== policy) return () => 0
  const elsewhere = new Map<string, number>()
  for (const name of instanceGroup.hosts) elsewhere.set(name, (elsewhere.get(name) ?? 0) + 1)
  return (host) => {
    const claimed = groups.find(instanceGroup.uuid)?.members.get(host) ?? 0
    return elsewhere.size === 0 ? claimed : Math.max(claimed, elsewhere.get(hosts.get(host).host) ?? 0)
  }
}
