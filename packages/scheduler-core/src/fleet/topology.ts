import type { RequestSpec } from '../request/request-spec.ts'
import { ZONE_KEY } from '../values/aggregate-keys.ts'
import type { HostIndex } from '../values/host-index.ts'
import type { Fleet } from './fleet.ts'

/** The topology key by which each host is a domain of its own. */
export const HOST_TOPOLOGY = 'host'
/** The topology key of availability zones; hosts in none are in the default zone. */
export const ZONE_TOPOLOGY = 'zone'

/**
 * The domain of a host under a topology key: `host`, `zone`, or the value of that metadata key in the first of its aggregates, by uuid,
 * that has it.
 */
export function domainsOf({ hosts, aggregates }: Fleet, topologyKey: string): (host: HostIndex) => string | undefined {
  if (topologyKey === HOST_TOPOLOGY) return (host) => hosts.get(host).host
  if (topologyKey === ZONE_TOPOLOGY || topologyKey === ZONE_KEY) return (host) => hosts.get(host).zone
  return (host) => aggregates.of(hosts.get(host).host).find(({ metadata }) => Object.hasOwn(metadata, topologyKey))?.metadata[topologyKey]
}

/**
 * Counts the members of a request's server group in the domains of a fleet under a key, at the time of each call, including members that
 * the caller placed elsewhere. Domains are looked up once, so it is valid while hosts and aggregates do not change.
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

/** The same for a single use on the present fleet. */
export const membersByDomain = (fleet: Fleet, request: RequestSpec, domainOf: (host: HostIndex) => string | undefined) =>
  createMemberCount(fleet, request, domainOf)()
