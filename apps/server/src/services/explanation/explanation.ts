import {
  allNamesIn,
  byCodeUnit,
  type HostName,
  type HostTable,
  hostKey,
  hostsOfManyNames,
  isNamedIn,
  NOT_PRESENT,
  nearMissesIn,
  reasonCodes,
  reasonText,
  type VerdictMatrix,
} from '@gantt/scheduler-core'
import { hostFields, type QueryReaders } from '@gantt/scheduler-core/query'
import type { RefusalReason } from '../../db/tables/rows.ts'
import { filterYielding, sortYielding } from '../../event-loop/lists.ts'
import { InputFault } from '../calls/outcome.ts'
import { firstOf, keyOf, listOf, type Page, type PageArgs, toCursor } from '../calls/paging.ts'
import { noSuchReason } from '../calls/reason-codes.ts'
import { compileLine } from '../host/host-query.ts'
import type { HostNameInput } from '../host/hosts.ts'
import { type Examined, type ExaminedHost, type HostOutcome, type HostVerdict, indexOfHost } from './examined.ts'
import { type Deciding, decidingOf } from './weighing.ts'

export interface SelectionNote {
  readonly subsetSize: number
  readonly seed: string | null
  /** The rank of the selected host; 0 if no host was selected. */
  readonly pickedRank: number
  readonly tied: number
  readonly text: string
}

export interface VerdictFilter {
  readonly outcome?: readonly HostOutcome[] | null | undefined
  /** Hosts whose first refusal came from one of these filters. */
  readonly rejectedBy?: readonly string[] | null | undefined
  /** Hosts whose first refusal has one of these reason codes. */
  readonly reason?: readonly string[] | null | undefined
  /** Hosts that every one of these filters refuses, even if another filter refuses first. */
  readonly refusedBy?: readonly string[] | null | undefined
  /** Hosts that are refused by one of these filters and by no other filter. */
  readonly refusedOnlyBy?: readonly string[] | null | undefined
  /** Hosts that reached every one of these filters in the decision, because no earlier filter refused them. */
  readonly reached?: readonly string[] | null | undefined
  /** Hosts that passed every one of these filters. */
  readonly passed?: readonly string[] | null | undefined
  /** Hosts that share the best total. */
  readonly tied?: boolean | null | undefined
  readonly hosts?: readonly HostNameInput[] | null | undefined
  /** A line of the filter grammar about host and node. */
  readonly query?: string | null | undefined
}

export type VerdictOrder = 'RANK' | 'NAME' | 'DISTANCE'

const MAX_NAMED = 500
const MAX_NEAR = 100
const nameFields = hostFields.filter(({ name }) => name === 'host' || name === 'node')
const nameReadersIn = (hosts: HostTable): QueryReaders<HostName> => {
  const namesOf = allNamesIn(hostsOfManyNames(hosts))
  return {
    '': (name) => [hostKey(name), ...namesOf(name.host).filter((other) => other !== name.host)],
    host: ({ host }) => namesOf(host),
    node: ({ node }) => node,
  }
}

/**
 * The reasons why hosts were refused. If no host passes, these are the reasons of the cause, in its order. Otherwise the reason with the
 * most hosts comes first.
 */
export const reasonsOf = ({ steps, cause }: Examined): RefusalReason[] =>
  (cause?.reasons ?? steps.flatMap(({ reasons }) => reasons).sort((a, b) => b.hosts - a.hosts)).map(({ filter, code, hosts, example }) => ({
    ...{ filter, code, hosts },
    text: reasonText(example),
  }))

/**
 * A page of the verdicts on single hosts. NAME sorts them by host name. RANK puts passing hosts first, beginning with the best, and sorts
 * refused hosts by the position of the filter that refused first, last position first. DISTANCE also puts passing hosts first, and sorts
 * refused hosts by how near they are to passing. `hosts` is the present table of hosts, which contains the earlier names of hosts.
 */
export async function listVerdicts(
  hosts: HostTable,
  examined: Examined,
  page: PageArgs,
  filter: VerdictFilter,
  order: VerdictOrder,
): Promise<Page<HostVerdict>> {
  const { question, instance, hosts: known } = examined
  const list = listOf('verdicts', [question.record.id, question.basis, question.record.request, instance, filter, order])
  const first = firstOf(list, page)
  const from = (keyOf<[number]>(list, page, ['number'])?.[0] ?? -1) + 1
  const matches = await compileFilter(hosts, examined, filter)
  const indexes = await filterYielding(await inOrder(examined, order), matches)
  const shown = indexes.slice(from, from + first)
  return {
    edges: shown.map((index, i) => ({ cursor: toCursor(list, [from + i]), node: examined.verdict(index) })),
    hasNextPage: from + first < indexes.length,
    hasPreviousPage: from > 0 && known.length > 0,
    totalCount: () => indexes.length,
  }
}

