import type { CompiledProfile } from '../../contracts/compiled-profile.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import type { FilterStep } from '../../pipeline/filtering/filter-step.ts'
import { passesSafely } from '../../pipeline/filtering/passes-safely.ts'
import { runFiltersInSteps } from '../../pipeline/filtering/run-filters.ts'
import { SHORT } from '../../pipeline/weighing/pick.ts'
import { type NumbersOf, prepareWeighers, type WeighStep } from '../../pipeline/weighing/run-weighers.ts'
import { type TotalScores, totalScores } from '../../pipeline/weighing/total-scores.ts'
import type { FilterCount, InstanceRecord } from '../../records/decision.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import { BEST_KEPT } from '../../schedulers/filter-scheduler.ts'
import type { HostIndex } from '../../values/host-index.ts'
import { NumberBuffers } from '../../values/number-buffers.ts'
import { createRandom, type Random } from '../../values/random.ts'
import type { Steps } from '../../values/steps.ts'
import type { HostState } from '../objects/host-state.ts'
import type { NovaRequest } from '../objects/request.ts'
import { ownHostsOf } from '../own/own-hosts.ts'
import { consume } from '../parts/consume.ts'
import type { HostCheck } from '../parts/nova-filter.ts'
import { NovaHost } from '../parts/nova-host.ts'
import type { ServiceRules } from '../parts/service-rules.ts'
import { prepareScore, type ScoreOfState } from '../parts/weigh.ts'
import { NovaError } from '../text/nova-error.ts'
import { skipsFilters } from './candidates.ts'
import { InheritedOrder } from './inherited-order.ts'
import type { ChosenFilter, NovaRules } from './rounds.ts'

interface ColumnRoundsInput {
  readonly compiled: CompiledProfile
  readonly rules: NovaRules
  /** The filters of the first round, in the order in which it runs them. */
  readonly steps: readonly FilterStep[]
  /** The filters for free resources that run in every round. */
  readonly nets: readonly FilterStep[]
  readonly request: RequestSpec
  readonly wanted: NovaRequest
  readonly fleet: Fleet
  /** At most this many alternates are found for each instance. */
  readonly mostAlternates: number
  readonly seed: string
  readonly service: ServiceRules
  readonly slice: number
}

export interface WeighedIndex {
  readonly host: HostIndex
  readonly weight: number
}

export interface ColumnPlacement {
  readonly records: readonly InstanceRecord[]
  /** The hosts on which instances were placed. */
  readonly selected: readonly WeighedIndex[]
  /** The alternates of each instance. Empty if an instance found no host. */
  readonly alternates: readonly (readonly WeighedIndex[])[]
}

/**
 * True if `placeInColumns` can place the instances of a request. It cannot if a round changes the request so that the verdicts of other hosts
 * change (NUMA cells), if hosts that were refused are asked again, or if all best hosts are shuffled.
 */
export const fitsColumns = (fleet: Fleet, { numaTopology, schedulerHints, instanceGroup }: NovaRequest, rules: NovaRules): boolean =>
  fleet.hosts.mover === null &&
  !numaTopology &&
  schedulerHints !== null &&
  instanceGroup?.hosts !== null &&
  !rules.shuffleBest &&
  rules.hostSubsetSize <= SHORT

/**
 * Places several instances with the result of `placeInRounds`, bit for bit, without calling each filter and weigher for each host in each
 * round. In a later round the verdicts and scores of a host differ from those of the round before only if the host got an instance, or if the
 * filter or weigher reads what a round changes in the request: the hosts of its server group and the uuid of its instance. Undefined if
 * weights are not finite; the instances must then be placed in rounds, after the overlay was rolled back.
 */
export function* placeInColumns(input: ColumnRoundsInput): Steps<ColumnPlacement | undefined> {
  const kept = new NumberBuffers()
  try {
    return yield* new ColumnRounds(input, kept).place()
  } finally {
    kept.end()
  }
}

/** A round whose hosts were filtered and weighed. */
interface WeighedRound {
  readonly filters: readonly FilterCount[]
  readonly weighed: TotalScores
  /** The count of hosts that have the best weight. */
  readonly tied: number
  /** The best hosts as positions in `weighed`, best first, with the chosen host at the position `chosen`. */
  readonly ranked: readonly number[]
  readonly chosen: number
}

