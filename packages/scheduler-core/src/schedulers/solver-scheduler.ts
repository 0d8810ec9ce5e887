import type { CompiledProfile } from '../contracts/compiled-profile.ts'
import { createScheduler, type Scheduler } from '../contracts/scheduler.ts'
import type { Profile } from '../records/profile.ts'
import { type FallbackReason, isFilterBetter, noSolution } from '../records/solution.ts'
import { DEFAULT_SOLVER_OPTIONS } from '../records/solver-options.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import type { HostIndex } from '../values/host-index.ts'
import { createFilterScheduler, groupOf, placeOn } from './filter-scheduler.ts'
import { objectiveOf, scoresOf } from './solver/scores.ts'

/**
 * Returns true if a solver must be called before a request is decided. A single instance needs no solver, because its best arrangement
 * is the host with the highest score.
 */
export const asksSolver = ({ scheduler }: Pick<Profile, 'scheduler'>, { numInstances }: Pick<RequestSpec, 'numInstances'>): boolean =>
  scheduler === 'solver' && numInstances > 1

/**
 * Creates the scheduler SOLVER. It places all instances of a request in the best arrangement that a solver found. The solution is an input
 * of the decision. The profile's filters check each instance of the solution while the overlay contains the earlier instances. The
 * arrangement of the scheduler FILTER is used instead if there is no valid solution, or if FILTER's arrangement has a higher objective. The
 * decision record then has the reason. In a batch of moves, the solution covers all claims of the batch. Each claim gets its host in the
 * solution, even if another host has a higher score.
 */
export function createSolverScheduler(compiled: CompiledProfile): Scheduler {
  const filter = createFilterScheduler(compiled)
  return createScheduler('solver', function* (request, fleet, overlay, options, slice) {
    const batch = options.solution?.batch
    if (request.numInstances === 1 && batch === undefined) return yield* filter.selectInSteps(request, fleet, overlay, options, slice)
    const { solution = noSolution('NOT_ASKED', compiled.profile.solver ?? DEFAULT_SOLVER_OPTIONS) } = options
    const before = overlay.size
    const scores = batch === undefined ? yield* scoresOf(compiled, request, fleet, overlay, slice) : []
    const worthOf = (hosts: readonly HostIndex[]) => (hosts.length === request.numInstances ? objectiveOf(scores, hosts) : null)
    const indexesOf = (names: readonly { readonly host: string; readonly node: string }[]) =>
      names.flatMap((name) => fleet.hosts.find(name)?.index ?? [])

    const filtered = yield* filter.selectInSteps(request, fleet, overlay, options, slice)
    overlay.rollback(before)
    const filterObjective = batch === undefined ? worthOf(indexesOf(filtered.parts)) : batch.filterObjective

    const given = indexesOf(solution.hosts)
    const isWhole = given.length === request.numInstances
    const solved = isWhole ? yield* placeOn(compiled, given, request, fleet, overlay, { ...options, allOrNothing: true }, slice) : undefined
    overlay.rollback(before)
    const holds = solved !== undefined && solved.parts.length === request.numInstances
    const objective = !holds ? null : batch === undefined ? worthOf(given) : solution.objective
    const why = ((): FallbackReason | null => {
      if (solution.status !== 'OPTIMAL' && solution.status !== 'FEASIBLE') return solution.status
      if (isFilterBetter(solution)) return 'FILTER_BETTER'
      if (objective === null) return 'NOT_FEASIBLE'
      return batch === undefined && filterObjective !== null && filterObjective > objective ? 'FILTER_BETTER' : null
    })()
    const taken = why === null && solved !== undefined ? solved : filtered
    for (const part of taken.parts) overlay.hold(part, groupOf(request))
    return { ...taken, solver: { solution, taken: why === null ? 'SOLVER' : 'FILTER', why, objective, filterObjective } }
  })
}
