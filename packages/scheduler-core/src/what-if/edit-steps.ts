import type { Fleet } from '../fleet/fleet.ts'
import type { Change } from '../records/change.ts'
import type { FleetEdits } from './edits.ts'

/** The generator yields after reading this many hosts, claims or aggregates. */
export const PAUSED_AFTER = 500

/** A change of the fleet, and for messages: the path of the edit that causes the change, and the value at this path. */
export interface Step {
  readonly change: Change
  readonly path: readonly string[]
  readonly found: unknown
}

/**
 * Yields the changes for one kind of edit, one at a time, because a list of all changes could be long. Yields undefined where the caller
 * should yield to other work.
 */
export type Edit = (fleet: Fleet, edits: FleetEdits) => Generator<Step | undefined, void>

/**
 * True if the generator should yield after reading this many hosts, claims or aggregates. It is not enough to yield after changes, because
 * many hosts or claims in a row can need no change.
 */
export const isPauseDue = (position: number): boolean => position % PAUSED_AFTER === PAUSED_AFTER - 1

/** The author and reason of ratios and reserved amounts that a what-if query sets. */
export const MADE_UP = { by: 'what-if', reason: 'set in this what-if query' } as const

/** The incarnation in the reports of hypothetical hosts. */
export const NEW = '00000000-0000-4000-8000-000000000000'
