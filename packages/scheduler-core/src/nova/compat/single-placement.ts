import type { CompiledProfile } from '../../contracts/compiled-profile.ts'
import type { Selection, SelectOptions } from '../../contracts/scheduler.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import type { Overlay } from '../../fleet/overlay.ts'
import type { FilterStep } from '../../pipeline/filtering/filter-step.ts'
import { runFiltersInSteps } from '../../pipeline/filtering/run-filters.ts'
import { best } from '../../pipeline/weighing/pick.ts'
import { prepareWeighers } from '../../pipeline/weighing/run-weighers.ts'
import { type TotalScores, totalScores } from '../../pipeline/weighing/total-scores.ts'
import type { Destination } from '../../records/decision.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import { BEST_KEPT, groupOf, prepareGrants, prepareLimits } from '../../schedulers/filter-scheduler.ts'
import type { HostIndex } from '../../values/host-index.ts'
import { NumberBuffers } from '../../values/number-buffers.ts'
import { createRandom, type Random } from '../../values/random.ts'
import type { Steps } from '../../values/steps.ts'
import { ownHostsOf } from '../own/own-hosts.ts'
import type { NovaRules } from './rounds.ts'

/** Nova sorts hosts with equal weights in the order in which its host manager returns them. */
const inHostOrder = (host: number): number => host

/**
 * Places a single instance by Nova's algorithm. One round is enough for it, and no host has to be copied: the filters and weighers of the
 * pipeline, with their caches, give the same result as `placeInRounds`.
 */
export function* placeSingle(
  compiled: CompiledProfile,
  rules: NovaRules,
  steps: readonly FilterStep[],
  request: RequestSpec,
  fleet: Fleet,
  overlay: Overlay,
  { seed, alternatesPerInstance, claimIds }: SelectOptions,
  slice: number,
): Steps<Selection> {
  const buffers = new NumberBuffers()
  try {
    const filtered = yield* runFiltersInSteps(steps, fleet, slice)
    const weighers = filtered.hosts.length < compiled.weighsFrom ? [] : prepareWeighers(compiled, request, fleet)
    const weighed = yield* totalScores(weighers, filtered.hosts, buffers, slice)
    yield
    const { hosts, totals } = weighed
    const most = alternatesPerInstance === 0 ? 0 : Math.min(rules.maxAttempts, alternatesPerInstance + 1) - 1
    const tied = countTied(totals)
    const order = orderOf(weighed, rules, tied, createRandom(seed), Math.max(BEST_KEPT, most + 1))
    const nameAt = (position: number) => {
      const { host, node } = fleet.hosts.get(hosts[position] as HostIndex)
      return { host, node }
    }
    const record = {
      candidates: fleet.hosts.presentCount,
      filters: filtered.steps,
      best: order.ranked.slice(0, BEST_KEPT).map((position) => ({
        ...nameAt(position),
        raw: weighed.raw.map((scores) => scores[position] as number),
        total: totals[position] as number,
      })),
      tied,
    }
    const [chosen] = order.weighed
    if (chosen === undefined) return { parts: [], answer: [], instances: [record], found: 0 }

    const limitsOf = prepareLimits(request, fleet)
    const destination = (position: number): Destination => ({
      ...nameAt(position),
      weight: totals[position] as number,
      limits: limitsOf(hosts[position] as HostIndex),
    })
    const alternates = alternatesOf(weighed, order.weighed, fleet, most) ?? alternatesOf(weighed, order.all(), fleet, most) ?? []
    const host = hosts[chosen] as HostIndex
    const instance = request.instanceUuids[0] ?? null
    const grants = prepareGrants(compiled, request, fleet)(host)
    const part = { claim: claimIds[0] as string, instance, ...nameAt(chosen), grants }
    overlay.hold(part, groupOf(request))
    const answer = { instance, selected: destination(chosen), alternates: alternates.map(destination) }
    return { parts: [part], answer: [answer], instances: [record], found: 1 }
  } finally {
    buffers.end()
  }
}

/** The number of hosts that share the highest total. */
function countTied(totals: Float64Array): number {
  let [top, tied] = [Number.NEGATIVE_INFINITY, 0]
  for (const total of totals) {
    if (total > top) [top, tied] = [total, 0]
    if (total === top) tied++
  }
  return tied
}

/** Hosts as positions in the lists of `weighed`. */
interface Order {
  /** The best hosts, sorted by their totals. */
  readonly ranked: readonly number[]
  /** The same hosts, with the chosen host moved to the front. Hosts that share the highest total can be shuffled. */
  readonly weighed: readonly number[]
  /** The order of `weighed` for all hosts. */
  all(): readonly number[]
}

/** Chooses the best host or, depending on the settings, a random one of the best hosts. Ranks at least `count` hosts. */
function orderOf(weighed: TotalScores, rules: NovaRules, tied: number, random: Random, count: number): Order {
  const { hostSubsetSize, shuffleBest } = rules
  const ranked = best(weighed, Math.max(count, hostSubsetSize, shuffleBest ? tied : 0), inHostOrder)
  const first = [...ranked]
  if (shuffleBest) for (let i = tied - 1; i > 0; i--) swap(first, i, random.below(i + 1))
  const size = Math.min(hostSubsetSize, weighed.hosts.length)
  const chosen = size > 1 ? random.below(size) : 0
  const ordered = [...first.slice(chosen, chosen + 1), ...first.slice(0, chosen), ...first.slice(chosen + 1)]
  return {
    ranked,
    weighed: ordered,
    all: () => [...ordered, ...best(weighed, weighed.hosts.length, inHostOrder).slice(ordered.length)],
  }
}

function swap(list: number[], a: number, b: number): void {
  ;[list[a], list[b]] = [list[b] as number, list[a] as number]
}

/**
 * The alternates: the best hosts in the Nova cell of the first host in `order`, at most `most`. Undefined if there are too few of them in
 * `order`, and `order` does not have all hosts.
 */
function alternatesOf({ hosts }: TotalScores, order: readonly number[], fleet: Fleet, most: number): readonly number[] | undefined {
  const hostOf = ownHostsOf(fleet)
  const cellOf = (position: number) => hostOf(hosts[position] as HostIndex).cellUuid
  const [chosen, ...others] = order
  if (chosen === undefined || most <= 0) return []
  const cell = cellOf(chosen)
  const found: number[] = []
  for (const position of others) {
    if (found.length === most) break
    if (cellOf(position) === cell) found.push(position)
  }
  return found.length === most || order.length === hosts.length ? found : undefined
}
