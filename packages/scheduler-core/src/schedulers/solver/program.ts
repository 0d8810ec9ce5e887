import type { HostName } from '../../fleet/change.ts'
import { at, type HostIndex } from '../../fleet/columns.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import type { Overlay } from '../../fleet/overlay.ts'
import { domainsOf, membersByDomain } from '../../fleet/topology.ts'
import { allKinds } from '../../kinds/index.ts'
import { type CompiledProfile, compileProfile } from '../../pipeline/compile.ts'
import { best, createTieOrder } from '../../pipeline/pick.ts'
import type { Profile } from '../../profiles/profile.ts'
import { demandOf, type RequestSpec } from '../../request/request-spec.ts'
import { createFilterScheduler } from '../filter-scheduler.ts'
import { DEFAULT_SOLVER_OPTIONS } from './options.ts'
import { createScores, type MemberScores } from './scores.ts'

/** A mixed-integer program: whole numbers from 0 to `most` for the columns, within the rows, with the greatest sum of `objective`. Plain data. */
export interface Program {
  readonly objective: readonly number[]
  readonly most: readonly number[]
  readonly rows: readonly Row[]
  /** An arrangement that is known already, column by column; null: none is. */
  readonly start: readonly number[] | null
}

export interface Row {
  readonly columns: readonly number[]
  readonly values: readonly number[]
  /** null: no limit. */
  readonly least: number | null
  readonly most: number | null
}

/** A program and what its columns mean. */
export interface Formulated {
  readonly program: Program
  /** By instance where it goes, from the columns' numbers. Throws RangeError for numbers that are no arrangement. */
  read(values: readonly number[]): readonly HostName[]
  readonly size: { readonly columns: number; readonly rows: number; readonly candidates: number; readonly passing: number }
}

/** More columns than this are not made: candidates are fewer then. */
export const MOST_COLUMNS = 4_000

interface Column {
  readonly kind: number
  readonly host: HostIndex
  /** From 1: the second of a kind on a host is there only with the first. */
  readonly copy: number
  readonly score: number
}

/**
 * Where the instances of a request go, as a program. A column is one more instance of a kind on a host; how many of a kind a host can hold
 * alone is asked of the filters and of the kinds of resources themselves. Modelled besides: all instances, and rooms that kinds of instances
 * share on a host (amounts of every resource class, shares of GPUs), server groups, and spread. Only checked afterwards: which NUMA cells, GPUs
 * and PCI devices several kinds get on one host; `isCareful` lets only one kind that asks for such things go to a host.
 */
export function formulate(
  profile: Profile,
  request: RequestSpec,
  fleet: Fleet,
  overlay: Overlay,
  seed: string,
  isCareful = false,
): Formulated {
  const compiled = compileProfile(profile, fleet.plugins)
  const known = arrangedByFilter(compiled, request, fleet, overlay, seed)
  const scores = createScores(compiled, request, fleet, overlay)
  const { candidates = DEFAULT_SOLVER_OPTIONS.candidates } = profile.solver ?? {}
  const columns = scores.flatMap((one, kind) =>
    columnsOf(one, kind, known, candidates, Math.floor(MOST_COLUMNS / scores.length), fleet, compiled, seed, request),
  )
  const draft: Draft = { objective: columns.map(({ score }) => score), most: columns.map(() => 1), rows: [] }
  placeAll(draft, columns, scores)
  chain(draft, columns, isCareful || request.instanceGroup?.policy === 'AFFINITY')
  if (scores.length > 1) shareRoom(draft, columns, scores, fleet, isCareful)
  keepGroup(draft, columns, request, fleet, scores.length)
  for (const spread of request.topologySpread) keepSpread(draft, columns, request, fleet, spread)
  const hosts = new Set(columns.map(({ host }) => host))
  const passing = new Set(scores.flatMap(({ weighed }) => [...weighed.hosts]))
  return {
    program: { ...draft, start: startOf(draft, columns, scores, known) },
    read: (values) => arrange(columns, values, scores, request, fleet),
    size: { columns: draft.most.length, rows: draft.rows.length, candidates: hosts.size, passing: passing.size },
  }
}

interface Draft {
  readonly objective: number[]
  readonly most: number[]
  readonly rows: Row[]
}

