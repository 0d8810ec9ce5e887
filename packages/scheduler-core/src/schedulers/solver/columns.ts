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
  /** Counted from 1: the second instance of a kind on a host requires the first. */
  readonly copy: number
  readonly score: number
}

export interface ColumnLimits {
  /** The number of hosts that are considered. More are considered if all instances do not fit on these. */
  readonly hosts: number
  /** The largest number of columns. */
  readonly columns: number
}

/**
 * The columns of a kind. The filter scheduler's hosts come first, then the best by score, in turn from each domain of a spread. Pauses
 * after each host, since its filters and weighers run for every instance that it can hold.
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
