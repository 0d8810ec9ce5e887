import type { HostName } from '../values/host-name.ts'
import type { SolverOptions } from './solver-options.ts'

/** The possible results of a solver's search. */
export const solutionStatuses = {
  OPTIMAL: 'The best arrangement was found, within the gap that the profile allows.',
  FEASIBLE:
    'An arrangement was found, but it is not proved to be the best: a limit ended the search, or some arrangements were not searched.',
  INFEASIBLE: 'The considered hosts do not allow an arrangement of all instances.',
  NOT_FOUND: 'A limit ended the search before an arrangement was found.',
  FAILED: 'The solver failed.',
  BUSY: 'Too many integer programs waited for the solver.',
  NOT_ASKED: 'The solver was not called.',
} as const

export type SolutionStatus = keyof typeof solutionStatuses

/**
 * A solver's answer. It is an input of the decision and is stored in the decision's record. Therefore, a replay needs no solver. The answer
 * is not trusted: every placement is checked, and the objective is computed again.
 */
export interface Solution {
  readonly status: SolutionStatus
  /** The host of each instance. Empty if the solver found no arrangement of the instances on hosts. */
  readonly hosts: readonly HostName[]
  /** The objective as the solver computed it. Null if the solver returned no objective. */
  readonly objective: number | null
  /** The upper bound of the objective: no arrangement can have a higher objective. Null if the solver returned no bound. */
  readonly bound: number | null
  /** (bound - objective) / |objective| when the solver ended. Null if the solver returned no gap. */
  readonly gap: number | null
  /** The count of branches that the solver examined. */
  readonly nodes: number
  readonly limits: SolverOptions
  /**
   * The size of the integer program: its columns and rows, the count of hosts that were considered (`candidates`), and the count of hosts
   * that pass the filters (`passing`).
   */
  readonly size: { readonly columns: number; readonly rows: number; readonly candidates: number; readonly passing: number } | null
  /** The failure as text. Null if the solver did not fail. */
  readonly detail: string | null
  /**
   * Present if several moves were solved in one integer program. `hosts` then has only the destination of this move, and all other values
   * are those of the whole program.
   */
  readonly batch?: BatchOfMoves
}

/** Moves that were solved together in one integer program. */
export interface BatchOfMoves {
  readonly moves: number
  /** The count of instances that have a host in the solver's arrangement. */
  readonly placed: number
  /**
   * The count of instances that the filter scheduler placed, one by one, when the program was formulated. Null if the filter scheduler was
   * not run.
   */
  readonly filterPlaced: number | null
  /** The objective of the filter scheduler's arrangement. Null if the filter scheduler placed fewer instances. */
  readonly filterObjective: number | null
}

/**
 * Objectives that differ by less than this share are treated as equal, because the objective of a batch is a difference of large numbers
 * and has a rounding error.
 */
const SAME = 1e-9

/**
 * Returns true if the filter scheduler's arrangement of a batch must be used instead of the solver's. This is the case if it places more
 * instances, or as many instances with a higher objective.
 */
export function isFilterBetter({ batch, objective }: Pick<Solution, 'batch' | 'objective'>): boolean {
  if (batch === undefined || batch.filterPlaced === null) return false
  if (batch.filterPlaced !== batch.placed) return batch.filterPlaced > batch.placed
  return batch.filterObjective !== null && objective !== null && batch.filterObjective - objective > SAME * Math.max(1, Math.abs(objective))
}

/** The reasons for which the filter scheduler's arrangement is used instead of the solver's. */
export const fallbackReasons = {
  ...(({ OPTIMAL: _, FEASIBLE: __, ...rest }) => rest)(solutionStatuses),
  NOT_FEASIBLE: 'The arrangement was not valid when each placement was checked again.',
  FILTER_BETTER: "The filter scheduler's arrangement had a higher objective.",
} as const

export type FallbackReason = keyof typeof fallbackReasons

/** How the scheduler `solver` reached a decision. `why` is null if the solver's arrangement was used. */
export interface SolverRecord {
  readonly solution: Solution
  readonly taken: 'SOLVER' | 'FILTER'
  readonly why: FallbackReason | null
  /**
   * The objective of the solver's arrangement, computed by this service from the state of the fleet at the decision. For a batch, the
   * objective that the solver computed. Null if there is no valid arrangement.
   */
  readonly objective: number | null
  /** The objective of the filter scheduler's arrangement. Null if the filter scheduler did not place every instance. */
  readonly filterObjective: number | null
}

/** A solution without an arrangement. */
export const noSolution = (
  status: Exclude<SolutionStatus, 'OPTIMAL' | 'FEASIBLE'>,
  limits: SolverOptions,
  detail: string | null = null,
  size: Solution['size'] = null,
): Solution => ({ status, hosts: [], objective: null, bound: null, gap: null, nodes: 0, limits, size, detail })
