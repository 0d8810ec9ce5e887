import type { CompiledProfile } from '../../contracts/compiled-profile.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import type { Overlay } from '../../fleet/overlay.ts'
import { passesSafely } from '../../pipeline/filtering/passes-safely.ts'
import { countedHosts, isAsked, prepareFiltersInSteps, runFiltersInSteps } from '../../pipeline/filtering/run-filters.ts'
import {
  lowerBound,
  normalise,
  prepareWeighers,
  runWeighersInSteps,
  type Weighed,
  type WeigherScores,
  type WeighStep,
} from '../../pipeline/weighing/run-weighers.ts'
import type { ClaimPart } from '../../records/change.ts'
import { type Members, membersOf } from '../../request/members.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import type { HostIndex } from '../../values/host-index.ts'
import { HOSTS_AT_ONCE, type Steps } from '../../values/steps.ts'
import { groupOf, prepareGrants } from '../filter-scheduler.ts'

/** The scores of the instances of one kind on each host, computed before any instance is placed. */
export interface MemberScores {
  readonly members: Members
  /** The hosts that pass the filters for the first instance of the kind, with their total scores. */
  readonly weighed: Weighed
  /** Returns true if the host's domains are considered when the minimum member count of a topology spread is computed for this kind. */
  readonly isCounted: (host: HostIndex) => boolean
  /**
   * The scores of the first, second and further instances of the kind on a host, each computed while the overlay contains the earlier ones.
   * The list ends with the last instance that passes the filters, or after `most` instances. Topology spread is not checked, because it
   * depends on the instances on other hosts.
   */
  chainOf(host: HostIndex, most: number): readonly number[]
}

/**
 * Computes the scores for each kind of instances. The scheduler SOLVER maximises the sum of the scores of all instances. Weighers run while
 * the overlay contains the earlier instances of the kind on the host. Otherwise weighers that spread instances would have no effect. Raw
 * scores are scaled by the minimum and maximum over the hosts that pass for the first instance. The score of a kind does not depend on
 * other kinds on the same host.
 */
export function* scoresOf(
  compiled: CompiledProfile,
  request: RequestSpec,
  fleet: Fleet,
  overlay: Overlay,
  /** The generator yields each time it has examined this many hosts. */
  slice = HOSTS_AT_ONCE,
): Steps<readonly MemberScores[]> {
  const scores: MemberScores[] = []
  for (const members of membersOf(request)) {
    scores.push(yield* scoresOfKind(members, compiled, fleet, overlay, slice))
    yield
  }
  return scores
}

/**
 * The objective of an arrangement: the sum of the scores of all instances. `hosts` has a host for each instance. If a host gets more
 * instances than it has scores for, each further instance has the host's last score.
 */
export function objectiveOf(scores: readonly MemberScores[], hosts: readonly HostIndex[]): number {
  let sum = 0
  for (const { members, chainOf } of scores) {
    const counts = new Map<HostIndex, number>()
    for (const host of hosts.slice(members.first, members.first + members.count)) counts.set(host, (counts.get(host) ?? 0) + 1)
    // Values are added in a fixed order, so that equal arrangements have equal sums to the last bit.
    for (const [host, count] of [...counts].sort(([a], [b]) => a - b)) {
      const chain = chainOf(host, members.count)
      for (let copy = 0; copy < count; copy++) sum += chain[Math.min(copy, chain.length - 1)] ?? 0
    }
  }
  return sum
}

export function* scoresOfKind(
  members: Members,
  compiled: CompiledProfile,
  fleet: Fleet,
  overlay: Overlay,
  slice = HOSTS_AT_ONCE,
): Steps<MemberScores> {
  const { request } = members
  const steps = yield* prepareFiltersInSteps(compiled, request, fleet)
  const weighers = prepareWeighers(compiled, request, fleet)
  const { hosts } = yield* runFiltersInSteps(steps, fleet, slice)
  const weighed = yield* runWeighersInSteps(weighers, Int32Array.from(hosts), slice)
  const alone = (yield* prepareFiltersInSteps(compiled, { ...request, topologySpread: [] }, fleet)).filter(isAsked)
  const passes = (host: HostIndex): boolean =>
    alone.every(({ prepared }) => prepared !== undefined && passesSafely(prepared, host) === true)
  const grantsOn = prepareGrants(compiled, request, fleet)
  const group = groupOf(request)
  const scoreAt = prepareScore(weighers, weighed)
  const chains = new Map<HostIndex, readonly number[]>()
  const build = (host: HostIndex, most: number): readonly number[] => {
    const { host: name, node } = fleet.hosts.get(host)
    const before = overlay.size
    const chain: number[] = []
    while (chain.length < most && passes(host)) {
      chain.push(scoreAt(host))
      const part: ClaimPart = { claim: '', instance: null, host: name, node, grants: grantsOn(host) }
      overlay.hold(part, group)
    }
    overlay.rollback(before)
    return chain
  }
  return {
    members,
    weighed,
    isCounted: countedHosts(steps, request, fleet),
    chainOf(host, most) {
      let chain = chains.get(host)
      if (chain === undefined) {
        chain = build(host, most)
        chains.set(host, chain)
      }
      return chain
    },
  }
}

/** Returns a function for the total score of a host in its current state, scaled by the hosts that passed for the first instance. */
function prepareScore(steps: readonly WeighStep[], { weighers }: Weighed): (host: HostIndex) => number {
  const sorted = weighers.map(({ raw }, w) => (steps[w]?.normalisation === 'rank' ? Float64Array.from(raw).sort() : raw))
  return (host) => {
    const one = Int32Array.of(host)
    return steps.reduce((sum, step, w) => {
      const given = step.rawOf(one)[0] as number
      const known = weighers[w] as WeigherScores
      const raw = Number.isFinite(given) ? given : known.min
      const multiplier = step.multipliersOf?.(one)[0] ?? step.multiplier
      return sum + multiplier * scaled(step, known, sorted[w] as Float64Array, raw)
    }, 0)
  }
}

function scaled({ normalisation }: WeighStep, { min, max }: WeigherScores, sorted: Float64Array, raw: number): number {
  if (normalisation !== 'rank') return normalise(Float64Array.of(raw), min, max, normalisation)[0] as number
  return lowerBound(sorted, raw) / Math.max(1, sorted.length - 1)
}
