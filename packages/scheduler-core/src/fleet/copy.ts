import { allKinds } from '../kinds/index.ts'
import { Fleet } from './fleet.ts'
import { atOnce, inSlices, SLICE } from './steps.ts'

/**
 * A private copy: the same fleet at the same place, which entries and overlays may be put on. Nothing that `apply` or an
 * overlay writes is shared; documents that are only ever replaced are. Throws Error while an overlay is open on the fleet.
 */
export const copyFleet = (fleet: Fleet): Fleet => atOnce(copySteps(fleet))

/** The same with pauses, in which the fleet must stand still: throws Error when it has moved, or has an overlay open. */
export function* copySteps(fleet: Fleet, slice = SLICE): Generator<void, Fleet> {
  const copy = new Fleet()
  const { revision } = fleet.place
  const assertStill = (): void => {
    if (fleet.isLocked) throw new Error('a fleet cannot be copied while an overlay is open')
    if (fleet.place.revision !== revision)
      throw new Error(`the fleet went on from revision ${revision} to ${fleet.place.revision} while it was copied`)
  }
  assertStill()
  copy.hosts.takeColumns(fleet.hosts)
  for (const record of inSlices(fleet.hosts.records, slice)) {
    if (record === undefined) {
      yield
      assertStill()
      continue
    }
    const own = copy.hosts.addCopy(record)
    for (const kind of allKinds) kind.copy?.(record, own)
  }
  copy.groups.takeCopy(fleet.groups)
  copy.aggregates.takeCopy(fleet.aggregates)
  copy.profiles.takeCopy(fleet.profiles)
  for (const _pause of copy.ledger.takeCopy(fleet.ledger, slice)) {
    yield
    assertStill()
  }
  copy.takePlaces(fleet)
  return copy
}
