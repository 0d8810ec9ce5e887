import type { Filter } from '../contracts/filter.ts'
import { groupAllows } from '../hosts/groups.ts'
import { groupFrom } from '../hosts/sources.ts'
import { counted } from '../text/amount-text.ts'
import { fromRequest } from '../text/evidence.ts'
import type { HostIndex } from '../values/host-index.ts'

/** A host has at most maxServerPerHost (default 1) members of a server group with the policy ANTI_AFFINITY. */
export const serverGroupAntiAffinityFilter: Filter = {
  name: 'ServerGroupAntiAffinityFilter',
  description: 'The host has fewer members of the anti-affinity group than the group allows per host.',
  reads: [],
  readsHostOnly: true,
  prepare({ instanceGroup }, { groups, hosts }) {
    if (instanceGroup?.policy !== 'ANTI_AFFINITY') return undefined

    const most = instanceGroup.maxServerPerHost ?? 1
    const elsewhere = new Map<string, number>()
    for (const name of instanceGroup.hosts) elsewhere.set(name, (elsewhere.get(name) ?? 0) + 1)
    const claimed = (host: HostIndex) => groups.find(instanceGroup.uuid)?.members.get(host) ?? 0
    /** A host must satisfy the requested policy and the policy that the group has since its first claim. */
    const rule = () => {
      const bound = groups.find(instanceGroup.uuid)
      if (bound?.policy === 'AFFINITY') return { bound: 'policy', need: 'no more (the group is bound to AFFINITY, and lives elsewhere)' }
      const least = bound?.policy === 'ANTI_AFFINITY' ? (bound.maxServerPerHost ?? 1) : most
      return { bound: least < most ? 'maxServerPerHost, as it is bound' : 'maxServerPerHost', need: `fewer than ${Math.min(most, least)}` }
    }
    const needAt = (host: HostIndex) => (members(host) < most ? rule() : { bound: 'maxServerPerHost', need: `fewer than ${most}` })
    const members = (host: HostIndex) => Math.max(claimed(host), elsewhere.get(hosts.get(host).host) ?? 0)
    return {
      passes(host) {
        const group = groups.find(instanceGroup.uuid)
        return members(host) < most && (group === undefined || groupAllows(group, host))
      },
      exceptions() {
        const group = groups.find(instanceGroup.uuid)
        // a group that is bound to AFFINITY allows one host only, and a limit of 0 refuses every host
        if (most < 1 || group?.policy === 'AFFINITY' || (group?.maxServerPerHost ?? 1) < 1) return undefined
        return [...(group?.members.keys() ?? []), ...[...elsewhere.keys()].flatMap((name) => hosts.nodesOf(name))]
      },
      reason: (host) => ({
        code: 'group.anti_affinity',
        subject: instanceGroup.uuid,
        need: needAt(host).need,
        have: members(host),
        unit: 'members',
      }),
      facts: (host) => [
        {
          subject: instanceGroup.uuid,
          required: needAt(host).need,
          actual: members(host),
          unit: 'members',
          requiredFrom: groupFrom(instanceGroup.uuid, needAt(host).bound),
          actualFrom:
            members(host) === claimed(host)
              ? { kind: 'claims', ref: `${counted(claimed(host), 'claim')} of the group` }
              : fromRequest('instanceGroup.hosts'),
        },
      ],
    }
  },
}
