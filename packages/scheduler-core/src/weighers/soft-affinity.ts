import { noPreference, type Weigher } from '../contracts/weigher.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { GroupPolicy } from '../records/change.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import type { HostIndex } from '../values/host-index.ts'
import { multipliedBy } from './aggregate-multiplier.ts'

/** If the request's server group has the policy SOFT_AFFINITY, the number of its members on the host. Otherwise 0. */
export const serverGroupSoftAffinityWeigher: Weigher = {
  name: 'ServerGroupSoftAffinityWeigher',
  description: "Members of the request's soft-affinity group on the host; more are better.",
  readsRequest: { fields: ['softAffinity', 'softAffinityHosts'] },
  reads: [],
  unit: 'members',
  readsHostOnly: true,
  ...multipliedBy('soft_affinity_weight_multiplier'),
  prepare: (request, fleet) => membersOf(request, fleet, 'SOFT_AFFINITY') ?? noPreference,
}

/** If the request's server group has the policy SOFT_ANTI_AFFINITY, minus the number of its members on the host. Otherwise 0. */
export const serverGroupSoftAntiAffinityWeigher: Weigher = {
  name: 'ServerGroupSoftAntiAffinityWeigher',
  description: "Members of the request's soft-anti-affinity group on the host; fewer are better.",
  readsRequest: { fields: ['softAntiAffinity', 'softAntiAffinityHosts'] },
  reads: [],
  unit: 'members',
  readsHostOnly: true,
  ...multipliedBy('soft_anti_affinity_weight_multiplier'),
  prepare(request, fleet) {
    const count = membersOf(request, fleet, 'SOFT_ANTI_AFFINITY')
    return count === undefined ? noPreference : (host) => 0 - count(host)
  },
}

/**
 * Returns a function for the number of members of the request's group on a host. This is the larger of two counts: members with claims,
 * including earlier instances of the request, and how many times the request lists the host for its group. Undefined if the request has no
 * group with this policy.
 */
function membersOf(
  { instanceGroup }: RequestSpec,
  { groups, hosts }: Fleet,
  policy: GroupPolicy,
): ((host: HostIndex) => number) | undefined {
  if (instanceGroup?.policy !== policy) return undefined
  const elsewhere = new Map<string, number>()
  for (const name of instanceGroup.hosts) elsewhere.set(name, (elsewhere.get(name) ?? 0) + 1)
  return (host) => {
    const claimed = groups.find(instanceGroup.uuid)?.members.get(host) ?? 0
    return elsewhere.size === 0 ? claimed : Math.max(claimed, elsewhere.get(hosts.get(host).host) ?? 0)
  }
}