async function inOrder(examined: Examined, order: VerdictOrder): Promise<ArrayLike<number>> {
  const { hosts, ranked, weighed, firstRefusing } = examined
  if (order === 'DISTANCE') return byDistance(await examined.matrix())
  if (order === 'NAME') {
    const present = indexesWhere(firstRefusing, (step) => step !== NOT_PRESENT)
    const keyAt = (index: number): string => hostKey(hosts[index] as ExaminedHost)
    return sortYielding(present, (a, b) => byCodeUnit(keyAt(a), keyAt(b)))
  }
  return byRank({ ranked, weighed, firstRefusing })
}

/** Hosts that pass, best first, followed by refused hosts: those that reached the last filters come first. */
function byRank({ ranked, weighed, firstRefusing }: Pick<Examined, 'ranked' | 'weighed' | 'firstRefusing'>): Int32Array {
  const refusals = new Int32Array(NOT_PRESENT)
  for (let index = 0; index < firstRefusing.length; index++) {
    const step = firstRefusing[index] as number
    if (step < NOT_PRESENT) refusals[step] = (refusals[step] as number) + 1
  }
  // for each filter, where the next host that it refuses goes
  const nextOf = new Int32Array(NOT_PRESENT)
  let count = ranked.length
  for (let step = NOT_PRESENT - 1; step >= 0; step--) {
    nextOf[step] = count
    count += refusals[step] as number
  }
  const order = new Int32Array(count)
  for (let i = 0; i < ranked.length; i++) order[i] = weighed.hosts[ranked[i] as number] as number
  for (let index = 0; index < firstRefusing.length; index++) {
    const step = firstRefusing[index] as number
    if (step < NOT_PRESENT) order[(nextOf[step] as number)++] = index
  }
  return order
}

/** The indexes of the values for which `isWanted` returns true. */
function indexesWhere(values: Uint8Array, isWanted: (value: number) => boolean): number[] {
  const indexes: number[] = []
  for (let index = 0; index < values.length; index++) if (isWanted(values[index] as number)) indexes.push(index)
  return indexes
}

/** Hosts that pass, sorted by rank, followed by refused hosts, sorted by how near they are to passing. */
function byDistance({ firstRefusing, rank, distance }: VerdictMatrix): Promise<number[]> {
  const of = (column: ArrayLike<number>, index: number) => column[index] as number
  return sortYielding(
    indexesWhere(firstRefusing, (step) => step !== NOT_PRESENT),
    (a, b) => of(distance, a) - of(distance, b) || of(rank, a) - of(rank, b) || a - b,
  )
}

async function compileFilter(table: HostTable, examined: Examined, filter: VerdictFilter): Promise<(index: number) => boolean> {
  const { outcome, rejectedBy, reason, refusedBy, refusedOnlyBy, reached, passed, tied, hosts, query } = filter
  for (const [field, asked] of Object.entries({ refusedBy, refusedOnlyBy }))
    if (asked && examined.isShortCircuited) throw InputFault.at(['filter', field], asked.join(', '), 'asked without shortCircuit')
  const unknown = reason?.find((code) => !reasonCodes.some((known) => known === code))
  if (unknown !== undefined) throw InputFault.at(['filter', 'reason'], unknown, `the code of a reason: ${noSuchReason(unknown)}`)
  if (hosts && hosts.length > MAX_NAMED) throw InputFault.at(['filter', 'hosts'], hosts.length, `at most ${MAX_NAMED} hosts`)
  const matrix = reason || refusedBy ? await examined.matrix() : undefined
  const hostAt = (index: number) => examined.hosts[index] as ExaminedHost
  const firstStep = (index: number): number => examined.firstRefusing[index] as number
  const refusingAt = (index: number): string | undefined => examined.steps[firstStep(index)]?.filter
  const stepsOf = (names: readonly string[]) => [...new Set(names.map((name) => examined.steps.findIndex((step) => step.filter === name)))]
  // each condition that the caller sets; a list of names can be long, so hosts are compared with sets
  const conditions: ((index: number) => boolean)[] = []
  if (hosts) {
    const isWanted = isNamedIn(table, hosts)
    conditions.push((index) => isWanted(hostAt(index)))
  }
  const isAsked = compileLine(query, nameFields, nameReadersIn(table), ['filter', 'query'])
  if (query) conditions.push((index) => isAsked(hostAt(index)))
  if (rejectedBy) {
    const rejecting = new Set(rejectedBy)
    conditions.push((index) => rejecting.has(refusingAt(index) ?? ''))
  }
  if (reason && matrix) {
    const reasons = new Set(reason)
    conditions.push((index) => reasons.has(matrix.codes[matrix.reason[index] as number] ?? ''))
  }
  if (refusedBy && matrix) {
    const bits = [...new Set(refusedBy.map((name) => matrix.filters.indexOf(name)))]
    conditions.push((index) => bits.every((bit) => refusesAt(matrix, index, bit)))
  }
  if (outcome) conditions.push((index) => outcome.includes(examined.outcomeOf(index)))
  if (reached) {
    const steps = stepsOf(reached)
    conditions.push((index) => steps.every((step) => step >= 0 && firstStep(index) >= step))
  }
  if (passed) {
    const steps = stepsOf(passed)
    conditions.push((index) => steps.every((step) => step >= 0 && firstStep(index) > step))
  }
  if (refusedOnlyBy) {
    const alone = new Set(refusedOnlyBy)
    conditions.push((index) => alone.has(refusingAt(index) ?? '') && refusalsOf(examined, index) === 1)
  }
  if (tied) {
    const best = tiedAtTop(examined)
    conditions.push((index) => best.has(index))
  }
  return (index) => {
    for (const isMet of conditions) if (!isMet(index)) return false
    return true
  }
}

