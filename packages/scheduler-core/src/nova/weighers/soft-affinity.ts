import type { HostState } from '../objects/host-state.ts'
import type { NovaRequest } from '../objects/request.ts'
import { countMembers } from '../parts/count-members.ts'
import { noScore, novaWeigher } from '../parts/nova-weigher.ts'

/** If the request's server group has the policy soft-affinity, the score is the number of its members on the host. */
export const serverGroupSoftAffinityWeigher = novaWeigher({
  name: 'ServerGroupSoftAffinityWeigher',
  description: "Members of the request's soft-affinity group on the host; more are better.",
  readsRequest: { fields: ['softAffinity', 'softAffinityMembers'] },
  reads: ['instances'],
  unit: 'members',
  multiplier: { key: 'soft_affinity_weight_multiplier', isPositive: true },
  prepare: (request) => membersOf(request, 'soft-affinity'),
})

/** If the request's server group has the policy soft-anti-affinity, the score is minus the number of its members on the host. */
export const serverGroupSoftAntiAffinityWeigher = novaWeigher({
  name: 'ServerGroupSoftAntiAffinityWeigher',
  description: "Members of the request's soft-anti-affinity group on the host; fewer are better.",
  readsRequest: { fields: ['softAntiAffinity', 'softAntiAffinityMembers'] },
  reads: ['instances'],
  unit: 'members',
  multiplier: { key: 'soft_anti_affinity_weight_multiplier', isPositive: true },
  prepare(request) {
    const count = membersOf(request, 'soft-anti-affinity')
    return count === noScore ? noScore : (host) => -count(host)
  },
})

function membersOf({ instanceGroup }: NovaRequest, policy: string): (host: HostState) => number {
  if (instanceGroup?.policy !== policy) return noScore
  const members = new Set(instanceGroup.members)
  return ({ instances }) => countMembers(members, instances)
}
