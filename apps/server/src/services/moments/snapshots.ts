import { copyFleet, type Fleet } from '@gantt/scheduler-core'
import type { Replica } from '../../replica/replica.ts'

/** All copies of live fleets that `snapshotOf` made. */
const copies = new WeakSet<Fleet>()
/** The newest copy of each live fleet. All reads at the same revision share the copy. */
const newest = new WeakMap<Fleet, Fleet>()

/**
 * A copy of the present fleet. A read in several steps uses the copy, because the live fleet can change between the steps. The copy must
 * not be written.
 */
export function snapshotOf({ fleet }: Pick<Replica, 'fleet'>): Fleet {
  const known = newest.get(fleet)
  if (known !== undefined && known.place.revision === fleet.place.revision) return known
  const copy = copyFleet(fleet)
  copies.add(copy)
  newest.set(fleet, copy)
  return copy
}

/**
 * True if a fleet is the live fleet or a snapshot of the live fleet. In such a fleet, ages are computed up to the present time. In a past
 * fleet, ages are computed up to the time of that fleet.
 */
export const isPresent = (fleet: Fleet, { fleet: present }: Pick<Replica, 'fleet'>): boolean => fleet === present || copies.has(fleet)
