import { Fleet } from './fleet.ts'

/**
 * Makes a copy of the fleet at the same position of the log. The copy can apply entries and open overlays. The two fleets share all data
 * until one fleet writes them. Therefore, a copy costs little more than a copy of the columns. Throws Error while an overlay is open on the
 * fleet or an entry is being applied to it. `memory` comes from `giveUpFleet`, and the copy reuses it if it has the right size.
 */
export function copyFleet(fleet: Fleet, memory?: ArrayBuffer): Fleet {
  if (fleet.isLocked) throw new Error('a fleet cannot be copied while an overlay is open, or an entry is being applied')
  const copy = new Fleet(fleet)
  copy.hosts.takeCopy(fleet.hosts, memory)
  copy.groups.takeCopy(fleet.groups)
  copy.aggregates.takeCopy(fleet.aggregates)
  copy.profiles.takeCopy(fleet.profiles)
  copy.ledger.takeCopy(fleet.ledger)
  copy.takePlaces(fleet)
  copy.strictSince = fleet.strictSince
  return copy
}

/**
 * Returns the memory of a copy's columns for the next copy, because allocating the columns of a large fleet is expensive and starts garbage
 * collections. The fleet cannot be used afterwards. Undefined if the fleet is not a copy.
 */
export const giveUpFleet = (copy: Fleet): ArrayBuffer | undefined => copy.hosts.giveUpColumns()

/**
 * A copy for questions about the present. Its time is at least `time`, in milliseconds since 1970, as if an entry without changes had been
 * written then: documents grow old even while nothing is written.
 */
export function copyFleetAt(fleet: Fleet, time: number, memory?: ArrayBuffer): Fleet {
  const copy = copyFleet(fleet, memory)
  copy.now = Math.max(copy.now, Math.floor(time))
  return copy
}
