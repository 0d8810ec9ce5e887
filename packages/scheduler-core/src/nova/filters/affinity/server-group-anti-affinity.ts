import type { Reason } from '../../../text/reason.ts'
import { GROUP_HOSTS } from '../../../values/levels.ts'
import type { HostState } from '../../objects/host-state.ts'
import type { NovaGroup } from '../../objects/request.ts'
import { countMembers } from '../../parts/count-members.ts'
import { novaFilter } from '../../parts/nova-filter.ts'
import { NovaError } from '../../text/nova-error.ts'
import { pythonInt } from '../../text/numbers.ts'

const MAX_SERVERS_RULE = 'max_server_per_host'

/**
 * Passes hosts with fewer members of the server group than the group allows per host, which is one by default. The host on which the
 * instance already runs passes too.
 */
export const serverGroupAntiAffinityFilter = novaFilter({
  name: 'ServerGroupAntiAffinityFilter',
  description: 'The host has fewer members of the anti-affinity group than the group allows per host.',
  readsRequest: { fields: ['antiAffinityMembers'] },
  reads: ['instances'],
  prepare({ instanceGroup: group, instanceUuid }, _options, { featureLevel = GROUP_HOSTS }) {
    if (group == null) return undefined
    const { policy, uuid } = group
    if (policy === undefined) throw new NovaError('ObjectActionError', { subject: 'instance_group.policy', need: 'set', have: 'unset' })
    if (policy !== 'anti-affinity') return undefined
    const countOn = prepareCount(group, featureLevel)
    return (host): Reason | undefined => {
      const { instances } = host
      // In a move, the host on which the instance runs is a candidate too. The instance itself must not cause a refusal of this host.
      if (instanceUuid != null && instances.has(instanceUuid)) return undefined
      const have = countOn(host)
      const { most, source } = maxServersOf(group)
      if (have < most) return undefined
      return { code: 'group.anti_affinity', subject: uuid ?? 'n/a', need: `fewer than ${most}`, have, unit: 'members', source }
    }
  },
})

/** The filter of Juno for groups that a scheduler hint creates. Such groups have the policy legacy. */
export const groupAntiAffinityFilter = novaFilter({
  name: 'GroupAntiAffinityFilter',
  description: 'The host has no member of the server group with the policy legacy.',
  reads: ['instances'],
  prepare({ instanceGroup: group }) {
    if (!group?.policies?.includes('legacy')) return undefined
    const hosts = new Set(group.hosts ?? [])
    if (hosts.size === 0) return undefined
    const { uuid } = group
    return ({ host }) =>
      hosts.has(host)
        ? { code: 'group.anti_affinity', subject: uuid ?? 'n/a', need: 'fewer than 1', have: `some on ${host}`, source: 'policy legacy' }
        : undefined
  },
})

/**
 * Returns a function that counts the group's members on a host. A request lists members by their uuids, or from GROUP_HOSTS on only the hosts
 * of members. If it has both lists, the larger of the two counts applies, because the same member can be in both lists. The function throws
 * an error if the group has neither list.
 */
function prepareCount(group: NovaGroup, featureLevel: number): (host: HostState) => number {
  const { members, unlistedAt } = group
  const hasHosts = featureLevel >= GROUP_HOSTS && unlistedAt !== undefined
  const listed = new Set(members)
  if (!hasHosts)
    return ({ instances }) => {
      if (members == null) throw noMembers(members)
      return countMembers(listed, instances)
    }
  const unlisted = new Map<string, number>()
  for (const host of unlistedAt) unlisted.set(host, (unlisted.get(host) ?? 0) + 1)
  return (host) => Math.max(unlisted.size === 0 ? 0 : (unlisted.get(host.host) ?? 0), countMembers(listed, host.instances))
}

const noMembers = (members: null | undefined): NovaError =>
  new NovaError(members === null ? 'TypeError' : 'ObjectActionError', {
    subject: 'instance_group.members',
    need: 'a list',
    have: members === null ? 'null' : 'unset',
  })

function maxServersOf({ rules }: NovaGroup): { readonly most: number; readonly source: string } {
  const given = rules != null && Object.hasOwn(rules, MAX_SERVERS_RULE) ? rules[MAX_SERVERS_RULE] : undefined
  if (given === undefined) return { most: 1, source: 'policy anti-affinity' }
  return { most: pythonInt(given), source: `rule ${MAX_SERVERS_RULE}` }
}
