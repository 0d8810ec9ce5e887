import { copyFleet, type Fleet } from '@gantt/scheduler-core'
import type { Replica } from '../replica/replica.ts'

/** Copies of the present fleet, which goes on: what is read of one in many pieces is of one revision. */
const copies = new WeakSet<Fleet>()
/** The newest of each living fleet: questions at one revision share it, and only read it. */
const newest = new WeakMap<Fleet, Fleet>()

/** The present fleet as it is now, for readers who need many pieces. It does not go on, and nobody may write it. */
export function snapshotOf({ fleet }: Pick<Replica, 'fleet'>): Fleet {
  const known = newest.get(fleet)
  if (known !== undefined && known.place.revision === fleet.place.revision) return known
  const copy = copyFleet(fleet)
  copies.add(copy)
  newest.set(fleet, copy)
  return copy
}

/** Whether a fleet is the present one, or was a moment ago: ages are counted to the clock's time then, else to the time of the fleet. */
export const isPresent = (fleet: Fleet, { fleet: present }: Pick<Replica, 'fleet'>): boolean => fleet === present || copies.has(fleet)
