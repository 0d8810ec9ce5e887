import { type Claim, type HostRecord, isLive } from '@gantt/scheduler-core'

interface Occupied {
  readonly stats: Pick<HostRecord['stats'], 'instances' | 'runningVms'>
  readonly claims: Iterable<Claim>
}

/**
 * How many instances on a host have no live claim there, according to the host's report. An evacuation moves claims, so instances without a
 * claim stay. If the report lists the instances, the claim of each instance is looked up. If the report has only the count of instances,
 * the count of claims is subtracted. A claim without an instance id covers one instance.
 */
export function countWithoutClaims({ stats: { instances, runningVms }, claims }: Occupied): number {
  const live = [...claims].filter(isLive)
  if (instances === null) return Math.max(0, runningVms - live.length)
  const named = new Set(live.map(({ instance }) => instance))
  const unnamed = live.filter(({ instance }) => instance === null).length
  const listed = [...new Set(instances)].filter((instance) => !named.has(instance)).length
  return Math.max(0, listed - unnamed)
}

/** How many instances on several hosts have no live claim there. */
export const countAllWithoutClaims = (hosts: readonly Occupied[]): number => hosts.reduce((sum, host) => sum + countWithoutClaims(host), 0)
