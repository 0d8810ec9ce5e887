import { createRandom, type Random } from '../random.ts'
import { candidatesOf } from './candidates.ts'
import { consume } from './consume.ts'
import { NovaError } from './nova-error.ts'
import type { HostCheck, NovaFilter } from './nova-filter.ts'
import type { HostSnapshot, NovaHost } from './nova-host.ts'
import type { NovaRequest } from './objects/request.ts'
import { type ChosenWeigher, weighHosts } from './weigh.ts'

export interface ChosenFilter {
  readonly filter: NovaFilter
  readonly options: Readonly<Record<string, unknown>>
}

/** What of a profile Nova's way of placing needs. */
export interface NovaRules {
  readonly filters: readonly ChosenFilter[]
  readonly weighers: readonly ChosenWeigher[]
  /** Nova's scheduler.max_attempts: a chosen host and its alternates are at most so many. */
  readonly maxAttempts: number
  /** One of this many best hosts is taken, by the seed. */
  readonly hostSubsetSize: number
  /** Nova's packing_host_numa_cells_allocation_strategy: the fullest cells of a host are tried first. */
  readonly packing: boolean
  /** Hosts as good as the best are shuffled, by the seed. */
  readonly shuffleBest: boolean
}

export interface RoundsInput {
  readonly rules: NovaRules
  readonly request: NovaRequest
  /** In the order in which Nova's host manager gives them. What is picked is taken from them. */
  readonly hosts: readonly NovaHost[]
  /** One for each instance; null: it has no uuid. */
  readonly instances: readonly (string | null)[]
  readonly withAlternates: boolean
  /** The clock, milliseconds since 1970. */
  readonly now: number
  readonly seed: string
}

export interface NovaRound {
  /** Of the instance in the request. */
  readonly index: number
  readonly input: readonly NovaHost[]
  /** What each filter left, as far as they ran: none on forced hosts. */
  readonly filters: readonly { readonly filter: string; readonly survivors: readonly NovaHost[] }[]
  /** What all of them left, and what was weighed. */
  readonly filtered: readonly NovaHost[]
  /** Best first, with the sum of the weights; undefined: a weigher failed. */
  weighed: readonly WeighedHost[] | undefined
  /** The host that the instance got, as it was left; undefined: none, or a round that only finds alternates. */
  stateAfter: HostSnapshot | undefined
}

export interface WeighedHost {
  readonly host: NovaHost
  readonly weight: number
}

export interface NovaPlacement {
  /** The name of the exception with which Nova ends; null: every instance has its host. */
  readonly error: string | null
  readonly rounds: readonly NovaRound[]
  /** The round that only finds alternates, where there was one. */
  readonly alternateRound: NovaRound | undefined
  /** One for each instance; empty on an error. */
  readonly selected: readonly NovaHost[]
  readonly alternates: readonly (readonly NovaHost[])[]
}

/**
 * Nova's way of placing the instances of a request: one round each. A round filters what the round before left, in its order, weighs, takes
 * the best and lets it lose what the instance takes. What Nova rewrites in the request on the way (the fitted topology, the group's hosts)
 * goes from round to round here; the request stays as it is.
 */
export function placeInRounds(input: RoundsInput): NovaPlacement {
  const rounds: NovaRound[] = []
  try {
    return place(input, rounds)
  } catch (error) {
    if (!(error instanceof NovaError)) throw error
    return failed(error.kind, rounds)
  }
}

function place(input: RoundsInput, rounds: NovaRound[]): NovaPlacement {
  const { rules, instances, withAlternates } = input
  const random = createRandom(input.seed)
  let { request, hosts } = input
  /** Fills in what the round weighed; the hosts in the order of their weight. */
  const weighRound = (round: NovaRound, request: NovaRequest): readonly NovaHost[] => {
    const { totals } = weighHosts(rules.weighers, request, round.filtered)
    const weighed = round.filtered.map((host, i) => ({ host, weight: totals[i] as number })).sort((a, b) => b.weight - a.weight)
    round.weighed = chooseFirst(weighed, rules, random)
    return round.weighed.map(({ host }) => host)
  }
  const selected: NovaHost[] = []
  for (const [index, uuid] of instances.entries()) {
    if (uuid !== null) request = { ...request, instanceUuid: uuid }
    const round = filterRound(input, request, hosts, index)
    rounds.push(round)
    hosts = weighRound(round, request)
    const best = hosts[0]
    if (best === undefined) break
    selected.push(best)
    request = consume(best, request, uuid, rules.packing)
    round.stateAfter = best.snapshot()
  }
  if (selected.length < instances.length) return failed('NoValidHost', rounds)
  const most = withAlternates ? rules.maxAttempts - 1 : 0
  let alternateRound: NovaRound | undefined
  if (instances.length > 1 && most > 0) {
    alternateRound = filterRound(input, request, hosts, instances.length - 1)
    hosts = weighRound(alternateRound, request)
  }
  const free = hosts.filter((host) => !selected.includes(host))
  const alternates = selected.map(({ cellUuid }) => free.filter((host) => host.cellUuid === cellUuid).slice(0, most))
  return { error: null, rounds, alternateRound, selected, alternates }
}

const failed = (error: string, rounds: readonly NovaRound[]): NovaPlacement => ({
  error,
  rounds,
  alternateRound: undefined,
  selected: [],
  alternates: [],
})

function filterRound({ rules, now }: RoundsInput, request: NovaRequest, input: readonly NovaHost[], index: number): NovaRound {
  const candidates = candidatesOf(request, input)
  const filters: { filter: string; survivors: readonly NovaHost[] }[] = []
  let left = candidates.hosts
  for (const { filter, options } of candidates.isForced ? [] : rules.filters) {
    if (filter.oncePerRequest && index > 0) continue
    const check = filter.prepare(request, options, { now })
    if (check !== undefined) left = left.filter((host) => passes(check, host))
    filters.push({ filter: filter.name, survivors: left })
    if (left.length === 0) break
  }
  return { index, input, filters, filtered: left, weighed: undefined, stateAfter: undefined }
}

/** A host that a filter lets pass takes the filter's limits over. */
function passes(check: HostCheck, host: NovaHost): boolean {
  if (check(host) !== undefined) return false
  if (check.limits !== undefined) host.limits = { ...host.limits, ...check.limits(host) }
  return true
}

/** The list with the chosen one in front: the best, or one of the best by chance where the rules say so. */
function chooseFirst(weighed: readonly WeighedHost[], { hostSubsetSize, shuffleBest }: NovaRules, random: Random): readonly WeighedHost[] {
  if (weighed.length === 0) return weighed
  const list = [...weighed]
  const tied = list.filter(({ weight }) => weight === list[0]?.weight).length
  if (shuffleBest) for (let i = tied - 1; i > 0; i--) swap(list, i, random.below(i + 1))
  const size = Math.min(hostSubsetSize, list.length)
  const chosen = size > 1 ? random.below(size) : 0
  return [...list.slice(chosen, chosen + 1), ...list.slice(0, chosen), ...list.slice(chosen + 1)]
}

function swap<T>(list: T[], a: number, b: number): void {
  ;[list[a], list[b]] = [list[b] as T, list[a] as T]
}
