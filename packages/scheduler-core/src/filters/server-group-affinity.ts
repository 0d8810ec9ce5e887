import type { Filter } from '../contracts/filter.ts'
import { groupAllows } from '../hosts/groups.ts'
import { groupFrom, reportOf } from '../hosts/sources.ts'

/** All members of a server group with the policy AFFINITY are on one host. */
export const serverGroupAffinityFilter: Filter = {
  name: 'ServerGroupAffinityFilter',
  description: 'The host holds the members of the affinity group, or the group has none yet.',
  reads: [],
  prepare({ instanceGroup }, { groups, hosts }) {
    if (instanceGroup?.policy !== 'AFFINITY') return undefined

    // the caller names the hosts of members that were placed elsewhere; claims of the group are read at each call, with those of this
    // request
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
