import { hostLabel } from '../../../lib/host-label.ts'

interface Destinations {
  readonly destinations: readonly { readonly hostName: string; readonly node: string; readonly hasOtherNodes: boolean }[]
}

/** The chosen hosts with the counts of their instances. The host with the most instances comes first. */
export function placedOn(decisions: readonly Destinations[]): { readonly host: string; readonly count: number }[] {
  const counts = new Map<string, number>()
  for (const { destinations } of decisions)
    for (const { hostName, node, hasOtherNodes } of destinations) {
      const host = hostLabel({ host: hostName, node, hasOtherNodes })
      counts.set(host, (counts.get(host) ?? 0) + 1)
    }
  return [...counts].map(([host, count]) => ({ host, count })).sort((a, b) => b.count - a.count)
}

/** The paths of all request fields that have no effect, without repetitions. */
export const ignoredBy = (decisions: readonly { readonly ignoredFields: readonly string[] }[]): readonly string[] => [
  ...new Set(decisions.flatMap(({ ignoredFields }) => ignoredFields)),
]

interface Zone {
  readonly key: string
  readonly usage: readonly { readonly resourceClass: string; readonly capacity: number; readonly used: number }[]
}

export interface UtilisationRow {
  readonly zone: string
  readonly resourceClass: string
  readonly capacity: number
  readonly before: number
  readonly after: number
}

/** The usage before and after by zone and class. Classes without capacity are omitted. */
export function utilisationRows(before: readonly Zone[], after: readonly Zone[]): UtilisationRow[] {
  const used = new Map(before.flatMap(({ key, usage }) => usage.map((one) => [`${key} ${one.resourceClass}`, one.used] as const)))
  return after.flatMap(({ key, usage }) =>
    usage
      .filter(({ capacity }) => capacity > 0)
      .map(({ resourceClass, capacity, used: now }) => ({
        zone: key,
        resourceClass,
        capacity,
        before: used.get(`${key} ${resourceClass}`) ?? 0,
        after: now,
      })),
  )
}

export interface ClassSum {
  readonly capacity: number
  readonly used: number
}

/** The usage of all zones together by class. Classes that no host has are omitted. */
export function classUses(zones: readonly Zone[]): ReadonlyMap<string, ClassSum> {
  const sums = new Map<string, ClassSum>()
  for (const { usage } of zones)
    for (const { resourceClass, capacity, used } of usage) {
      if (capacity === 0) continue
      const sum = sums.get(resourceClass)
      sums.set(resourceClass, { capacity: capacity + (sum?.capacity ?? 0), used: used + (sum?.used ?? 0) })
    }
  return sums
}
