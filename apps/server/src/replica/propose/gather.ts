import { type DecisionRecord, type InstanceRecord, type OutsideAnswer, weighedName } from '@gantt/scheduler-core'

/** The number of times that outside parts are asked about one call; then it is decided with their last answers. */
export const MOST_GATHERINGS = 3

/**
 * Whether the answers did not apply to the fleet of the decision, because other entries were written meanwhile, so that newer answers may
 * apply.
 */
export const isOutdated = ({ solver, outside, instances }: DecisionRecord): boolean =>
  solver?.why === 'NOT_FEASIBLE' || (outside !== undefined && instances.some((instance) => lacksAnswer(instance, outside)))

/** Whether an instance found no host, and some refused hosts became candidates only after the outside parts were asked. */
function lacksAnswer({ best, filters }: InstanceRecord, outside: readonly OutsideAnswer[]): boolean {
  if (best.length > 0) return false
  const answered = outside.filter(({ failure }) => failure === undefined).map(({ part }) => part)
  return filters.some(({ filter, errors = 0 }) => errors > 0 && answered.some((part) => filter === part || filter === weighedName(part)))
}
