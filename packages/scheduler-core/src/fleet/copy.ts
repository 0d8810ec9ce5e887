import { Fleet } from './fleet.ts'

/**
 * A private copy: the same fleet at the same place, which entries and overlays may be put on. Both share what neither has
 * written since, so that a copy costs little more than its columns. Throws Error while an overlay is open on the fleet.
 */
export function copyFleet(fleet: Fleet): Fleet {
  if (fleet.isLocked) throw new Error('a fleet cannot be copied while an overlay is open')
  const copy = new Fleet()
  copy.hosts.takeCopy(fleet.hosts)
  copy.groups.takeCopy(fleet.groups)
  copy.aggregates.takeCopy(fleet.aggregates)
  copy.profiles.takeCopy(fleet.profiles)
  copy.ledger.takeCopy(fleet.ledger)
  copy.takePlaces(fleet)
  return copy
}
