import type { Read } from '../../report/stats-fields.ts'
import { createRandom, type Random } from '../../values/random.ts'
import { atOnce, type Steps, sortInSteps, WHOLE } from '../../values/steps.ts'
import type { HostState } from '../objects/host-state.ts'
import type { NovaRequest } from '../objects/request.ts'
import { consume } from '../parts/consume.ts'
import type { HostCheck, HostLimits, NovaFilter } from '../parts/nova-filter.ts'
import { type HostSnapshot, NovaHost } from '../parts/nova-host.ts'
import type { HostRule, ServiceRules } from '../parts/service-rules.ts'
import { type ChosenWeigher, type WeigherRun, weighHostsInSteps } from '../parts/weigh.ts'
import { NovaError } from '../text/nova-error.ts'
import { candidatesOf, skipsFilters } from './candidates.ts'

export interface ChosenFilter {
  readonly filter: NovaFilter
  readonly options: Readonly<Record<string, unknown>>
}

/** The settings of a profile for Nova's scheduling algorithm. */
export interface NovaRules {
  readonly filters: readonly ChosenFilter[]
  readonly weighers: readonly ChosenWeigher[]
  /** Nova's `scheduler.max_attempts`: the maximum count of the chosen host and its alternates together. */
  readonly maxAttempts: number
  /** The host is chosen at random, by the seed, from this many of the best hosts. */
  readonly hostSubsetSize: number
  /** Nova's `packing_host_numa_cells_allocation_strategy`. If true, the fullest NUMA cells of a host are tried first. */
  readonly packing: boolean
  /** If true, hosts that share the highest weight are shuffled, by the seed. */
  readonly shuffleBest: boolean
}

export interface RoundsInput {
  readonly rules: NovaRules
  readonly request: NovaRequest
  /** The hosts, in the order in which Nova's host manager returns them. They are never changed. A chosen host is copied first. */
  readonly hosts: readonly HostState[]
  /** The uuid of each instance; null if it has none. */
  readonly instances: readonly (string | null)[]
  readonly withAlternates: boolean
  /** The time of the decision, in milliseconds since 1970. */
  readonly now: number
  readonly seed: string
  /** Rules that this service adds to Nova's rules. If absent, only Nova's rules apply, and an error in a filter ends the request. */
  readonly service?: ServiceRules
}

export interface FilterRun {
  readonly filter: string
  readonly survivors: readonly HostState[]
  /** False if the request does not need this filter. */
  readonly isAsked: boolean
  /** The number of hosts on which the filter threw an error. 0 if only Nova's rules apply, because an error then ends the request. */
  readonly errors: number
}

export interface NovaRound {
  /** The index of the instance in the request. */
  readonly index: number
  /** The request with the changes of the earlier rounds. */
  readonly request: NovaRequest
  /** The hosts of the round, in the order in which hosts with equal weights are ranked. */
  readonly input: readonly HostState[]
  /** The hosts that the request admits. */
  readonly candidates: readonly HostState[]
  /** The filters that ran, each with the hosts that passed it. */
  readonly filters: readonly FilterRun[]
  /** The hosts that passed all filters. Weighers run on these hosts. */
  readonly filtered: readonly HostState[]
  /** The scores of each weigher for `filtered`. Empty if no weigher ran. */
  runs: readonly WeigherRun[]
  /** The hosts with their total weights, best first. Undefined if a weigher failed. */
  ranked: readonly WeighedHost[] | undefined
  /** The hosts of `ranked`, with the chosen host moved to the front. */
  weighed: readonly WeighedHost[] | undefined
  /** The state of the chosen host after the instance was placed. Undefined if no host was chosen, or if the round only finds alternates. */
  stateAfter: HostSnapshot | undefined
}

export interface WeighedHost {
  readonly host: HostState
  readonly weight: number
  /** The host's index in the score lists of the weighers. */
  readonly position: number
}

export interface NovaPlacement {
  /** The name of the exception that Nova would raise. Null if every instance has a host. */
  readonly error: string | null
  readonly rounds: readonly NovaRound[]
  /** The round that only finds alternates, if there was one. */
  readonly alternateRound: NovaRound | undefined
  /** One entry for each placed instance, in order. Shorter than the list of instances if an instance found no host. */
  readonly selected: readonly SelectedHost[]
  readonly alternates: readonly (readonly HostState[])[]
}

