import type { Cause } from '../cause/cause.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { Overlay } from '../fleet/overlay.ts'
import { atOnce, type Steps } from '../values/steps.ts'
import { affinityMoveText } from './affinity-move.ts'
import type { DecideInput } from './decide.ts'
import { findOtherWayInSteps, otherWayText } from './other-way.ts'

/**
 * How a refused request could be placed otherwise, as text: instances in another order, or members of an affinity group moved at once.
 * Undefined: no such way was found. The overlay holds what was decided before the request, and nothing of the request.
 */
export const wayOut = (...asked: Parameters<typeof wayOutInSteps>): string | undefined => atOnce(wayOutInSteps(...asked))

/** The same as a generator that pauses; nobody else may use the fleet until it ends. */
export function* wayOutInSteps(fleet: Fleet, overlay: Overlay, input: DecideInput, cause: Cause): Steps<string | undefined> {
  const { source, intent } = input
  if (source !== undefined) return intent === 'REBUILD' ? undefined : affinityMoveText(fleet, source, cause)
  const way = yield* findOtherWayInSteps(fleet, overlay, input)
  return way && otherWayText(way)
}
