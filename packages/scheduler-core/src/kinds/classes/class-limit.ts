import type { HostTable } from '../../hosts/hosts.ts'
import { isUsual } from './usual.ts'

/**
 * A fleet has at most this many resource classes in addition to VCPU, MEMORY_MB and DISK_GB. One report can list as many. The count is
 * limited, because hosts choose the names of their classes, and each class needs memory and work for every host.
 */
export const MAX_CLASSES = 256

interface ReportedClasses {
  readonly inventories: readonly { readonly resourceClass: string }[]
}

/** `added`: the classes of a report that the fleet does not have. `inUse`: how many classes the fleet has without them. */
export interface NewClasses {
  readonly added: readonly string[]
  readonly inUse: number
}

/** Compares the classes of a report with those of a fleet. VCPU, MEMORY_MB and DISK_GB are left out. */
export function newClassesOf({ classes }: Pick<HostTable, 'classes'>, { inventories }: ReportedClasses): NewClasses {
  const added = inventories.flatMap(({ resourceClass }) => (classes.has(resourceClass) || isUsual(resourceClass) ? [] : [resourceClass]))
  let inUse = 0
  for (const resourceClass of classes.keys()) if (!isUsual(resourceClass)) inUse++
  return { added, inUse }
}

/**
 * True if a report adds classes to a fleet, and the fleet then has more than MAX_CLASSES. A report without new classes is always accepted,
 * because a fleet can have more than MAX_CLASSES from the time below feature level BOUNDED_CLASSES.
 */
export function addsTooManyClasses(hosts: Pick<HostTable, 'classes'>, report: ReportedClasses): boolean {
  if (report.inventories.length === 0) return false
  const { added, inUse } = newClassesOf(hosts, report)
  return added.length > 0 && inUse + added.length > MAX_CLASSES
}
