import { allButOneText } from '../cause/all-but-one.ts'
import type { Cause } from '../cause/cause.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { Overlay } from '../fleet/overlay.ts'
import { atOnce, type Steps } from '../values/steps.ts'
import { affinityMoveText } from './affinity-move.ts'
import type { DecideInput } from './decide.ts'
import { findOtherWayInSteps, otherWayText } from './other-way.ts'

/**
 * A text for the user about how a refused request can be placed: without one of its requirements, with its instances in a different order,
 * or by moving all members of an affinity group. Undefined if no way was found. If the request moves an existing instance, no requirement
 * is named, because the move itself adds requirements. The overlay can contain earlier decisions of the same batch, but nothing for this
 * request.
 */
export const wayOut = (...asked: Parameters<typeof wayOutInSteps>): string | undefined => atOnce(wayOutInSteps(...asked))

/** `wayOut` as a generator that yields between its steps. No other code may use the fleet until the generator ends. */
export function* wayOutInSteps(fleet: Fleet, overlay: Overlay, input: DecideInput, cause: Cause): Steps<string | undefined> {
  const { source, intent } = input
  if (source !== undefined) return intent === 'REBUILD' ? undefined : affinityMoveText(fleet, source, cause)
  if (cause.admitted === 0) return allButOneText(cause.allButOne)
  const way = yield* findOtherWayInSteps(fleet, overlay, input)
  return way && otherWayText(way)
}
