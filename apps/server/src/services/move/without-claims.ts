import { type Claim, type HostRecord, isLive } from '@gantt/scheduler-core'

interface Occupied {
  readonly stats: Pick<HostRecord['stats'], 'instances' | 'runningVms'>
  readonly claims: Iterable<Claim>
}

/**
 * How many instances of a host no live claim on it covers, as far as its report shows: an evacuation moves claims, so these stay.
 * Where a host lists its instances, they are looked up one by one; where it only counts them, those beyond its claims count. A
 * claim that names no instance covers one.
 */
export function countWithoutClaims({ stats: { instances, runningVms }, claims }: Occupied): number {
  const live = [...claims].filter(isLive)
  if (instances === null) return Math.max(0, runningVms - live.length)
  const named = new Set(live.map(({ instance }) => instance))
  const unnamed = live.filter(({ instance }) => instance === null).length
  const listed = [...new Set(instances)].filter((instance) => !named.has(instance)).length
  return Math.max(0, listed - unnamed)
}

/** The sum for several hosts. */
export const countAllWithoutClaims = (hosts: readonly Occupied[]): number => hosts.reduce((sum, host) => sum + countWithoutClaims(host), 0)
