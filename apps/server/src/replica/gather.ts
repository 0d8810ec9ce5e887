import {
  type DecideInput,
  type DecisionRecord,
  type Fleet,
  type InstanceRecord,
  type OutsideAnswer,
  type Profile,
  weighedName,
} from '@gantt/scheduler-core'
import type { PlacementCall } from './placement.ts'

/**
 * What others answered before a call is decided. They are inputs of the decision from then on: kept in its record, so that making it again
 * asks nobody.
 */
export interface Gathered extends Pick<DecideInput, 'solution'> {
  /** The version that decides, with what parts outside of the process answered; absent: the one that is active then, and nobody was asked. */
  readonly profile?: Profile
}

/**
 * Asks others about a call before it waits to be decided; undefined: nobody is to be asked, and the call takes no step more. `fleet` is
 * asked anew each time: it may be replaced meanwhile. `answered`: the profile as others before answered about it. What goes wrong is an answer too: it never rejects.
 */
export type Gather = (fleet: () => Fleet, call: PlacementCall, answered?: Profile) => Promise<Gathered> | undefined

/** How often others are asked about one call: after that it is decided with what they said last. */
export const MOST_GATHERINGS = 3

/** Whether what was gathered did not hold on the fleet that was decided on: others wrote meanwhile, and a newer answer may hold. */
export const isOutdated = ({ solver, outside, instances }: DecisionRecord): boolean =>
  solver?.why === 'NOT_FEASIBLE' || (outside !== undefined && instances.some((instance) => lacksAnswer(instance, outside)))

/** Whether an instance found no host, with hosts among those refused that came into question after parts outside of the process were asked. */
function lacksAnswer({ best, filters }: InstanceRecord, outside: readonly OutsideAnswer[]): boolean {
  if (best.length > 0) return false
  const answered = outside.filter(({ failure }) => failure === undefined).map(({ part }) => part)
  return filters.some(({ filter, errors = 0 }) => errors > 0 && answered.some((part) => filter === part || filter === weighedName(part)))
}
