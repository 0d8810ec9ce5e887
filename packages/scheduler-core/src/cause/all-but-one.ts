import type { HostIndex } from '../values/host-index.ts'
import type { Steps } from '../values/steps.ts'
import type { Condition } from './admission.ts'

/** How many hosts meet all conditions of a request except the condition `which`. */
export interface AllButOne {
  readonly which: string
  readonly hosts: number
}

/** The generator yields after this many checks of a host against a condition. */
const SLICE = 256

/**
 * Counts the hosts that meet all conditions but one, by the condition that they do not meet, the condition with the most hosts first.
 * Empty if the request has only one condition.
 */
export function* countAllButOne(conditions: readonly Condition[], hosts: readonly HostIndex[]): Steps<readonly AllButOne[]> {
  const filters = filtersOf(conditions)
  if (new Set(filters.flatMap(({ singles, whole }) => (singles.length > 0 ? singles : [whole])).map(({ which }) => which)).size < 2)
    return []
  const counts = new Map<string, number>()
  let checks = 0
  for (const host of hosts) {
    const missed = new Set<string>()
    for (const filter of filters) {
      checks += 1 + filter.singles.length
      if (checks >= SLICE) {
        checks = 0
        yield
      }
      for (const { which } of missedOf(filter, host)) missed.add(which)
      if (missed.size > 1) break
    }
    const [which, ...others] = missed
    if (which !== undefined && others.length === 0) counts.set(which, (counts.get(which) ?? 0) + 1)
  }
  return [...counts].map(([which, count]) => ({ which, hosts: count })).sort((a, b) => b.hosts - a.hosts)
}

/** The conditions of one filter: the single conditions, if it has several, and their combination. */
interface FilterConditions {
  readonly singles: readonly Condition[]
  readonly whole: Condition
}

function filtersOf(conditions: readonly Condition[]): readonly FilterConditions[] {
  const filters: FilterConditions[] = []
  let singles: Condition[] = []
  for (const condition of conditions) {
    if (condition.isSingle) singles.push(condition)
    else {
      filters.push({ singles: condition.areJoint ? [] : singles, whole: condition })
      singles = []
    }
  }
  return filters
}

/**
 * The conditions of a filter that a host does not meet. A filter can refuse a host that meets each single condition, for example because
 * the host does not report what the filter reads. The combination is then the condition that the host does not meet.
 */
function missedOf({ singles, whole }: FilterConditions, host: HostIndex): readonly Condition[] {
  if (whole.lets(host)) return []
  const missed = singles.filter(({ lets }) => !lets(host))
  return missed.length > 0 ? missed : [whole]
}

/** At most this many conditions are named. */
const NAMED = 2

/** A sentence about the hosts that meet all conditions but one. Undefined if there are no such hosts. */
export function allButOneText(all: readonly AllButOne[]): string | undefined {
  const [first, second] = all.slice(0, NAMED)
  if (first === undefined) return undefined
  const meet = first.hosts === 1 ? '1 host meets' : `${first.hosts} hosts meet`
  const more = second === undefined ? '' : `, and ${second.hosts} all but "${second.which}"`
  return `${meet} all of these conditions but "${first.which}"${more}.`
}
