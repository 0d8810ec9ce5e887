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
 * Prepares finding the best hosts for `instances` instances of one kind, one call for each instance. Each instance must be reserved before
 * the next call. The index is searched if that is possible, and otherwise every host is examined. Both give the same result, bit for bit. The
 * generator yields each time it has examined `slice` hosts. The result is valid until the buffers end.
 */
export function prepareFinding(kind: Searched, fleet: Fleet, instances: number, slice: number): Find {
  let examine: Find | undefined
  return function* (buffers, count, order) {
    const found = kind.indexed === undefined || count > SHORT ? undefined : yield* kind.indexed.find(count, order)
    if (found !== undefined) return found
    examine ??= prepareExamining(kind, fleet, instances, slice)
    return yield* examine(buffers, count, order)
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
