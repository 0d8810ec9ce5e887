import type { Fleet } from '../../fleet/fleet.ts'
import { domainsOf, membersByDomain } from '../../fleet/topology.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import type { HostIndex } from '../../values/host-index.ts'
import type { HostName } from '../../values/host-name.ts'
import type { Column } from './columns.ts'
import type { Draft } from './draft.ts'
import type { MemberScores } from './scores.ts'

/**
 * Converts the arrangement of the scheduler FILTER to values of the columns, as a start for the solver. Null if that scheduler found no
 * arrangement, or if the program has columns that do not represent an instance, such as those of an affinity group.
 */
export function startOf(
  draft: Draft,
  columns: readonly Column[],
  scores: readonly MemberScores[],
  known: readonly HostIndex[],
): readonly number[] | null {
  if (known.length === 0 || draft.most.length > columns.length) return null
  return valuesOf(
    columns,
    scores.map(({ members }) => known.slice(members.first, members.first + members.count)),
  )
}

/** Converts an arrangement to values of the columns. `hosts` has a list for each kind of instances, with one host for each instance. */
export function valuesOf(columns: readonly Column[], hosts: readonly (readonly HostIndex[])[]): readonly number[] {
  const counts = hosts.map((own) => {
    const count = new Map<HostIndex, number>()
    for (const host of own) count.set(host, (count.get(host) ?? 0) + 1)
    return count
  })
  return columns.map(({ kind, host, copy }) => (copy <= (counts[kind]?.get(host) ?? 0) ? 1 : 0))
}

/**
 * Assigns the instances of a request to the hosts in the solver's solution. Each host gets its first instance of a kind before any host
 * gets a second one, and hosts with higher scores come first. If the request has a topology spread, the next host is one in the domain with
 * the fewest members.
 */
export function arrange(
  columns: readonly Column[],
  values: readonly number[],
  scores: readonly MemberScores[],
  request: RequestSpec,
  fleet: Fleet,
): readonly HostName[] {
  const spreads = request.topologySpread.map(({ topologyKey }) => {
    const domainOf = domainsOf(fleet, topologyKey)
    return { domainOf, members: membersByDomain(fleet, request, domainOf) }
  })
  const crowdOn = (host: HostIndex): number =>
    spreads.reduce((most, { domainOf, members }) => Math.max(most, members.get(domainOf(host) ?? '') ?? 0), 0)
  return scores.flatMap(({ members }, k) => {
    const left = columns
      .filter(({ kind }, i) => kind === k && Math.round(values[i] ?? 0) === 1)
      .sort((a, b) => a.copy - b.copy || b.score - a.score || a.host - b.host)
    if (left.length !== members.count) throw new RangeError(`the solver places ${left.length} of ${members.count} instances`)
    return Array.from({ length: members.count }, () => {
      const next =
        spreads.length === 0 ? 0 : left.reduce((a, { host }, b) => (crowdOn(host) < crowdOn((left[a] as Column).host) ? b : a), 0)
      const { host } = left.splice(next, 1)[0] as Column
      for (const { domainOf, members: held } of spreads) {
        const domain = domainOf(host) ?? ''
        held.set(domain, (held.get(domain) ?? 0) + 1)
      }
      const { host: name, node } = fleet.hosts.get(host)
      return { host: name, node }
    })
  })
}
