import type { HostIndex } from '../../values/host-index.ts'
import { HOSTS_AT_ONCE, type Steps } from '../../values/steps.ts'
import type { FilteredEach } from '../filtering/filter-each.ts'
import {
  boundsOf,
  contributionAt,
  normalise,
  runWeighersInSteps,
  totalsOf,
  type Weighed,
  type WeigherScores,
  type WeighStep,
} from './run-weighers.ts'

/**
 * Weighs the hosts for the instances of a request, one call for each instance. Each result equals that of `runWeighers`, which
 * scheduler.suite.ts tests. If few hosts changed, only scores that can differ are computed again. A result is valid until the next call.
 * The generator yields after each `slice` of hosts. No other code may use the fleet until the generator ends.
 */
export function createWeighing(steps: readonly WeighStep[], slice = HOSTS_AT_ONCE): (filtered: FilteredEach) => Steps<Weighed> {
  const isKept = steps.every(({ readsHostOnly, normalisation }) => readsHostOnly && normalisation !== 'rank')
  let kept: Kept | undefined
  return function* ({ hosts, changed }) {
    if (changed !== undefined && kept?.follow(hosts, changed) === true) return kept.weighed
    const weighed = yield* runWeighersInSteps(steps, hosts, slice)
    if (!isKept) return weighed
    kept = weighed.weighers.some(({ hasNonsense }) => hasNonsense) ? undefined : new Kept(steps, weighed)
    return weighed
  }
}

/** The scores of the previous call. They are updated for the hosts that changed. */
class Kept {
  readonly #steps: readonly WeighStep[]
  /** Only this class writes the arrays of this object. */
  weighed: Weighed

  constructor(steps: readonly WeighStep[], weighed: Weighed) {
    this.#steps = steps
    this.weighed = weighed
  }

  /**
   * Updates the scores for these hosts, of which only `changed` have changed. Returns false if the scores cannot be updated. The caller
   * must then discard this object.
   */
  follow(hosts: Int32Array, changed: readonly HostIndex[]): boolean {
    const before = this.weighed.hosts
    const gone = changed.map((host) => (positionIn(hosts, host) < 0 ? positionIn(before, host) : -1)).filter((position) => position >= 0)
    if (hosts.length !== before.length - gone.length) return false
    const positions = changed.map((host) => positionIn(hosts, host)).filter((position) => position >= 0)
    const stayed = Int32Array.from(positions, (position) => hosts[position] as number)
    let isTotalStale = false
    const weighers: WeigherScores[] = []
    for (const [w, step] of this.#steps.entries()) {
      const scores = this.weighed.weighers[w] as WeigherScores
      const fresh = step.rawOf(stayed)
      // an invalid score is replaced by the lowest score of all other hosts, which is not known here
      if (!fresh.every(Number.isFinite)) return false
      let isBoundStale = gone.some((position) => isBound(scores, scores.raw[position] as number))
      const left = without(scores, gone)
      const own = step.multipliersOf?.(stayed)
      for (const [i, position] of positions.entries()) {
        const [old, now] = [left.raw[position] as number, fresh[i] as number]
        if (old !== now && (isBound(scores, old) || isBound(scores, now))) isBoundStale = true
        left.raw[position] = now
        if (own !== undefined && left.multipliers !== undefined) left.multipliers[position] = own[i] as number
      }
      const bounds = isBoundStale ? boundsOf(left.raw, step.minval) : scores
      if (bounds.min !== scores.min || bounds.max !== scores.max) {
        isTotalStale = true
        weighers.push({
          ...left,
          min: bounds.min,
          max: bounds.max,
          normalised: normalise(left.raw, bounds.min, bounds.max, step.normalisation, left.normalised),
        })
      } else {
        const scaled = normalise(fresh, scores.min, scores.max, step.normalisation)
        for (const [i, position] of positions.entries()) left.normalised[position] = scaled[i] as number
        weighers.push(left)
      }
    }
    const totals = cut(this.weighed.totals, gone)
    if (isTotalStale) totalsOf(weighers, totals)
    else for (const position of positions) totals[position] = weighers.reduce((sum, scores) => sum + contributionAt(scores, position), 0)
    this.weighed = { hosts, weighers, totals }
    return true
  }
}

/** Returns true if a change of this raw score can change the minimum or maximum of the scores. */
const isBound = ({ min, max }: WeigherScores, raw: number): boolean => raw <= min || raw >= max

function without(scores: WeigherScores, positions: readonly number[]): WeigherScores {
  if (positions.length === 0) return scores
  const raw = cut(scores.raw, positions)
  return {
    ...scores,
    raw,
    // with the normalisation `fixed`, raw and normalised scores are the same array
    normalised: scores.normalised === scores.raw ? raw : cut(scores.normalised, positions),
    ...(scores.multipliers !== undefined && { multipliers: cut(scores.multipliers, positions) }),
  }
}

/** Removes the numbers at these positions from the array in place. The positions are in ascending order. */
function cut(numbers: Float64Array, positions: readonly number[]): Float64Array {
  for (const position of positions.toReversed()) numbers.copyWithin(position, position + 1)
  return numbers.subarray(0, numbers.length - positions.length)
}

/** The position of a host in a list that is sorted by host index. -1 if the host is not in the list. */
function positionIn(hosts: Int32Array, host: HostIndex): number {
  let low = 0
  let high = hosts.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((hosts[middle] as number) < host) low = middle + 1
    else high = middle
  }
  return hosts[low] === host ? low : -1
}
