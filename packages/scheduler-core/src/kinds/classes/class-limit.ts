import { isInUse } from '../../hosts/classes/class-table.ts'
import { classValue } from '../../hosts/classes/sparse-columns.ts'
import type { HostTable } from '../../hosts/hosts.ts'
import type { HostIndex } from '../../values/host-index.ts'
import type { HostName } from '../../values/host-name.ts'
import { isUsual } from './usual.ts'

/**
 * A fleet has at most this many resource classes in addition to VCPU, MEMORY_MB and DISK_GB. One report can list as many. The count is
 * limited, because hosts choose the names of their classes, and each class needs memory and work.
 */
export const MAX_CLASSES = 256

/** A report is refused if it adds classes and more than this many classes are then in use on the nodes of this host alone. */
export const MAX_OWN_CLASSES = 64

/**
 * The last classes of the fleet are reserved for hosts that have few classes of their own, so that a few hosts cannot use up the limit of
 * all hosts.
 */
export const RESERVED_CLASSES = 64

/** Within the reserve, a host may have at most this many classes of its own. */
export const MAX_OWN_IN_RESERVE = 4

interface ReportedClasses {
  readonly inventories: readonly { readonly resourceClass: string }[]
}

/** `added`: the classes of a report that the fleet does not have. `inUse`: how many classes the fleet has without them. */
export interface NewClasses {
  readonly added: readonly string[]
  readonly inUse: number
}

type Classes = Pick<HostTable, 'classes' | 'usersOfClass' | 'nodesOf' | 'forgottenNodesOf' | 'find'>

/** Compares the classes of a report with those of a fleet. VCPU, MEMORY_MB and DISK_GB are left out. */
export function newClassesOf({ classes }: Pick<HostTable, 'classes'>, { inventories }: ReportedClasses): NewClasses {
  const added = inventories.flatMap(({ resourceClass }) => (classes.has(resourceClass) || isUsual(resourceClass) ? [] : [resourceClass]))
  let inUse = 0
  for (const resourceClass of classes.keys()) if (!isUsual(resourceClass)) inUse++
  return { added, inUse }
}

/** How many classes are in use on nodes of these host names, and on no other host. VCPU, MEMORY_MB and DISK_GB are left out. */
export function ownClassesOf(hosts: Classes, names: Iterable<string>): number {
  const nodes = new Set<HostIndex>()
  // claims of a host that was forgotten can still hold an amount of a class
  for (const name of names) for (const index of [...hosts.nodesOf(name), ...hosts.forgottenNodesOf(name)]) nodes.add(index)
  let own = 0
  for (const [resourceClass, columns] of hosts.classes) {
    let others = hosts.usersOfClass(resourceClass)
    if (isUsual(resourceClass) || others > nodes.size) continue
    for (const index of nodes) if (isInUse(columns, index)) others--
    if (others === 0) own++
  }
  return own
}

/**
 * How many classes a full report of a host removes from the fleet: those that the host alone has, that the report does not list, and of
 * which no claim holds an amount.
 */
export function freedClassesOf(hosts: Classes, name: HostName, { inventories }: ReportedClasses): number {
  const index = hosts.find(name)?.index
  if (index === undefined) return 0
  const listed = new Set(inventories.map(({ resourceClass }) => resourceClass))
  let freed = 0
  for (const [resourceClass, columns] of hosts.classes) {
    const isOnlyHere = !isUsual(resourceClass) && !listed.has(resourceClass) && hosts.usersOfClass(resourceClass) === 1
    if (isOnlyHere && isInUse(columns, index) && classValue(columns, 'claimed', index) === 0 && classValue(columns, 'covered', index) === 0)
      freed++
  }
  return freed
}

/** Why a report of a host may not add its new classes to the fleet: its own classes are too many, or those of all hosts. */
export type ClassExcess = 'of the host' | 'of the fleet'

/**
 * The limit that a report of a host exceeds by adding classes. Undefined for a report that adds no more classes than it frees, because the
 * fleet can be at its limits: other hosts can have used up the classes, or it has more from the time below feature level BOUNDED_CLASSES.
 */
export function classExcessOf(hosts: Classes, name: HostName, report: ReportedClasses): ClassExcess | undefined {
  if (report.inventories.length === 0) return undefined
  const { added, inUse } = newClassesOf(hosts, report)
  if (added.length === 0) return undefined
  const change = added.length - freedClassesOf(hosts, name, report)
  if (change <= 0) return undefined
  const after = inUse + change
  if (after > MAX_CLASSES) return 'of the fleet'
  const own = ownClassesOf(hosts, [name.host]) + change
  if (own > MAX_OWN_CLASSES) return 'of the host'
  return after > MAX_CLASSES - RESERVED_CLASSES && own > MAX_OWN_IN_RESERVE ? 'of the host' : undefined
}
