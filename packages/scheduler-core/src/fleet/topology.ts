import type { RequestSpec } from '../request/request-spec.ts'
import { ZONE_KEY } from '../values/aggregate-keys.ts'
import type { HostIndex } from '../values/host-index.ts'
import type { Fleet } from './fleet.ts'

/** The topology key for which each host is a separate domain. */
export const HOST_TOPOLOGY = 'host'
/** The topology key for which the availability zones are the domains. Hosts without a zone are in the default zone. */
export const ZONE_TOPOLOGY = 'zone'

/**
 * Returns a function that returns the domain of a host under a topology key: `host`, `zone`, or a metadata key. For a metadata key, the
 * domain is the value of the key in the host's aggregate that has the key. If several aggregates have the key, the aggregate with the
 * lowest uuid is used. Undefined if no aggregate of the host has the key.
 */
export function domainsOf({ hosts, aggregates }: Fleet, topologyKey: string): (host: HostIndex) => string | undefined {
  if (topologyKey === HOST_TOPOLOGY) return (host) => hosts.get(host).host
  if (topologyKey === ZONE_TOPOLOGY || topologyKey === ZONE_KEY) return (host) => hosts.get(host).zone
  return (host) => aggregates.of(hosts.get(host).host).find(({ metadata }) => Object.hasOwn(metadata, topologyKey))?.metadata[topologyKey]
}

/**
 * Returns a function that counts the members of a request's server group in each domain. A host that the request lists in the group counts
 * as one member if no claim of the group is on it. The domains are read only once. Therefore, the function must not be called after hosts
 * or aggregates change.
 */
export function createMemberCount(
  fleet: Fleet,
  { instanceGroup }: RequestSpec,
  domainOf: (host: HostIndex) => string | undefined,
): () => Map<string, number> {
  const none = new Map<string, number>()
  for (const { index } of fleet.hosts.present) {
    const domain = domainOf(index)
    if (domain !== undefined) none.set(domain, 0)
  }
  return () => {
    const members = new Map(none)
    const add = (host: HostIndex, count: number): void => {
      const domain = domainOf(host)
      if (domain !== undefined) members.set(domain, (members.get(domain) ?? 0) + count)
    }
    const group = instanceGroup === null ? undefined : fleet.groups.find(instanceGroup.uuid)
    for (const [host, count] of group?.members ?? []) add(host, count)
    const claimedOn = new Set([...(group?.members.keys() ?? [])].map((host) => fleet.hosts.get(host).host))
    for (const name of instanceGroup?.hosts ?? []) {
      const [index] = claimedOn.has(name) ? [] : fleet.hosts.nodesOf(name)
      if (index !== undefined) add(index, 1)
    }
    return members
  }
}

/** Counts the members of a request's server group in each domain. */
export const membersByDomain = (fleet: Fleet, request: RequestSpec, domainOf: (host: HostIndex) => string | undefined) =>
  createMemberCount(fleet, request, domainOf)()
