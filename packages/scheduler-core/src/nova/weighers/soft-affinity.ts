import type { HostState } from '../objects/host-state.ts'
import type { NovaRequest } from '../objects/request.ts'
import { novaWeigher } from '../parts/nova-weigher.ts'

/** Scores hosts by their members of a group with the policy soft-affinity. */
export const serverGroupSoftAffinityWeigher = novaWeigher({
  name: 'ServerGroupSoftAffinityWeigher',
  description: 'Members of the soft-affinity group on the host.',
  readsRequest: { fields: ['softAffinity'] },
  reads: ['instances'],
  unit: 'members',
  multiplier: { key: 'soft_affinity_weight_multiplier', isPositive: true },
  prepare: (request) => membersOf(request, 'soft-affinity'),
})

/** Scores hosts by the negative number of their members of a group with the policy soft-anti-affinity. */
export const serverGroupSoftAntiAffinityWeigher = novaWeigher({
  name: 'ServerGroupSoftAntiAffinityWeigher',
  description: 'Members of the soft-anti-affinity group on the host; fewer are better.',
  readsRequest: { fields: ['softAntiAffinity'] },
  reads: ['instances'],
  unit: 'members',
  multiplier: { key: 'soft_anti_affinity_weight_multiplier', isPositive: true },
  prepare(request) {
    const count = membersOf(request, 'soft-anti-affinity')
    return (host) => -count(host)
  },
})

function membersOf({ instanceGroup }: NovaRequest, policy: string): (host: HostState) => number {
  if (instanceGroup?.policy !== policy) return () => 0
  const members = new Set(instanceGroup.members)
  return ({ instances }) => {
    let count = 0
    for (const member of members) if (instances.has(member)) count++
    return count
  }
}
