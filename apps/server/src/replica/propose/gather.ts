import { type DecisionRecord, type InstanceRecord, type OutsideAnswer, weighedName } from '@gantt/scheduler-core'

/** External plug-ins are called at most this often for one call. The call is then decided with their last answers. */
export const MAX_GATHERINGS = 3

/**
 * Returns true if answers of the solver or of external plug-ins did not apply to the fleet of the decision, because entries were written in
 * between.
 */
export const isOutdated = ({ solver, outside, instances }: DecisionRecord): boolean =>
  solver?.why === 'NOT_FEASIBLE' || (outside !== undefined && instances.some((instance) => lacksAnswer(instance, outside)))

/**
 * Returns true if an instance found no host, and some hosts were refused only because they became candidates after external plug-ins were
 * called, and therefore had no answers.
 */
function lacksAnswer({ best, filters }: InstanceRecord, outside: readonly OutsideAnswer[]): boolean {
  if (best.length > 0) return false
  const answered = outside.filter(({ failure }) => failure === undefined).map(({ part }) => part)
  return filters.some(({ filter, errors = 0 }) => errors > 0 && answered.some((part) => filter === part || filter === weighedName(part)))
}
