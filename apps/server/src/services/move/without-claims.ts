import { type Claim, type HostRecord, isLive } from '@gantt/scheduler-core'

interface Occupied {
  readonly stats: Pick<HostRecord['stats'], 'instances' | 'runningVms'>
  readonly claims: Iterable<Claim>
}

/**
 * How many instances on a host have no live claim there, as far as the host's report shows. An evacuation moves claims, so these instances
 * stay. If the host lists its instances, the claim of each is looked up. If the host reports only how many instances it has, the count of
 * claims is subtracted. A claim without an instance id covers one instance.
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
