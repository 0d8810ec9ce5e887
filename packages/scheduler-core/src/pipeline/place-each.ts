import type { Overlay } from '../fleet/overlay.ts'
import type { ClaimPart, GroupBinding } from '../records/change.ts'
import { atOnce, type Steps } from '../values/steps.ts'

/** Places instances one by one. When an instance is placed, the resources of the earlier instances are already reserved in the fleet. */
export const placeEach = <Placement extends { readonly part: ClaimPart }>(
  count: number,
  allOrNothing: boolean,
  group: GroupBinding | null,
  overlay: Overlay,
  placeOne: (instance: number) => Placement | undefined,
): readonly Placement[] =>
  atOnce(
    placeEachInSteps(
      count,
      allOrNothing,
      group,
      overlay,
      // biome-ignore lint/correctness/useYield: the instance is placed in one step
      function* (instance) {
        return placeOne(instance)
      },
    ),
  )

/** `placeEach` as a generator that yields after each instance. No other code may use the fleet until the generator ends. */
export function* placeEachInSteps<Placement extends { readonly part: ClaimPart }>(
  count: number,
  allOrNothing: boolean,
  group: GroupBinding | null,
  overlay: Overlay,
  placeOne: (instance: number) => Steps<Placement | undefined>,
): Steps<readonly Placement[]> {
  const before = overlay.size
  const placements: Placement[] = []
  for (let instance = 0; instance < count; instance++) {
    const placement = yield* placeOne(instance)
    if (placement === undefined) {
      if (allOrNothing) overlay.rollback(before)
      return placements
    }
    overlay.hold(placement.part, group)
    placements.push(placement)
    yield
  }
  return placements
}