/** By instance, where the filter scheduler puts it; empty when it does not place all. */
function arrangedByFilter(
  compiled: CompiledProfile,
  request: RequestSpec,
  fleet: Fleet,
  overlay: Overlay,
  seed: string,
): readonly HostIndex[] {
  const before = overlay.size
  const claimIds = new Array<string>(request.numInstances).fill('')
  const { parts } = createFilterScheduler(compiled).select(request, fleet, overlay, {
    seed,
    alternatesPerInstance: 0,
    allOrNothing: true,
    claimIds,
  })
  overlay.rollback(before)
  return parts.flatMap((part) => fleet.hosts.find(part)?.index ?? [])
}

/** The columns of a kind: the filter scheduler's hosts first, then the best by score, each domain of a spread in its turn. */
function columnsOf(
  { members, weighed, chainOf }: MemberScores,
  kind: number,
  known: readonly HostIndex[],
  wanted: number,
  most: number,
  fleet: Fleet,
  compiled: CompiledProfile,
  seed: string,
  request: RequestSpec,
): readonly Column[] {
  const own = known.slice(members.first, members.first + members.count)
  const ranked = best(weighed, weighed.hosts.length, createTieOrder(compiled.profile, seed)).map(
    (position) => weighed.hosts[position] as HostIndex,
  )
  const columns: Column[] = []
  let hosts = 0
  for (const host of new Set([...own, ...inTurns(ranked, request, fleet)])) {
    if (columns.length >= most || (hosts >= wanted && columns.length >= members.count)) break
    const copies = chainOf(host, members.count).slice(0, most - columns.length)
    for (const [i, score] of copies.entries()) columns.push({ kind, host, copy: i + 1, score })
    hosts++
  }
  return columns
}

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

const row = (entries: readonly (readonly [column: number, value: number])[], least: number | null, most: number | null): Row => ({
  columns: entries.map(([column]) => column),
  values: entries.map(([, value]) => value),
  least,
  most,
})

const where = (columns: readonly Column[], holds: (column: Column) => boolean): number[] =>
  columns.flatMap((column, i) => (holds(column) ? [i] : []))

const ones = (columns: readonly number[]) => columns.map((column) => [column, 1] as const)

function placeAll(draft: Draft, columns: readonly Column[], scores: readonly MemberScores[]): void {
  for (const [k, { members }] of scores.entries())
    draft.rows.push(row(ones(where(columns, ({ kind }) => kind === k)), members.count, members.count))
}

/**
 * The second instance on a host is there only with the first. Where none adds more than the one before it, no best arrangement is otherwise,
 * and those rows are left out: they make a program much harder. Rows that look at first instances alone need them, `isNeeded`.
 */
function chain({ rows }: Draft, columns: readonly Column[], isNeeded: boolean): void {
  const isRising = new Set<string>()
  const keyOf = ({ kind, host }: Column) => `${kind} ${host}`
  for (const [i, column] of columns.entries())
    if (column.copy > 1 && column.score > (columns[i - 1] as Column).score) isRising.add(keyOf(column))
  for (const [i, column] of columns.entries())
    if (column.copy > 1 && (isNeeded || isRising.has(keyOf(column))))
      rows.push(
        row(
          [
            [i, 1],
            [i - 1, -1],
          ],
          null,
          0,
        ),
      )
}

function byHost(columns: readonly Column[]): ReadonlyMap<HostIndex, readonly number[]> {
  const hosts = new Map<HostIndex, number[]>()
  for (const [i, { host }] of columns.entries()) {
    const own = hosts.get(host)
    if (own === undefined) hosts.set(host, [i])
    else own.push(i)
  }
  return hosts
}

/** Several kinds on one host take of the same room. */
function shareRoom({ rows }: Draft, columns: readonly Column[], scores: readonly MemberScores[], fleet: Fleet, isCareful: boolean): void {
  const asks = scores.map(({ members: { request } }) => ({
    amounts: demandOf(request).amounts,
    gpuMilli: request.gpus === null ? 0 : request.gpus.count * request.gpus.shareMilli,
    isIntricate: allKinds.some((kind) => kind.name !== 'classes' && kind.ask(request) !== undefined),
  }))
  const classes = new Set(asks.flatMap(({ amounts }) => Object.keys(amounts)))
  for (const [host, own] of byHost(columns)) {
    const here = own.map((i) => ({ i, ...(columns[i] as Column) }))
    if (new Set(here.map(({ kind }) => kind)).size < 2) continue
    const limit = (amountOf: (kind: number) => number, most: number) => {
      const entries = here.map(({ i, kind }) => [i, amountOf(kind)] as const).filter(([, amount]) => amount > 0)
      if (entries.reduce((sum, [, amount]) => sum + amount, 0) > most) rows.push(row(entries, null, most))
    }
    for (const resourceClass of classes)
      limit((kind) => asks[kind]?.amounts[resourceClass] ?? 0, at(fleet.hosts.classColumns(resourceClass).free, host))
    limit((kind) => asks[kind]?.gpuMilli ?? 0, at(fleet.hosts.columns.gpuFreeMilli, host))
    const intricate = here.filter(({ kind, copy }) => copy === 1 && asks[kind]?.isIntricate)
    if (isCareful && intricate.length > 1) rows.push(row(ones(intricate.map(({ i }) => i)), null, 1))
  }
}

