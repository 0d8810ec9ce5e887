import type { Fleet } from '../../fleet/fleet.ts'
import type { NumberBuffers } from '../../values/number-buffers.ts'
import type { Steps } from '../../values/steps.ts'
import { createFiltering, type FilteredEach } from '../filtering/filter-each.ts'
import { SHORT, type TieOrder } from '../weighing/pick.ts'
import type { WeighStep } from '../weighing/run-weighers.ts'
import { type TotalScores, totalScores, totalScoresOf } from '../weighing/total-scores.ts'
import { createWeighing } from '../weighing/weigh-each.ts'
import { type BestHosts, bestOfAll } from './best-hosts.ts'
import type { PreparedKind } from './kept-kinds.ts'

/**
 * Finds the best hosts for `instances` instances of one kind, one call for each instance. Each instance must be reserved before the next
 * call. The index is searched if that is possible, and otherwise every host is examined. Both give the same result, bit for bit.
 */
export class Finding {
  readonly #kind: Searched
  readonly #fleet: Fleet
  readonly #instances: number
  readonly #slice: number
  #examine: Find | undefined

  constructor(kind: Searched, fleet: Fleet, instances: number, slice: number) {
    this.#kind = kind
    this.#fleet = fleet
    this.#instances = instances
    this.#slice = slice
  }

  /** The `count` best hosts. Yields each time it has examined a slice of hosts. The result is valid until the buffers end. */
  *find(buffers: NumberBuffers, count: number, order: TieOrder): Steps<BestHosts> {
    const { indexed } = this.#kind
    const found = indexed === undefined || count > SHORT ? undefined : yield* indexed.find(count, order)
    if (found !== undefined) return found
    this.#examine ??= prepareExamining(this.#kind, this.#fleet, this.#instances, this.#slice)
    return yield* this.#examine(buffers, count, order)
  }
}

type Searched = Pick<PreparedKind, 'filters' | 'weighers' | 'indexed'>
type Find = (buffers: NumberBuffers, count: number, order: TieOrder) => Steps<BestHosts>

function prepareExamining({ filters, weighers }: Searched, fleet: Fleet, instances: number, slice: number): Find {
  const filter = createFiltering(filters, fleet, instances, slice)
  const weigh = weighInstances(weighers, instances, slice)
  return function* (buffers, count, order) {
    const filtered = yield* filter()
    yield
    const weighed = yield* weigh(filtered, buffers)
    yield
    return bestOfAll(filtered, weighed, count, order)
  }
}

/** Weighs the hosts for each of `count` instances. For several instances, scores of hosts that did not change are kept. */
function weighInstances(
  steps: readonly WeighStep[],
  count: number,
  slice: number,
): (filtered: FilteredEach, buffers: NumberBuffers) => Steps<TotalScores> {
  if (count === 1) return (filtered, buffers) => totalScores(steps, filtered.hosts, buffers, slice)
  const weighEach = createWeighing(steps, slice)
  return function* (filtered) {
    return totalScoresOf(yield* weighEach(filtered))
  }
}