/** The hosts that share the best total. */
function tiedAtTop({ ranked, weighed: { totals, hosts } }: Examined): ReadonlySet<number> {
  const top = totals[ranked[0] ?? -1]
  return new Set(ranked.filter((position) => totals[position] === top).map((position) => hosts[position] as number))
}

/** How many filters refuse a host, each evaluated independently. */
function refusalsOf({ refusedBy, bytesPerHost }: Examined, index: number): number {
  let refusals = 0
  for (let byte = index * bytesPerHost; byte < (index + 1) * bytesPerHost; byte++)
    for (let bits = refusedBy[byte] as number; bits > 0; bits >>= 1) refusals += bits & 1
  return refusals
}

const refusesAt = ({ refusedBy, bytesPerHost }: VerdictMatrix, host: number, filter: number): boolean =>
  filter >= 0 && (((refusedBy[host * bytesPerHost + (filter >> 3)] as number) >> (filter & 7)) & 1) === 1

/**
 * Refused hosts, sorted by how near they are to passing: the host that the cause names, then further hosts that the request admits, then
 * the remaining hosts.
 */
export async function nearMissesOf(examined: Examined, first: number): Promise<HostVerdict[]> {
  if (first < 1 || first > MAX_NEAR) throw InputFault.at(['nearMisses', 'first'], first, `1 to ${MAX_NEAR}`)
  const matrix = await examined.matrix()
  const { admitted } = examined
  const nearest = examined.cause?.nearest?.name
  const named = nearest === undefined ? undefined : indexOfHost(examined, nearest)
  return nearMissesIn(matrix, admitted, named)
    .slice(0, first)
    .map((index) => examined.verdict(index))
}

export function selectionOf(examined: Examined): SelectionNote {
  const { question, instance, ranked, weighed, hosts } = examined
  const { hostSubsetSize: subsetSize, scheduler, tieOrder } = question.profile
  const selected = question.answer[instance]?.selected
  const rankOf = ranked.findIndex((position) => {
    const name = hosts[weighed.hosts[position] as number]
    return name !== undefined && name.host === selected?.host && name.node === selected.node
  })
  const top = weighed.totals[ranked[0] ?? -1]
  const tied = ranked.filter((position) => weighed.totals[position] === top).length
  const how: Readonly<Record<Deciding, string>> = {
    SOLVER: 'A host of the best arrangement of all instances that the solver found.',
    TOGETHER: 'The best of the hosts that fit all instances of the request, because their server group requires one host.',
    ANY: 'The seed selects one of the hosts that pass.',
    PLUGIN: `The scheduler ${scheduler} of a plug-in selects a host that passes by its own rules.`,
    AMONG_BEST: `The seed selects one of the ${subsetSize} best hosts.`,
    RANKING:
      tied > 1
        ? `${tied} hosts share the best total; ${tieOrder === 'seeded' ? 'the seed' : 'the order in which hosts first reported'} decided.`
        : 'The best host is selected.',
  }
  const text = ranked.length === 0 ? 'No host passed every filter.' : how[decidingOf(examined)]
  return { subsetSize, seed: question.record.seed || null, pickedRank: rankOf + 1, tied, text }
}
