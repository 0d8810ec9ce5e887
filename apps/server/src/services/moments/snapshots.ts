import { copyFleet, type Fleet } from '@gantt/scheduler-core'
import type { Replica } from '../../replica/replica.ts'

/** All copies of live fleets that `snapshotOf` made. */
const copies = new WeakSet<Fleet>()
/** The newest copy of each live fleet. All reads at the same revision share the copy. */
const newest = new WeakMap<Fleet, Fleet>()

/** A copy of the present fleet, so that a read in several steps sees only one revision. The copy must not be written. */
export function snapshotOf({ fleet }: Pick<Replica, 'fleet'>): Fleet {
  const known = newest.get(fleet)
  if (known !== undefined && known.place.revision === fleet.place.revision) return known
  const copy = copyFleet(fleet)
  copies.add(copy)
  newest.set(fleet, copy)
  return copy
}

/**
 * True if a fleet is the live fleet or a snapshot of it. Ages are then computed up to the present time, and for past fleets up to the time
 * of the fleet.
 */
export const isPresent = (fleet: Fleet, { fleet: present }: Pick<Replica, 'fleet'>): boolean => fleet === present || copies.has(fleet)
