import type { ClaimPart, Fleet } from '@gantt/scheduler-core'

/** A value under each of the two versions that are compared. */
interface Both {
  readonly baseline: number
  readonly candidate: number
}

/** The instances that each version places in a zone, and their resources. */
export interface ZoneShift extends Both {
  /** The name of the zone; empty for hosts without a zone. */
  readonly zone: string
  /**
   * Amounts in the unit of the class. VCPU, MEMORY_MB and DISK_GB come first, then other classes by name. Classes that neither version uses
   * in the zone are omitted.
   */
  readonly resources: readonly (Both & { readonly resourceClass: string })[]
}

type Version = keyof Both
type Sum = Record<Version, number>

interface Tally {
  readonly instances: Sum
  readonly classes: Map<string, Sum>
}

const standard: readonly string[] = ['VCPU', 'MEMORY_MB', 'DISK_GB']

/** While requests are decided again, sums up the resources of their instances for each zone. */
export function createZoneShift() {
  const zones = new Map<string, Tally>()
  return {
    /** `parts` are the claims for the instances of one request that a decision by `version` would make. */
    add({ hosts }: Fleet, parts: readonly ClaimPart[], version: Version): void {
      for (const { host, node, grants } of parts) {
        const zone = hosts.find({ host, node })?.zone ?? ''
        const tally = zones.get(zone) ?? { instances: none(), classes: new Map<string, Sum>() }
        zones.set(zone, tally)
        tally.instances[version]++
        for (const [resourceClass, amount] of Object.entries(grants.classes ?? {})) {
          if (amount === 0) continue
          const sum = tally.classes.get(resourceClass) ?? none()
          sum[version] += amount
          tally.classes.set(resourceClass, sum)
        }
      }
    },
    /** Sorted by zone name. */
    end: (): ZoneShift[] =>
      [...zones]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([zone, { instances, classes }]) => ({
          zone,
          ...instances,
          resources: [...classes]
            .sort(([a], [b]) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1))
            .map(([resourceClass, sum]) => ({ resourceClass, ...sum })),
        })),
  }
}

const none = (): Sum => ({ baseline: 0, candidate: 0 })

const rankOf = (resourceClass: string): number => (standard.includes(resourceClass) ? standard.indexOf(resourceClass) : standard.length)
