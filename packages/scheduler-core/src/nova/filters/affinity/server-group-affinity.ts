import { novaFilter } from '../../parts/nova-filter.ts'
import { NovaError } from '../../text/nova-error.ts'

/**
 * Creates a filter for server groups with this policy. If the group has hosts, only these hosts pass. Therefore all members share a host.
 */
const affinityFilter = (name: string, policy: string) =>
  novaFilter({
    name,
    description: `If the request's server group has the policy ${policy} and any members, the host has a member.`,
    reads: [],
    prepare({ instanceGroup: group }) {
      if (group == null) return undefined
      const { policies, hosts, uuid } = group
      // For affinity, Nova reads the older field with a list of policies. For anti-affinity, it reads the newer field with a single policy.
      if (policies === undefined)
        throw new NovaError('ObjectActionError', { subject: 'instance_group.policies', need: 'set', have: 'unset' })
      if (!policies?.includes(policy) || hosts == null || hosts.length === 0) return undefined
      const own = new Set(hosts)
      const need = [...own].join(', ')
      return ({ host }) =>
        own.has(host) ? undefined : { code: 'group.affinity', subject: uuid ?? 'n/a', need, have: host, source: `policy ${policy}` }
    },
  })

export const serverGroupAffinityFilter = affinityFilter('ServerGroupAffinityFilter', 'affinity')

/** The filter of Juno for groups that a scheduler hint creates. Such groups have the policy legacy. */
export const groupAffinityFilter = affinityFilter('GroupAffinityFilter', 'legacy')
