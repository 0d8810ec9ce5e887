import type { Filter } from '../contracts/filter.ts'
import { groupAllows } from '../hosts/groups.ts'
import { groupFrom, reportOf } from '../hosts/sources.ts'

/** Keeps all members of a server group with the policy AFFINITY on one host. */
export const serverGroupAffinityFilter: Filter = {
  name: 'ServerGroupAffinityFilter',
  description: 'The host has the members of the affinity group, or the group has no members.',
  reads: [],
  prepare({ instanceGroup }, { groups, hosts }) {
    if (instanceGroup?.policy !== 'AFFINITY') return undefined

    // The request lists hosts of group members without a claim in this service. Members with claims are read at each call, because earlier
    // instances of this request become members too.
    const elsewhere = new Set(instanceGroup.hosts)
    const homes = () => {
      const members = [...(groups.find(instanceGroup.uuid)?.members.keys() ?? [])].map((member) => hosts.get(member).host)
      return [...new Set([...elsewhere, ...members])].slice(0, 5).join(', ')
    }
    return {
      passes(host) {
        if (elsewhere.size > 0 && !elsewhere.has(hosts.get(host).host)) return false
        const group = groups.find(instanceGroup.uuid)
        return group === undefined || groupAllows(group, host)
      },
      reason: () => ({ code: 'group.affinity', subject: instanceGroup.uuid, need: homes() }),
      facts: (host) => [
        {
          subject: instanceGroup.uuid,
          required: homes(),
          requiredFrom: groupFrom(instanceGroup.uuid, 'AFFINITY'),
          actualFrom: reportOf(hosts.get(host)),
        },
      ],
    }
  },
}
