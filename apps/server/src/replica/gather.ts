import type { DecideInput, DecisionRecord, Fleet } from '@gantt/scheduler-core'
import type { PlacementCall } from './placement.ts'

/**
 * What others answered before a call is decided. They are inputs of the decision from then on: kept in its record, so that making it again
 * asks nobody.
 */
export type Gathered = Pick<DecideInput, 'solution'>

/**
 * Asks others about a call before it waits to be decided; undefined: nobody is to be asked, and the call takes no step more. `fleet` is
 * asked anew each time: it may be replaced meanwhile. What goes wrong is an answer too: it never rejects.
 */
export type Gather = (fleet: () => Fleet, call: PlacementCall) => Promise<Gathered> | undefined

/** How often others are asked about one call: after that it is decided with what they said last. */
export const MOST_GATHERINGS = 3

/** Whether what was gathered did not hold on the fleet that was decided on: others wrote meanwhile, and a newer answer may hold. */
export const isOutdated = ({ solver }: DecisionRecord): boolean => solver?.why === 'NOT_FEASIBLE'