function keepGroup(draft: Draft, columns: readonly Column[], { instanceGroup }: RequestSpec, fleet: Fleet, kinds: number): void {
  if (instanceGroup?.policy === 'AFFINITY') {
    // one host in all: a column says whether a host is the one
    const homes: number[] = []
    for (const [, own] of byHost(columns)) {
      const home = draft.most.push(1) - 1
      draft.objective.push(0)
      homes.push(home)
      for (const i of own)
        if (columns[i]?.copy === 1)
          draft.rows.push(
            row(
              [
                [i, 1],
                [home, -1],
              ],
              null,
              0,
            ),
          )
    }
    draft.rows.push(row(ones(homes), null, 1))
  }
  if (instanceGroup?.policy !== 'ANTI_AFFINITY' || kinds === 1) return
  const members = fleet.groups.find(instanceGroup.uuid)?.members
  const elsewhere = (host: HostIndex) => instanceGroup.hosts.filter((name) => name === fleet.hosts.get(host).host).length
  for (const [host, own] of byHost(columns))
    draft.rows.push(
      row(ones(own), null, Math.max(0, (instanceGroup.maxServerPerHost ?? 1) - Math.max(members?.get(host) ?? 0, elsewhere(host)))),
    )
}

function keepSpread(
  draft: Draft,
  columns: readonly Column[],
  request: RequestSpec,
  fleet: Fleet,
  { topologyKey, maxSkew, maxPerDomain }: RequestSpec['topologySpread'][number],
): void {
  const domainOf = domainsOf(fleet, topologyKey)
  const there = membersByDomain(fleet, request, domainOf)
  const inDomain = new Map<string, number[]>()
  for (const [i, { host }] of columns.entries()) {
    const domain = domainOf(host)
    if (domain === undefined) continue
    const own = inDomain.get(domain)
    if (own === undefined) inDomain.set(domain, [i])
    else own.push(i)
  }
  if (maxPerDomain !== null)
    for (const [domain, own] of inDomain) draft.rows.push(row(ones(own), null, Math.max(0, maxPerDomain - (there.get(domain) ?? 0))))
  if (maxSkew === null) return
  const fewest = [...there.values()].reduce((a, b) => Math.min(a, b), Number.MAX_SAFE_INTEGER)
  // how many the domain with the fewest holds in the end
  const least = draft.most.push(fewest + request.numInstances) - 1
  draft.objective.push(0)
  for (const [domain, before] of there) {
    const own = ones(inDomain.get(domain) ?? [])
    draft.rows.push(row([[least, 1], ...own.map(([i]) => [i, -1] as const)], null, before))
    if (own.length === 0) continue
    // one that holds too many already takes no more
    if (before - fewest > maxSkew) draft.rows.push(row(own, null, 0))
    else draft.rows.push(row([...own, [least, -1]], null, maxSkew - before))
  }
}

/** The filter scheduler's arrangement as numbers of the columns; null where it has none, or where it is none of the program's. */
function startOf(
  draft: Draft,
  columns: readonly Column[],
  scores: readonly MemberScores[],
  known: readonly HostIndex[],
): readonly number[] | null {
  if (known.length === 0 || draft.most.length > columns.length) return null
  const left = scores.map(({ members }) => {
    const counts = new Map<HostIndex, number>()
    for (const host of known.slice(members.first, members.first + members.count)) counts.set(host, (counts.get(host) ?? 0) + 1)
    return counts
  })
  return columns.map(({ kind, host, copy }) => (copy <= (left[kind]?.get(host) ?? 0) ? 1 : 0))
}

/** Which instance goes where: of a kind, one to each host before a second to any, the better host first; or to the domains with the fewest. */
function arrange(
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
