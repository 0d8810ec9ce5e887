import type { Fleet } from '../fleet/fleet.ts'
import { classValue } from '../hosts/classes/sparse-columns.ts'
import { byCodeUnit } from '../values/canonical-json.ts'
import { SLICE, type Steps } from '../values/steps.ts'
import { REMOVED } from './apply-edits.ts'

/**
 * The capacity and the usage of hosts for one resource class. Capacity is (total - reserved) x ratio. `used` includes `claimed`, and `free`
 * is `capacity - used`.
 */
export interface ClassUse {
  readonly resourceClass: string
  readonly capacity: number
  readonly used: number
  readonly claimed: number
  readonly free: number
}

/** The usage of all hosts in one availability zone. */
export interface ZoneUse {
  readonly zone: string
  readonly hosts: number
  readonly usage: readonly ClassUse[]
}

/**
 * The usage of each availability zone, sorted by name. All present hosts are included, even hosts that accept no instances. Only hosts that
 * a what-if query removed are left out. The generator yields in between. The fleet must not be written until it ends.
 */
export function* utilisationOf({ hosts }: Fleet): Steps<readonly ZoneUse[]> {
  const zones = new Map<string, { hosts: number; classes: Map<string, Omit<ClassUse, 'resourceClass' | 'used'>> }>()
  const columns = [...hosts.classes]
  for (const { index, zone, statusReason } of hosts.present) {
    if (index % SLICE === SLICE - 1) yield
    let use = zones.get(zone)
    if (use === undefined) {
      use = { hosts: 0, classes: new Map() }
      zones.set(zone, use)
    }
    let hasRoom = false
    for (const [name, own] of columns) {
      const most = classValue(own, 'capacity', index)
      if (most === 0) continue
      hasRoom = true
      const sum = use.classes.get(name) ?? { capacity: 0, free: 0, claimed: 0 }
      use.classes.set(name, {
        capacity: sum.capacity + most,
        free: sum.free + classValue(own, 'free', index),
        claimed: sum.claimed + classValue(own, 'claimed', index),
      })
    }
    if (hasRoom || statusReason !== REMOVED) use.hosts++
  }
  return [...zones]
    .sort(([a], [b]) => byCodeUnit(a, b))
    .map(([zone, { hosts: count, classes }]) => ({
      zone,
      hosts: count,
      usage: [...classes]
        .sort(([a], [b]) => rank(a) - rank(b) || byCodeUnit(a, b))
        .map(([resourceClass, { capacity, free, claimed }]) => ({ resourceClass, capacity, used: capacity - free, claimed, free })),
    }))
}

/** The usage of each resource class, summed over all zones. */
export function fleetUseOf(zones: readonly ZoneUse[]): readonly ClassUse[] {
  const sums = new Map<string, ClassUse>()
  for (const { usage } of zones)
    for (const use of usage) {
      const sum = sums.get(use.resourceClass)
      sums.set(
        use.resourceClass,
        sum === undefined
          ? use
          : {
              resourceClass: use.resourceClass,
              capacity: sum.capacity + use.capacity,
              used: sum.used + use.used,
              claimed: sum.claimed + use.claimed,
              free: sum.free + use.free,
            },
      )
    }
  return [...sums.values()].sort((a, b) => rank(a.resourceClass) - rank(b.resourceClass) || byCodeUnit(a.resourceClass, b.resourceClass))
}

const standard = ['VCPU', 'MEMORY_MB', 'DISK_GB']
const rank = (resourceClass: string): number => (standard.includes(resourceClass) ? standard.indexOf(resourceClass) : standard.length)
