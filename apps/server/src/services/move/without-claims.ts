import { type Claim, type HostRecord, isLive } from '@gantt/scheduler-core'

interface Occupied {
  readonly stats: Pick<HostRecord['stats'], 'instances' | 'runningVms'>
  readonly claims: Iterable<Claim>
}

/**
 * The number of instances on a host that no live claim on it covers, as far as its report shows them: an evacuation
 * moves claims, so these instances stay. If the host lists its instances, each is searched; if it reports only their
 * number, the number of claims is subtracted. A claim without an instance id covers one instance.
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
