import { type DecisionRecord, type InstanceRecord, type OutsideAnswer, weighedName } from '@gantt/scheduler-core'

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
