import type { Fleet } from '../../fleet/fleet.ts'
import type { Profile } from '../../records/profile.ts'
import type { NumberBuffers } from '../../values/number-buffers.ts'
import type { Steps } from '../../values/steps.ts'
import { createFiltering, type FilteredEach } from '../filtering/filter-each.ts'
import type { FilterStep } from '../filtering/filter-step.ts'
import { isAsked } from '../filtering/run-filters.ts'
import { SHORT, type TieOrder } from '../weighing/pick.ts'
import type { WeighStep } from '../weighing/run-weighers.ts'
import { type TotalScores, totalScores, totalScoresOf } from '../weighing/total-scores.ts'
import { createWeighing } from '../weighing/weigh-each.ts'
import { type BestHosts, bestOfAll } from './best-hosts.ts'
import { prepareIndexedSearch } from './indexed-search.ts'

interface FindingOptions {
  /** The count of instances that hosts will be found for. */
  readonly instances: number
  readonly slice: number
  /** False if every host is to be examined. */
  readonly isIndexed: boolean
  readonly tieOrder: Profile['tieOrder']
}

/**
 * Prepares finding the best hosts for the instances of one kind, one call for each instance. Each instance must be reserved before the next
 * call. The index is searched if that is possible, and otherwise every host is examined. Both give the same result, bit for bit. The
 * generator yields each time it has examined `slice` hosts. The result is valid until the buffers end.
 */
export function prepareFinding(
  filters: readonly FilterStep[],
  weighers: readonly WeighStep[],
  fleet: Fleet,
  { instances, slice, isIndexed, tieOrder }: FindingOptions,
): (buffers: NumberBuffers, count: number, order: TieOrder) => Steps<BestHosts> {
  const isByIndex = tieOrder === 'first-seen'
  const indexed = isIndexed ? prepareIndexedSearch(filters.filter(isAsked), weighers, fleet, { instances, isByIndex, slice }) : undefined
  const filter = createFiltering(filters, fleet, instances, slice)
  const weigh = weighInstances(weighers, instances, slice)
  return function* (buffers, count, order) {
    const found = indexed === undefined || count > SHORT ? undefined : yield* indexed.find(count, order)
    if (found !== undefined) return found
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
