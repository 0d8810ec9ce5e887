import { copyFleet, type Fleet } from '@gantt/scheduler-core'
import type { Replica } from '../../replica/replica.ts'

/** Copies of the live fleet, so that reads in several steps see one revision. */
const copies = new WeakSet<Fleet>()
/** The newest copy of each live fleet, which questions at one revision share and only read. */
const newest = new WeakMap<Fleet, Fleet>()

/** A copy of the present fleet for reads in several steps, which must not be written. */
export function snapshotOf({ fleet }: Pick<Replica, 'fleet'>): Fleet {
  const known = newest.get(fleet)
  if (known !== undefined && known.place.revision === fleet.place.revision) return known
  const copy = copyFleet(fleet)
  copies.add(copy)
  newest.set(fleet, copy)
  return copy
}

/** Whether a fleet is the present one, or was a moment ago: then ages are computed with the clock, otherwise with the time of the fleet. */
export const isPresent = (fleet: Fleet, { fleet: present }: Pick<Replica, 'fleet'>): boolean => fleet === present || copies.has(fleet)
