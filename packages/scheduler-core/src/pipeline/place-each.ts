import type { ClaimPart, GroupBinding } from '../fleet/change.ts'
import type { Overlay } from '../fleet/overlay.ts'

/** Places instances one by one: each sees a fleet in which the earlier ones already use their share. */
export function placeEach<Placement extends { readonly part: ClaimPart }>(
  count: number,
  allOrNothing: boolean,
  group: GroupBinding | null,
  overlay: Overlay,
  placeOne: (instance: number) => Placement | undefined,
): readonly Placement[] {
  const before = overlay.size
  const placements: Placement[] = []
  for (let instance = 0; instance < count; instance++) {
    const placement = placeOne(instance)
    if (placement === undefined) {
      if (allOrNothing) overlay.rollback(before)
      return placements
    }
    overlay.hold(placement.part, group)
    placements.push(placement)
  }
  return placements
}
