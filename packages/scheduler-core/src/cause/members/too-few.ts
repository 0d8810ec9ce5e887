import type { Fleet } from '../../fleet/fleet.ts'
import { createMemberCount, domainsOf } from '../../fleet/topology.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import { counted } from '../../text/amount-text.ts'
import type { Code } from '../../text/codes.ts'
import type { HostIndex } from '../../values/host-index.ts'

/** There are too few hosts or domains for the members of a server group, regardless of the size of the hosts. */
export interface TooFew {
  readonly code: Code
  /** The count of members that the admitted hosts must hold, including existing members. */
  readonly members: number
  /** At most this many members can be on one host or in one domain. */
  readonly most: number
  /** The topology key of the domains. Null if there are too few hosts. */
  readonly topologyKey: string | null
  /** The count of admitted hosts, or of the domains that these hosts are in. */
  readonly there: number
}

const FULL: readonly Code[] = ['group.anti_affinity', 'topology.full', 'topology.skew']

/** Returns true if the code means that a host or its domain already has as many members of the group as allowed. */
export const isFull = (code: Code): boolean => FULL.includes(code)

export function tooFewOf(fleet: Fleet, request: RequestSpec, instance: number, hosts: readonly HostIndex[]): TooFew | null {
  const { instanceGroup, numInstances, topologySpread } = request
  const more = numInstances - instance
  const byHost = instanceGroup?.policy === 'ANTI_AFFINITY' ? mostOnHost(fleet, instanceGroup) : null
  const limits = [
    ...(byHost === null ? [] : [{ code: 'group.anti_affinity' as const, topologyKey: null, most: byHost }]),
    ...topologySpread.flatMap(({ topologyKey, maxPerDomain: most }) =>
      most === null ? [] : [{ code: 'topology.full' as const, topologyKey, most }],
    ),
  ]
  for (const { code, topologyKey, most } of limits) {
    const domainOf = topologyKey === null ? (host: HostIndex) => `${host}` : domainsOf(fleet, topologyKey)
    const held = createMemberCount(fleet, request, domainOf)()
    const domains = new Set(hosts.flatMap((host) => domainOf(host) ?? []))
    const members = [...domains].map((domain) => held.get(domain) ?? 0)
    const room = members.reduce((sum, count) => sum + Math.max(0, most - count), 0)
    if (room < more && domains.size > 0)
      return { code, members: members.reduce((sum, count) => sum + count, more), most, topologyKey, there: domains.size }
  }
  return null
}

function mostOnHost({ groups }: Fleet, { uuid, maxServerPerHost }: NonNullable<RequestSpec['instanceGroup']>): number {
  const asked = maxServerPerHost ?? 1
  const bound = groups.find(uuid)
  return bound?.policy === 'ANTI_AFFINITY' ? Math.min(asked, bound.maxServerPerHost ?? 1) : asked
}

/** A sentence with the count of members and the count of hosts or domains. */
export function tooFewText({ members, most, topologyKey, there }: TooFew): string {
  if (topologyKey !== null)
    return `The group must fit ${counted(members, 'member')}, at most ${most} in each ${topologyKey}, and the hosts that the request admits are in ${there}.`
  const how = most === 1 ? ' on different hosts' : `, at most ${most} on each host`
  return `The group must fit ${counted(members, 'member')}${how}, and the request admits ${counted(there, 'host')}.`
}
