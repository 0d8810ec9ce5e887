import type { Groups } from '../hosts/groups.ts'
import type { HostRecord, HostTable } from '../hosts/hosts.ts'
import { allKinds, heldByMover } from '../kinds/index.ts'
import type { ClaimPart, Grants, GroupBinding } from '../records/change.ts'
import type { Claim } from '../records/claim.ts'
import { growsInPlace, surplusOf } from './in-place.ts'

/**
 * Functions that subtract ("hold") and restore ("drop") the amounts and units of claims on a host, for each resource kind. The resources of
 * a proposal are subtracted only while the proposal is judged or decided.
 */

/**
 * Returns true if the host has enough of every resource kind for these grants now. `held` are the grants that are already reserved for the
 * same instance on the host. These grants are treated as free. Therefore, the same or a smaller amount of a class always fits, even on a
 * full host.
 */
export function grantsFit(hosts: HostTable, record: HostRecord, grants: Grants, held = heldByMover(hosts, record.index)): boolean {
  for (const kind of allKinds) {
    const grant = grants[kind.name]
    if (grant !== undefined && !kind.fits(hosts, record.index, grant, held?.[kind.name], grants)) return false
  }
  return true
}

/** Subtracts a new instance's grants from the free amounts of the host, and adds the instance to the counts of the host and the group. */
export function holdPart(hosts: HostTable, groups: Groups, part: ClaimPart, group: GroupBinding | null): void {
  const record = hosts.find(part) as HostRecord
  holdCounted(hosts, record, part.grants, false)
  groups.join(group?.uuid ?? null, record.index)
}

/** Undoes holdPart exactly. */
export function dropPart(hosts: HostTable, groups: Groups, part: ClaimPart, group: GroupBinding | null): void {
  const record = hosts.find(part) as HostRecord
  dropCounted(hosts, record, part.grants, false)
  groups.leave(group?.uuid ?? null, record.index)
}

/** Subtracts the grants of an instance whose use is already included in the report of its host. */
export function holdListed(hosts: HostTable, part: ClaimPart): void {
  const record = hosts.find(part) as HostRecord
  holdCounted(hosts, record, part.grants, record.usedFrom === 'REPORT')
}

/** Undoes holdListed exactly. */
export function dropListed(hosts: HostTable, part: ClaimPart): void {
  const record = hosts.find(part) as HostRecord
  dropCounted(hosts, record, part.grants, record.usedFrom === 'REPORT')
}

/**
 * Subtracts the plain amounts of a part `copies` times in one step, with the same result as `copies` calls of `holdPart`. Returns a
 * function that undoes this.
 */
export function holdCopies(hosts: HostTable, groups: Groups, part: ClaimPart, group: GroupBinding | null, copies: number): () => void {
  const record = hosts.find(part) as HostRecord
  const grants = plainTimes(part.grants, copies)
  const add = (by: 1 | -1): void => {
    if (by === 1) hold(hosts, record, grants, false)
    else drop(hosts, record, grants, false)
    count(hosts, record, by * copies)
    groups.add(group?.uuid ?? null, record.index, by * copies)
  }
  add(1)
  return () => add(-1)
}

function plainTimes({ classes, pools }: Grants, times: number): Grants {
  const multiplied = (amounts: Readonly<Record<string, number>>) =>
    Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, amount * times]))
  return { ...(classes !== undefined && { classes: multiplied(classes) }), ...(pools !== undefined && { pools: multiplied(pools) }) }
}

/**
 * Subtracts the grants that a move needs in addition to its source claim from the free amounts. If the move leads to another host, these
 * are all grants of the move. If the move stays on the source's host, only the difference is subtracted if the old and the new grants are
 * plain amounts; otherwise, all grants of the move are subtracted. On the source's host, the instance is not counted a second time. Returns
 * a function that undoes this exactly.
 */
export function holdMove(hosts: HostTable, groups: Groups, part: ClaimPart, group: GroupBinding | null, source: Claim): () => void {
  const record = hosts.find(part) as HostRecord
  if (record.index !== source.host) {
    holdPart(hosts, groups, part, group)
    return () => dropPart(hosts, groups, part, group)
  }
  const grants = growsInPlace(hosts, source, record.index, part.grants) ? surplusOf(part.grants, source.grants) : part.grants
  hold(hosts, record, grants, false)
  return () => drop(hosts, record, grants, false)
}

/** Returns true if the used amounts in the host's report include the use of a live claim. */
export const isCounted = ({ state }: Claim, { usedFrom }: HostRecord): boolean => state === 'MATERIALISED' && usedFrom === 'REPORT'

export function holdCounted(hosts: HostTable, record: HostRecord, grants: Grants, materialised: boolean): void {
  hold(hosts, record, grants, materialised)
  if (!materialised) count(hosts, record, 1)
}

export function dropCounted(hosts: HostTable, record: HostRecord, grants: Grants, materialised: boolean): void {
  drop(hosts, record, grants, materialised)
  if (!materialised) count(hosts, record, -1)
}

/**
 * Adds the grants of an instance to the free amounts of its host, and subtracts the instance from the host's counts. Returns a function
 * that undoes this.
 */
export function liftCounted(hosts: HostTable, record: HostRecord, grants: Grants, materialised: boolean): () => void {
  const restore = liftParts(hosts, record, grants, materialised)
  count(hosts, record, -1)
  return () => {
    restore()
    count(hosts, record, 1)
  }
}

/** Adds grants that are reserved on a host to the free amounts. Returns a function that subtracts them again. */
export function liftParts(hosts: HostTable, record: HostRecord, grants: Grants, materialised: boolean): () => void {
  const restore: (() => void)[] = []
  for (const kind of allKinds) {
    const grant = grants[kind.name]
    if (grant === undefined) continue
    if (kind.lift !== undefined) restore.push(kind.lift(hosts, record.index, grant, materialised))
    else {
      // The used amounts in the report include the instance of a materialised claim. Therefore, its amounts are subtracted from the used
      // amounts, as for a claim that is not materialised.
      kind.drop(hosts, record.index, grant, false)
      restore.push(() => kind.hold(hosts, record.index, grant, false))
    }
  }
  hosts.touch(record.index)
  return () => {
    for (const undo of restore.reverse()) undo()
    hosts.touch(record.index)
  }
}

export function hold(hosts: HostTable, record: HostRecord, grants: Grants, materialised: boolean): void {
  for (const kind of allKinds) {
    const grant = grants[kind.name]
    if (grant !== undefined) kind.hold(hosts, record.index, grant, materialised)
  }
  hosts.touch(record.index)
}

export function drop(hosts: HostTable, record: HostRecord, grants: Grants, materialised: boolean): void {
  for (const kind of allKinds) {
    const grant = grants[kind.name]
    if (grant !== undefined) kind.drop(hosts, record.index, grant, materialised)
  }
  hosts.touch(record.index)
}

/** Changes the host's count of instances by `by`. As in Nova, the count of I/O-heavy operations changes by the same amount. */
function count(hosts: HostTable, { index }: HostRecord, by: number): void {
  const { instances, ioOps } = hosts.columns
  instances[index] = (instances[index] as number) + by
  ioOps[index] = (ioOps[index] as number) + by
}
