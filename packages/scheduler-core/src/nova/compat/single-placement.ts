import type { CompiledProfile } from '../../contracts/compiled-profile.ts'
import type { Selection, SelectOptions } from '../../contracts/scheduler.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import type { Overlay } from '../../fleet/overlay.ts'
import type { BestHosts } from '../../pipeline/best-hosts/best-hosts.ts'
import { Finding } from '../../pipeline/best-hosts/finding.ts'
import { prepareIndexedSearch } from '../../pipeline/best-hosts/indexed-search.ts'
import type { FilterStep } from '../../pipeline/filtering/filter-step.ts'
import { isAsked } from '../../pipeline/filtering/run-filters.ts'
import { SHORT } from '../../pipeline/weighing/pick.ts'
import { prepareWeighers } from '../../pipeline/weighing/run-weighers.ts'
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
 * pipeline, with their caches and the index of the best hosts, give the same result as `placeInRounds`.
 */
export function* placeSingle(
  compiled: CompiledProfile,
  rules: NovaRules,
  steps: readonly FilterStep[],
  request: RequestSpec,
  fleet: Fleet,
  overlay: Overlay,
  { seed, alternatesPerInstance, claimIds, isExhaustive }: SelectOptions,
  slice: number,
): Steps<Selection> {
  const buffers = new NumberBuffers()
  try {
    const weighers = prepareWeighers(compiled, request, fleet)
    const search = { instances: 1, isByIndex: true, slice }
    const indexed = isExhaustive === true ? undefined : prepareIndexedSearch(steps.filter(isAsked), weighers, fleet, search)
    const finding = new Finding({ filters: steps, weighers, indexed }, fleet, 1, slice)
    const findBest = (count: number): Steps<BestHosts> => finding.find(buffers, count, inHostOrder)
    const most = alternatesPerInstance === 0 ? 0 : Math.min(rules.maxAttempts, alternatesPerInstance + 1) - 1
    let found = yield* findBest(Math.max(BEST_KEPT, most + 1, rules.hostSubsetSize))
    // without weighers all weights are 0
    const isWeighed = found.passed >= compiled.weighsFrom
    if (rules.shuffleBest && found.tied > found.hosts.length) found = yield* findBest(found.tied)
    const { passed } = found
    const weightAt = (rank: number): number => (isWeighed ? (found.totals[rank] as number) : 0)
    const nameOf = (index: HostIndex) => {
      const { host, node } = fleet.hosts.get(index)
      return { host, node }
    }
    const record = {
      candidates: fleet.hosts.presentCount,
      filters: found.filters,
      best: found.hosts.slice(0, BEST_KEPT).map((index, rank) => {
        const { host, node } = fleet.hosts.get(index)
        return { host, node, raw: isWeighed ? found.rawAt(rank) : [], total: weightAt(rank) }
      }),
      tied: found.tied,
    }
    const order = orderOf(found, rules, createRandom(seed))
    const [chosen] = order
    if (chosen === undefined) return { parts: [], answer: [], instances: [record], found: 0 }

    const limitsOf = prepareLimits(request, fleet)
    const destination = (rank: number): Destination => {
      const index = found.hosts[rank] as HostIndex
      const { host, node } = fleet.hosts.get(index)
      return { host, node, weight: weightAt(rank), limits: limitsOf(index) }
    }
    let alternates = alternatesOf(found, order, fleet, most)
    // the best hosts can be in other cells, so more of them are searched
    for (const count of [SHORT, passed]) {
      if (alternates.length === most || found.hosts.length >= count) continue
      found = yield* findBest(count)
      for (let rank = order.length; rank < found.hosts.length; rank++) order.push(rank)
      alternates = alternatesOf(found, order, fleet, most)
    }
    const host = found.hosts[chosen] as HostIndex
    const instance = request.instanceUuids[0] ?? null
    const grants = prepareGrants(compiled, request, fleet)(host)
    const part = { claim: claimIds[0] as string, instance, ...nameOf(host), grants }
    overlay.hold(part, groupOf(request))
    const answer = { instance, selected: destination(chosen), alternates: alternates.map(destination) }
    return { parts: [part], answer: [answer], instances: [record], found: 1 }
  } finally {
    buffers.end()
  }
}

/**
 * The found hosts as ranks, with the chosen host moved to the front. The chosen host is the best one or, depending on the settings, a random
 * one of the best hosts. Hosts that share the highest weight can be shuffled.
 */
function orderOf({ hosts, tied, passed }: BestHosts, { hostSubsetSize, shuffleBest }: NovaRules, random: Random): number[] {
  const order = [...hosts.keys()]
  if (shuffleBest) for (let i = tied - 1; i > 0; i--) swap(order, i, random.below(i + 1))
  const size = Math.min(hostSubsetSize, passed)
  const chosen = size > 1 ? random.below(size) : 0
  return [...order.slice(chosen, chosen + 1), ...order.slice(0, chosen), ...order.slice(chosen + 1)]
}

function swap(list: number[], a: number, b: number): void {
  ;[list[a], list[b]] = [list[b] as number, list[a] as number]
}

/** The ranks of the alternates: the best of the found hosts in the Nova cell of the first host in `order`, at most `most`. */
function alternatesOf({ hosts }: BestHosts, order: readonly number[], fleet: Fleet, most: number): readonly number[] {
  const hostOf = ownHostsOf(fleet)
  const cellOf = (rank: number) => hostOf(hosts[rank] as HostIndex).cellUuid
  const [chosen, ...others] = order
  if (chosen === undefined || most <= 0) return []
  const cell = cellOf(chosen)
  const found: number[] = []
  for (const rank of others) {
    if (found.length === most) break
    if (cellOf(rank) === cell) found.push(rank)
  }
  return found
}