export interface SelectedHost extends HostState {
  /** The limits up to which the host can be filled. The filters that the host passed set them. */
  readonly limits: HostLimits
}

/**
 * Places the instances of a request by Nova's algorithm, in one round for each instance. A round starts with the hosts that passed in the
 * previous round, in the order of their weights. It filters and weighs them, chooses the best host, and subtracts the instance's resources
 * from it. As in Nova, each round passes a changed request to the next one, with the fitted topology and the hosts of the server group. The
 * request in `input` is not changed.
 */
export const placeInRounds = (input: RoundsInput): NovaPlacement => atOnce(placeInRoundsInSteps({ ...input, slice: WHOLE }))

/** `placeInRounds` as a generator that yields after each `slice` of hosts. No other code may use the hosts until the generator ends. */
export function* placeInRoundsInSteps(input: RoundsInput & { readonly slice: number }): Steps<NovaPlacement> {
  const run = new Run(input)
  try {
    return yield* run.place()
  } catch (error) {
    if (!(error instanceof NovaError)) throw error
    return run.failed(error.kind)
  }
}

class Run {
  readonly #input: RoundsInput & { readonly slice: number }
  readonly #random: Random
  readonly #rounds: NovaRound[] = []
  readonly #selected: NovaHost[] = []
  /** For each host, the limits that were set by the filters which the host passed. */
  readonly #limits = new Map<string, HostLimits>()
  #request: NovaRequest
  #hosts: readonly HostState[]
  /** Hosts that only the filters `askedAgain` refused in the last round. The next round checks them again. */
  #again: readonly HostState[] = []

  constructor(input: RoundsInput & { readonly slice: number }) {
    this.#input = input
    this.#random = createRandom(input.seed)
    this.#request = input.request
    this.#hosts = input.hosts
  }

