import type { HostIndex } from '../host-index.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import { ZONE_KEY } from './aggregate-keys.ts'
import type { Fleet } from './fleet.ts'

/** Hosts of which each is a domain of its own. */
export const HOST_TOPOLOGY = 'host'
/** Availability zones; hosts in none are in the default one. */
export const ZONE_TOPOLOGY = 'zone'

/** The domain of a host under a topology key: `host`, `zone`, or what the first of its aggregates, by uuid, says under that metadata key. */
export function domainsOf({ hosts, aggregates }: Fleet, topologyKey: string): (host: HostIndex) => string | undefined {
  if (topologyKey === HOST_TOPOLOGY) return (host) => hosts.get(host).host
  if (topologyKey === ZONE_TOPOLOGY || topologyKey === ZONE_KEY) return (host) => hosts.get(host).zone
  return (host) => aggregates.of(hosts.get(host).host).find(({ metadata }) => Object.hasOwn(metadata, topologyKey))?.metadata[topologyKey]
}

/**
 * Counts the members of a request's server group in the domains of a fleet under a key, at the moment of each call; those that the caller
 * names elsewhere included. Domains are looked up once: it is valid while hosts and aggregates stay as they are.
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

/** The same once, as the fleet is now. */
export const membersByDomain = (fleet: Fleet, request: RequestSpec, domainOf: (host: HostIndex) => string | undefined) =>
  createMemberCount(fleet, request, domainOf)()