class ColumnRounds {
  readonly #input: ColumnRoundsInput
  readonly #random: Random
  readonly #kept: NumberBuffers
  readonly #hostOf: (host: HostIndex) => HostState
  readonly #order = new InheritedOrder()
  /** The hosts that got instances, as the rounds left them. */
  readonly #taken = new Map<HostIndex, NovaHost>()
  readonly #weighers: readonly WeighStep[]
  /** For each weigher, the raw score of each host. Undefined for a weigher without effect. */
  readonly #raw: readonly (Float64Array | undefined)[]
  readonly #multipliers: readonly (Float64Array | undefined)[]
  #request: NovaRequest
  /** The hosts that passed the last round, in the order of their indexes. */
  #hosts: Int32Array = new Int32Array(0)

  constructor(input: ColumnRoundsInput, kept: NumberBuffers) {
    const { compiled, request, fleet, wanted, seed } = input
    this.#input = input
    this.#kept = kept
    this.#random = createRandom(seed)
    this.#hostOf = ownHostsOf(fleet)
    this.#request = wanted
    this.#weighers = prepareWeighers(compiled, request, fleet)
    const { count } = fleet.hosts
    this.#raw = this.#weighers.map(({ hasNoEffect }) => (hasNoEffect === true ? undefined : kept.take(count)))
    this.#multipliers = this.#weighers.map(({ hasNoEffect, multipliersOf }) =>
      hasNoEffect === true || multipliersOf === undefined ? undefined : kept.take(count),
    )
  }

  *place(): Steps<ColumnPlacement | undefined> {
    const { request, rules, service, mostAlternates: most } = this.#input
    const records: InstanceRecord[] = []
    const selected: WeighedIndex[] = []
    const buffers = new NumberBuffers()
    try {
      for (let index = 0; index < request.numInstances; index++) {
        buffers.end()
        const uuid = request.instanceUuids[index] ?? null
        if (uuid !== null) this.#request = { ...this.#request, instanceUuid: uuid }
        const entered = index === 0 ? this.#input.fleet.hosts.presentCount : this.#hosts.length
        const filters = index === 0 ? yield* this.#filterFirst() : yield* this.#filterAgain()
        const round = yield* this.#weigh(filters, buffers)
        if (round === undefined) return undefined
        records.push(this.#recordOf(round, entered))
        const position = round.ranked[round.chosen]
        if (position === undefined) return { records, selected, alternates: [] }
        const host = round.weighed.hosts[position] as HostIndex
        selected.push({ host, weight: round.weighed.totals[position] as number })
        const picked = new NovaHost(this.#stateOf(host))
        this.#taken.set(host, picked)
        this.#request = consume(picked, this.#request, uuid, rules.packing, {})
        service.take(picked, index)
        yield* this.#order.add(round.weighed, host, this.#kept, this.#input.fleet.hosts.count)
        yield
      }
      if (most === 0) return { records, selected, alternates: selected.map(() => []) }
      buffers.end()
      const round = yield* this.#weigh(yield* this.#filterAgain(), buffers)
      if (round === undefined) return undefined
      const free = yield* this.#freeByCell(round, selected, most)
      return { records, selected, alternates: selected.map(({ host }) => free.get(this.#hostOf(host).cellUuid) ?? []) }
    } finally {
      buffers.end()
    }
  }

  #stateOf(host: HostIndex): HostState {
    return this.#taken.get(host) ?? this.#hostOf(host)
  }

  *#filterFirst(): Steps<readonly FilterCount[]> {
    const { steps, fleet, slice } = this.#input
    const filtered = yield* runFiltersInSteps(steps, fleet, slice)
    this.#hosts = filtered.hosts
    for (const [i, { rawOf, multipliersOf }] of this.#weighers.entries()) {
      const [raw, multipliers] = [this.#raw[i], this.#multipliers[i]]
      if (raw !== undefined) yield* this.#scoreEach(rawOf, raw)
      if (multipliersOf !== undefined && multipliers !== undefined) yield* this.#scoreEach(multipliersOf, multipliers)
    }
    return filtered.steps
  }

  /** Writes the numbers of the hosts that are left into `numbers`, which has a number for each host of the fleet. */
  *#scoreEach(numbersOf: NumbersOf, numbers: Float64Array): Steps<void> {
    const { length } = this.#hosts
    const slice = Math.min(this.#input.slice, length)
    const scratch = this.#kept.take(slice)
    for (let from = 0; from < length; from += slice) {
      const hosts = this.#hosts.subarray(from, from + slice)
      scatter(numbersOf(hosts, scratch.subarray(0, hosts.length)), hosts, numbers)
      if (slice < length) yield
    }
  }

  /** Filters the hosts that passed the round before. */
  *#filterAgain(): Steps<readonly FilterCount[]> {
    const { rules, nets } = this.#input
    const counts: FilterCount[] = []
    for (const { filter, options } of skipsFilters(this.#request) ? [] : rules.filters) {
      if (filter.oncePerRequest) continue
      const check = this.#prepare({ filter, options })
      if (check === undefined) continue
      const entered = this.#hosts.length
      if (check === FAILED) {
        this.#hosts = new Int32Array(0)
        counts.push({ filter: filter.name, entered, passed: 0, ...(entered > 0 && { errors: entered }) })
        continue
      }
      const { isReported } = this.#input.service
      let errors = 0
      const passes = (host: HostIndex): boolean => {
        const state = this.#stateOf(host)
        if (isReported?.(state, filter.reads) === false) return false
        const verdict = verdictOf(check, state)
        if (verdict === undefined) errors++
        return verdict === true
      }
      yield* this.#keep(passes, isUnchanged(filter) ? [] : undefined)
      counts.push({ filter: filter.name, entered, passed: this.#hosts.length, ...(errors > 0 && { errors }) })
    }
    for (const { name, prepared, cacheName } of nets) {
      const entered = this.#hosts.length
      const passes = (host: HostIndex) => prepared !== undefined && passesSafely(prepared, host) === true
      yield* this.#keep(passes, cacheName === undefined ? prepared?.exceptions?.() : [])
      counts.push({ filter: name, entered, passed: this.#hosts.length })
    }
    return counts
  }

  #prepare({ filter, options }: ChosenFilter): HostCheck | typeof FAILED | undefined {
    const { fleet, service } = this.#input
    try {
      return filter.prepare(this.#request, options, { now: fleet.now, ...service.context })
    } catch (error) {
      if (!(error instanceof NovaError)) throw error
      return FAILED
    }
  }

  /**
   * Keeps the hosts that pass. With `others`, only these and the hosts that got instances are asked, because all others pass as before.
   */
  *#keep(passes: (host: HostIndex) => boolean, others: Iterable<HostIndex> | undefined): Steps<void> {
    if (others !== undefined) {
      const refused = new Set<number>()
      for (const host of new Set([...this.#taken.keys(), ...others])) if (this.#isLeft(host) && !passes(host)) refused.add(host)
      if (refused.size > 0) this.#hosts = this.#hosts.filter((host) => !refused.has(host))
      return
    }
    const { slice } = this.#input
    const passed = new Int32Array(this.#hosts.length)
    let count = 0
    for (let i = 0; i < this.#hosts.length; i++) {
      if (i % slice === slice - 1) yield
      const host = this.#hosts[i] as HostIndex
      if (passes(host)) passed[count++] = host
    }
    this.#hosts = passed.subarray(0, count)
  }

  #isLeft(host: HostIndex): boolean {
    let [low, high] = [0, this.#hosts.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#hosts[middle] as number) < host) low = middle + 1
      else high = middle
    }
    return this.#hosts[low] === host
  }

  /** Weighs the hosts that are left, and chooses one of them. Undefined if a weight is not finite. */
  *#weigh(filters: readonly FilterCount[], buffers: NumberBuffers): Steps<WeighedRound | undefined> {
    const { compiled, rules, slice } = this.#input
    const isWeighed = this.#hosts.length >= compiled.weighsFrom
    if (isWeighed && this.#taken.size > 0) yield* this.#scoreAgain()
    const weighed = yield* totalScores(isWeighed ? this.#gathered() : [], this.#hosts, buffers, slice)
    const tied = countTied(weighed.totals)
    if (tied === undefined) return undefined
    const ranked = yield* this.#order.best(weighed, Math.max(BEST_KEPT, rules.hostSubsetSize))
    const size = Math.min(rules.hostSubsetSize, weighed.hosts.length)
    return { filters, weighed, tied, ranked, chosen: size > 1 ? this.#random.below(size) : 0 }
  }

  /** Computes the scores of the hosts that got instances, and all scores of weighers that read what rounds change. */
  *#scoreAgain(): Steps<void> {
    const { rules, service, slice } = this.#input
    for (const [i, raw] of this.#raw.entries()) {
      const chosen = rules.weighers[i]
      if (raw === undefined || chosen === undefined) continue
      const scoreOf: ScoreOfState = prepareScore(chosen, this.#request, service)
      if (isUnchanged(chosen.weigher)) {
        for (const [host, state] of this.#taken) raw[host] = scoreOf(state)
        continue
      }
      for (let at = 0; at < this.#hosts.length; at++) {
        if (at % slice === slice - 1) yield
        const host = this.#hosts[at] as HostIndex
        raw[host] = scoreOf(this.#stateOf(host))
      }
    }
  }

  /** The weighers, with the scores and multipliers that are kept for each host. */
  #gathered(): readonly WeighStep[] {
    return this.#weighers.map((step, i) => {
      const [raw, multipliers] = [this.#raw[i], this.#multipliers[i]]
      return raw === undefined ? step : { ...step, rawOf: gather(raw), multipliersOf: multipliers && gather(multipliers) }
    })
  }

  #recordOf({ filters, weighed, tied, ranked }: WeighedRound, entered: number): InstanceRecord {
    const { hosts, totals, raw } = weighed
    return {
      candidates: entered,
      filters,
      best: ranked.slice(0, BEST_KEPT).map((position) => {
        const { host, node } = this.#input.fleet.hosts.get(hosts[position] as HostIndex)
        return { host, node, raw: raw.map((scores) => scores[position] as number), total: totals[position] as number }
      }),
      tied,
    }
  }

  /** The alternates for each Nova cell: the best hosts of the cell on which no instance was placed, at most `most` for each cell. */
  *#freeByCell(
    { weighed, ranked, chosen }: WeighedRound,
    selected: readonly WeighedIndex[],
    most: number,
  ): Steps<ReadonlyMap<string | undefined, readonly WeighedIndex[]>> {
    const { hosts, totals } = weighed
    const cells = new Set(selected.map(({ host }) => this.#hostOf(host).cellUuid))
    const first = ranked[chosen]
    for (let count = Math.min(SHORT, most + this.#taken.size + 1); ; count = count < SHORT ? SHORT : hosts.length) {
      const best = yield* this.#order.best(weighed, count)
      const free = new Map<string | undefined, WeighedIndex[]>([...cells].map((cell) => [cell, []]))
      for (const position of first === undefined ? [] : [first, ...best.filter((other) => other !== first)]) {
        const host = hosts[position] as HostIndex
        const found = free.get(this.#hostOf(host).cellUuid)
        if (found !== undefined && found.length < most && !this.#taken.has(host)) found.push({ host, weight: totals[position] as number })
      }
      if (best.length === hosts.length || [...free.values()].every(({ length }) => length === most)) return free
    }
  }
}

/** The fields of a request that rounds change, if the request has no NUMA cells. */
const CHANGED: readonly (keyof NovaRequest)[] = ['instanceGroup', 'instanceUuid']

/** True if a filter or weigher gives a host without a new instance the same result in each round. */
const isUnchanged = ({ cachedBy }: { readonly cachedBy?: readonly (keyof NovaRequest)[] | undefined }): boolean =>
  cachedBy?.every((field) => !CHANGED.includes(field)) === true

/** Stands for a filter whose preparation threw an error. It refuses every host. */
const FAILED = Symbol('the preparation of the filter failed')

/** Undefined if the check threw an error. */
function verdictOf(check: HostCheck, host: HostState): boolean | undefined {
  try {
    return check(host) === undefined
  } catch (error) {
    if (!(error instanceof NovaError)) throw error
    return undefined
  }
}

/** The count of hosts that have the best weight. Undefined if a weight is not finite. */
function countTied(weights: Float64Array): number | undefined {
  let [top, tied] = [Number.NEGATIVE_INFINITY, 0]
  for (let i = 0; i < weights.length; i++) {
    const weight = weights[i] as number
    if (weight - weight !== 0) return undefined
    if (weight > top) [top, tied] = [weight, 0]
    if (weight === top) tied++
  }
  return tied
}

/** Writes the numbers of hosts into a list that has a number for each host of the fleet. */
function scatter(numbers: Float64Array, hosts: Int32Array, into: Float64Array): void {
  for (let i = 0; i < hosts.length; i++) into[hosts[i] as number] = numbers[i] as number
}

/** Reads the numbers of hosts from a list that has a number for each host of the fleet. */
const gather =
  (numbers: Float64Array) =>
  (hosts: Int32Array, into: Float64Array = new Float64Array(hosts.length)): Float64Array => {
    for (let i = 0; i < hosts.length; i++) into[i] = numbers[hosts[i] as number] as number
    return into
  }