  *place(): Steps<NovaPlacement> {
    const { rules, instances, withAlternates, service } = this.#input
    for (const [index, uuid] of instances.entries()) {
      if (uuid !== null) this.#request = { ...this.#request, instanceUuid: uuid }
      const round = yield* this.#filter(index)
      this.#rounds.push(round)
      yield* this.#weigh(round)
      const [best, ...rest] = this.#hosts
      if (best === undefined) return this.failed('NoValidHost')
      const picked = new NovaHost(best)
      this.#hosts = [picked, ...rest]
      this.#selected.push(picked)
      this.#request = consume(picked, this.#request, uuid, rules.packing, this.#limitsOf(picked))
      service?.take(picked, index)
      round.stateAfter = picked.snapshot()
    }
    const most = withAlternates ? rules.maxAttempts - 1 : 0
    let alternateRound: NovaRound | undefined
    if (instances.length > 1 && most > 0) {
      alternateRound = yield* this.#filter(instances.length - 1)
      yield* this.#weigh(alternateRound)
    }
    const free = yield* this.#freeByCell(most)
    const alternates = this.#selected.map(({ cellUuid }) => free.get(cellUuid) ?? [])
    return { error: null, rounds: this.#rounds, alternateRound, selected: this.#withLimits(), alternates }
  }

  failed(error: string): NovaPlacement {
    return { error, rounds: this.#rounds, alternateRound: undefined, selected: this.#withLimits(), alternates: [] }
  }

  *#filter(index: number): Steps<NovaRound> {
    const { rules, now, service, slice } = this.#input
    const input = this.#again.length === 0 ? this.#hosts : [...this.#hosts, ...this.#again]
    const candidates = candidatesOf(this.#request, input)
    const filters: FilterRun[] = []
    let left = candidates.hosts
    // The number of hosts that filters may still examine before the next yield. The filters of a round share this number.
    let untilPause = slice
    const passes = (filter: string, check: HostCheck, reads: readonly Read[], host: HostState): boolean | undefined => {
      if (service?.isReported?.(host, reads) === false) return false
      const verdict = this.#ask(check, host)
      return verdict === false && service?.keepsOwn?.(filter, host) === true ? true : verdict
    }
    function* keep(filter: string, check: HostCheck | undefined, failed = false, reads: readonly Read[] = []): Steps<void> {
      let errors = failed ? left.length : 0
      const asked = left
      const passed: HostState[] = []
      if (check !== undefined)
        for (let i = 0; i < asked.length; i++) {
          const host = asked[i] as HostState
          if (untilPause === 0) {
            yield
            untilPause = slice
          }
          untilPause--
          const verdict = passes(filter, check, reads, host)
          if (verdict === undefined) errors++
          else if (verdict) passed.push(host)
        }
      if (failed || check !== undefined) left = passed
      filters.push({ filter, survivors: left, isAsked: check !== undefined || failed, errors })
    }
    function* keepAll(rules: readonly HostRule[] = []): Steps<void> {
      for (const { name, passes: isLetIn } of rules) yield* keep(name, (host) => (isLetIn(host) ? undefined : { code: 'host.excluded' }))
    }
    if (index === 0) yield* keepAll(service?.before)
    const isSkipping = service === undefined ? candidates.isForced : skipsFilters(this.#request)
    for (const { filter, options } of isSkipping ? [] : rules.filters) {
      if (filter.oncePerRequest && index > 0) continue
      // Nova skips further filters if no host is left. This service runs them, because its records have counts for every filter.
      if (left.length === 0 && filters.length > 0 && service === undefined) break
      try {
        yield* keep(
          filter.name,
          filter.prepare(this.#request, options, {
            now,
            ...service?.context,
          }),
          false,
          filter.reads,
        )
      } catch (error) {
        if (service === undefined || !(error instanceof NovaError)) throw error
        yield* keep(filter.name, undefined, true)
      }
    }
    yield* keepAll(service?.nets)
    const beforeLast = left
    yield* keepAll(service?.askedAgain)
    const isLeft = new Set(left)
    this.#again = beforeLast.length === left.length ? [] : beforeLast.filter((host) => !isLeft.has(host))
    return {
      index,
      request: this.#request,
      input,
      candidates: candidates.hosts,
      filters,
      filtered: left,
      runs: [],
      ranked: undefined,
      weighed: undefined,
      stateAfter: undefined,
    }
  }

  /**
   * Returns true if a host passes a filter's check, and then stores the limits that the filter sets. Undefined if the check threw an error.
   */
  #ask(check: HostCheck, host: HostState): boolean | undefined {
    try {
      if (check(host) !== undefined) return false
      if (check.limits !== undefined) this.#limits.set(keyOf(host), { ...this.#limitsOf(host), ...check.limits(host) })
      return true
    } catch (error) {
      if (this.#input.service === undefined || !(error instanceof NovaError)) throw error
      return undefined
    }
  }

  /** Returns alternates for each Nova cell: the best hosts of the cell on which no instance was placed, at most `most` for each cell. */
  *#freeByCell(most: number): Steps<ReadonlyMap<string | undefined, readonly HostState[]>> {
    const { slice } = this.#input
    const taken = new Set(this.#selected.map(keyOf))
    const free = new Map<string | undefined, HostState[]>(this.#selected.map(({ cellUuid }) => [cellUuid, []]))
    for (const [i, host] of most > 0 ? this.#hosts.entries() : []) {
      if (i % slice === slice - 1) yield
      const found = free.get(host.cellUuid)
      if (found !== undefined && found.length < most && !taken.has(keyOf(host))) found.push(host)
    }
    return free
  }

  /** Computes the scores of the round's weighers, and sorts the hosts by their weight. */
  *#weigh(round: NovaRound): Steps<void> {
    const { rules, service, slice } = this.#input
    const { totals, runs } = yield* weighHostsInSteps(rules.weighers, this.#request, round.filtered, service, slice)
    round.runs = runs
    const weights = round.filtered.map((host, position) => ({ host, weight: totals[position] as number, position }))
    const byWeight = (a: WeighedHost, b: WeighedHost): number => b.weight - a.weight
    round.ranked = slice === WHOLE ? weights.sort(byWeight) : yield* sortInSteps(weights, byWeight)
    round.weighed = chooseFirst(round.ranked, rules, this.#random)
    this.#hosts = round.weighed.map(({ host }) => host)
  }

  #limitsOf(host: HostState): HostLimits {
    return this.#limits.get(keyOf(host)) ?? {}
  }

  #withLimits(): readonly SelectedHost[] {
    return this.#selected.map((host) => Object.assign(host, { limits: this.#limitsOf(host) }))
  }
}

const keyOf = ({ host, node }: HostState): string => `${host}\u0000${node}`

/** Moves the chosen host to the front of the list. It is the best host or, depending on the settings, a random one of the best hosts. */
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
