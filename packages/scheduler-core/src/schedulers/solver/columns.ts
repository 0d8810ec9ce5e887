import type { Fleet } from '../../fleet/fleet.ts'
import { domainsOf } from '../../fleet/topology.ts'
import { best, type TieOrder } from '../../pipeline/weighing/pick.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import type { HostIndex } from '../../values/host-index.ts'
import type { MemberScores } from './scores.ts'

/** A variable of the integer program. Its value is 1 if the host gets at least `copy` instances of the kind, and otherwise 0. */
export interface Column {
  readonly kind: number
  readonly host: HostIndex
  /** 1 for the first instance of the kind on the host, 2 for the second, and so on. */
  readonly copy: number
  readonly score: number
}

export interface ColumnLimits {
  /** How many hosts are considered. If not all instances fit on these hosts, more hosts are considered. */
  readonly hosts: number
  /** At most this many columns are created. */
  readonly columns: number
}

/**
 * Creates the columns for one kind of instances. The hosts that the scheduler FILTER chose come first, then the hosts with the highest
 * scores. If the request has a topology spread, the hosts with the highest scores are taken from each domain in turn. The generator yields
 * after each host, because filters and weighers run for every instance that fits on the host.
 */
export function* columnsOf(
  { members, weighed, chainOf }: MemberScores,
  kind: number,
  known: readonly HostIndex[],
  limits: ColumnLimits,
  order: TieOrder,
  fleet: Fleet,
  request: RequestSpec,
): Generator<void, readonly Column[]> {
  const own = known.slice(members.first, members.first + members.count)
  const ranked = best(weighed, weighed.hosts.length, order).map((position) => weighed.hosts[position] as HostIndex)
  yield
  const columns: Column[] = []
  let hosts = 0
  for (const host of new Set([...own, ...inTurns(ranked, request, fleet)])) {
    if (columns.length >= limits.columns || (hosts >= limits.hosts && columns.length >= members.count)) break
    const copies = chainOf(host, members.count).slice(0, limits.columns - columns.length)
    for (const [i, score] of copies.entries()) columns.push({ kind, host, copy: i + 1, score })
    hosts++
    yield
  }
  return columns
}

/** Sorts hosts: first the best host of each domain, then the second best of each domain, and so on. Hosts without a domain are left out. */
function inTurns(ranked: readonly HostIndex[], request: RequestSpec, fleet: Fleet): readonly HostIndex[] {
  const keys = request.topologySpread.map(({ topologyKey }) => domainsOf(fleet, topologyKey))
  if (keys.length === 0) return ranked
  const turns = new Map<string, number>()
  const turnOf = ranked.flatMap((host) => {
    const domains = keys.map((domainOf) => domainOf(host))
    if (domains.includes(undefined)) return []
    const domain = JSON.stringify(domains)
    const turn = turns.get(domain) ?? 0
    turns.set(domain, turn + 1)
    return [{ host, turn }]
  })
  return turnOf.sort((a, b) => a.turn - b.turn).map(({ host }) => host)
}
