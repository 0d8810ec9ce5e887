import type { Fleet } from '../../fleet/fleet.ts'
import { domainsOf } from '../../fleet/topology.ts'
import { best, type TieOrder } from '../../pipeline/weighing/pick.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import type { HostIndex } from '../../values/host-index.ts'
import type { MemberScores } from './scores.ts'

/** A column of the program: one more instance of a kind on a host. */
export interface Column {
  readonly kind: number
  readonly host: HostIndex
  /** The number of the instance of its kind on the host, from 1. The second instance requires the first one. */
  readonly copy: number
  readonly score: number
}

export interface ColumnLimits {
  /** The number of hosts that are considered. If not all instances fit on these hosts, more are considered. */
  readonly hosts: number
  /** At most this many columns are created. */
  readonly columns: number
}

/**
 * The columns of a kind. The hosts of the filter scheduler come first, then the best hosts by score, in turn from each domain of a spread.
 * The generator yields after each host, because its filters and weighers run for every instance that fits on the host.
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

/** The best host of each domain, then the second best of each, and so on. Hosts in no domain are left out. */
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
