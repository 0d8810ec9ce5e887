import type { HostTable } from '../../hosts/hosts.ts'
import { isUsual } from './usual.ts'

/**
 * A fleet has at most this many resource classes in addition to VCPU, MEMORY_MB and DISK_GB. One report can list as many. Limited, because
 * hosts choose the names of their classes, and each class needs memory and work for every host.
 */
export const MAX_CLASSES = 256

/** The classes that a report would add to a fleet, if the fleet would then have too many. */
export interface ExcessClasses {
  readonly added: readonly string[]
  /** How many classes the fleet has without the report, not counting VCPU, MEMORY_MB and DISK_GB. */
  readonly inUse: number
}

interface ReportedClasses {
  readonly inventories: readonly { readonly resourceClass: string }[]
}

/**
 * The classes of a report that the fleet does not have, if the fleet would have more than MAX_CLASSES with them. Undefined if the report is
 * accepted. A report without new classes is always accepted, because the fleet can have more than MAX_CLASSES from the time below feature
 * level BOUNDED_CLASSES.
 */
export function excessClasses({ classes }: Pick<HostTable, 'classes'>, { inventories }: ReportedClasses): ExcessClasses | undefined {
  const added = inventories.flatMap(({ resourceClass }) => (classes.has(resourceClass) || isUsual(resourceClass) ? [] : [resourceClass]))
  if (added.length === 0) return undefined
  let inUse = 0
  for (const resourceClass of classes.keys()) if (!isUsual(resourceClass)) inUse++
  return inUse + added.length > MAX_CLASSES ? { added, inUse } : undefined
}
