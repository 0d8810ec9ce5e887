import type { Cause } from '../cause/cause.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { Overlay } from '../fleet/overlay.ts'
import { atOnce, type Steps } from '../fleet/steps.ts'
import { affinityMoveText } from './affinity-move.ts'
import type { DecideInput } from './decide.ts'
import { findOtherWayInSteps, otherWayText } from './other-way.ts'

/**
 * In words, how what was refused can be done otherwise: instances in another order, members of a group that live together moved at once.
 * Undefined: no such way was found. The overlay holds what was decided before the request, and nothing of the request.
 */
export const wayOut = (...asked: Parameters<typeof wayOutInSteps>): string | undefined => atOnce(wayOutInSteps(...asked))

/** The same with pauses; the fleet must be the caller's own. */
export function* wayOutInSteps(fleet: Fleet, overlay: Overlay, input: DecideInput, cause: Cause): Steps<string | undefined> {
  const { source, intent } = input
  if (source !== undefined) return intent === 'REBUILD' ? undefined : affinityMoveText(fleet, source, cause)
  const way = yield* findOtherWayInSteps(fleet, overlay, input)
  return way && otherWayText(way)
}
