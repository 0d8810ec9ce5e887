import { novaFilter } from '../../parts/nova-filter.ts'
import { NovaError } from '../../text/nova-error.ts'

/** Members of a group with this policy share a host: it must be one of the group's hosts, once it has any. */
const affinityFilter = (name: string, policy: string) =>
  novaFilter({
    name,
    description: `The host is one of those of the server group with the policy ${policy}.`,
    reads: [],
    prepare({ instanceGroup: group }) {
      if (group == null) return undefined
      const { policies, hosts, uuid } = group
      // For affinity Nova reads the older list of policies, and for anti-affinity the newer single policy.
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

/** The filter of Juno, for groups that a hint created. */
export const groupAffinityFilter = affinityFilter('GroupAffinityFilter', 'legacy')
