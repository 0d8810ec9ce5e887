import { Fleet } from './fleet.ts'

/**
 * Makes a private copy: the same fleet at the same position, which can apply entries and open overlays. The two fleets share all data that
 * neither of them has written since the copy was made, so a copy costs little more than its columns. Throws Error while an overlay is open
 * on the fleet, or an entry is being applied to it. `spare` is a discarded fleet. The copy reuses the columns of `spare`, so that no
 * garbage is created. `spare` cannot be read afterwards.
 */
export function copyFleet(fleet: Fleet, spare?: Fleet): Fleet {
  if (fleet.isLocked) throw new Error('a fleet cannot be copied while an overlay is open, or an entry is being applied')
  const copy = new Fleet(fleet)
  copy.hosts.takeCopy(fleet.hosts, spare?.hosts)
  copy.groups.takeCopy(fleet.groups)
  copy.aggregates.takeCopy(fleet.aggregates)
  copy.profiles.takeCopy(fleet.profiles)
  copy.ledger.takeCopy(fleet.ledger)
  copy.takePlaces(fleet)
  copy.strictSince = fleet.strictSince
  return copy
}
