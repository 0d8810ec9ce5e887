import type { Filter } from '../../contracts/filter.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { createMemberCount, domainsOf } from '../../fleet/topology.ts'
import { groupFrom } from '../../hosts/sources.ts'
import type { RequestSpec, TopologySpread } from '../../request/request-spec.ts'
import { fromRequest, type Term } from '../../text/evidence.ts'
import type { Reason } from '../../text/reason.ts'
import type { HostIndex } from '../../values/host-index.ts'

/**
 * Spreads the members of the request's server group over the domains of a topology, as `topologySpread` requires. The allowed number of
 * members in a domain depends on the domain with the fewest members. For this minimum, only domains with a host for which `isCounted`
 * returns true are considered. Members are counted on all hosts of a domain.
 */
export const createTopologySpreadFilter = (isCounted: (host: HostIndex) => boolean): Filter => ({
  name: 'TopologySpreadFilter',
  description: "The host's domain can have one more member of the server group.",
  reads: [],
  readsMetadata: [{ key: '*', by: 'topologySpread of requests' }],
  readsOtherHosts: true,
  prepare(request, fleet) {
    if (request.topologySpread.length === 0) return undefined

    const rules = request.topologySpread.map((spread, i) => ruleOf(fleet, request, spread, i, isCounted))
    const refusing = (host: HostIndex) => rules.map((rule) => rule(host)).find((refusal) => refusal !== undefined)
    return {
      passes: (host) => refusing(host) === undefined,
      reason: (host) => refusing(host)?.reason ?? { code: 'topology.no_domain' },
      facts: (host) =>
        rules.flatMap((rule) => {
          const refusal = rule(host)
          if (refusal === undefined) return []
          const { subject = '', need, have, unit } = refusal.reason
          const members = groupFrom(request.instanceGroup?.uuid ?? '', 'members')
          return [
            {
              subject,
              ...(need !== undefined && { required: need }),
              ...(have !== undefined && { actual: have }),
              ...(unit !== undefined && { unit }),
              requiredFrom: fromRequest(refusal.field),
              actualFrom: members,
              ...(refusal.fewest !== undefined && { terms: [{ ...refusal.fewest, from: members }] }),
            },
          ]
        }),
    }
  },
})

interface Refusal {
  readonly reason: Reason
  readonly field: string
  /** The domain with the fewest members, if the refusal depends on this domain. */
  readonly fewest?: Pick<Term, 'name' | 'value'>
}

function ruleOf(
  fleet: Fleet,
  request: RequestSpec,
  { topologyKey, maxSkew, maxPerDomain }: TopologySpread,
  i: number,
  isCounted: (host: HostIndex) => boolean,
): (host: HostIndex) => Refusal | undefined {
  // the domains are looked up once for all instances, because hosts and aggregates do not change while the request is decided
  const find = domainsOf(fleet, topologyKey)
  const domains = fleet.hosts.records.map(({ index }) => find(index))
  const domainOf = (host: HostIndex) => domains[host]
  const field = (name: string) => `topologySpread.${i}.${name}`
  const countNow = createMemberCount(fleet, request, domainOf)
  let counted: { readonly writes: number; readonly members: ReadonlyMap<string, number>; readonly fewest: string | undefined } | undefined
  // Counts the members in each domain, including earlier instances of this request. The counts are cached until a member is added or
  // removed.
  const count = () => {
    const { writes } = fleet.groups
    if (counted?.writes !== writes) {
      const members = countNow()
      counted = { writes, members, fewest: fewestOf(fleet, members, domainOf, isCounted) }
    }
    return counted
  }
  return (host) => {
    const domain = domainOf(host)
    if (domain === undefined)
      return {
        reason: { code: 'topology.no_domain', subject: topologyKey, need: `a value of ${topologyKey}` },
        field: field('topologyKey'),
      }
    const { members, fewest } = count()
    const have = members.get(domain) ?? 0
    const subject = `${topologyKey} ${domain}`
    if (maxPerDomain !== null && have >= maxPerDomain)
      return {
        reason: { code: 'topology.full', subject, need: `fewer than ${maxPerDomain}`, have, unit: 'members' },
        field: field('maxPerDomain'),
      }
    if (maxSkew === null || fewest === undefined) return undefined
    const least = members.get(fewest) ?? 0
    if (have + 1 - least <= maxSkew) return undefined
    const source = `${topologyKey} ${fewest}, which holds ${least}`
    return {
      reason: { code: 'topology.skew', subject, need: `fewer than ${least + maxSkew}`, have, unit: 'members', source },
      field: field('maxSkew'),
      fewest: { name: `members in ${topologyKey} ${fewest}`, value: least },
    }
  }
}

/**
 * Among the domains with a host for which `isCounted` returns true, the first with the fewest members. Undefined if there is no such
 * domain.
 */
function fewestOf(
  { hosts }: Fleet,
  members: ReadonlyMap<string, number>,
  domainOf: (host: HostIndex) => string | undefined,
  isCounted: (host: HostIndex) => boolean,
): string | undefined {
  let fewest: { readonly domain: string; readonly held: number } | undefined
  for (const index of hosts.presentIndexes) {
    const domain = domainOf(index as HostIndex)
    if (domain === undefined) continue
    const held = members.get(domain) ?? 0
    // `isCounted` is expensive, so it is called only for hosts whose domain has fewer members than the best domain so far.
    if ((fewest === undefined || held < fewest.held) && isCounted(index as HostIndex)) fewest = { domain, held }
  }
  return fewest?.domain
}
