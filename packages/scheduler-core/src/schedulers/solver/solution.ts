import type { HostName } from '../../fleet/change.ts'
import type { SolverOptions } from './options.ts'

/** How a search ended. */
export const solutionStatuses = {
  OPTIMAL: 'The best arrangement, within the gap of the profile.',
  FEASIBLE: 'A limit ended the search; the best arrangement until then.',
  INFEASIBLE: 'No arrangement of all instances was possible on the hosts that were looked at.',
  NOT_FOUND: 'A limit ended the search before an arrangement was found.',
  FAILED: 'The solver failed.',
  BUSY: 'Too many programs waited for the solver.',
  NOT_ASKED: 'No solver was asked.',
} as const

export type SolutionStatus = keyof typeof solutionStatuses

/**
 * What a solver answered: an input of the decision, kept in its record, so that making the decision again needs no solver. Nothing of it
 * is believed: every placement is checked again, and the objective is worked out anew.
 */
export interface Solution {
  readonly status: SolutionStatus
  /** By instance, where it goes; empty: nowhere. */
  readonly hosts: readonly HostName[]
  /** As the solver has it; null: it has none. */
  readonly objective: number | null
  /** No arrangement is better than this. */
  readonly bound: number | null
  /** (bound - objective) / |objective|. */
  readonly gap: number | null
  /** Branches that were looked at. */
  readonly nodes: number
  readonly limits: SolverOptions
  /** Size of the program, and of how many hosts that pass for the first instance of its kind how many were looked at. */
  readonly size: { readonly columns: number; readonly rows: number; readonly candidates: number; readonly passing: number } | null
  /** What failed, in words. */
  readonly detail: string | null
}

/** Why the filter scheduler's arrangement was taken; null: it was not. */
export const fallbackReasons = {
  ...(({ OPTIMAL: _, FEASIBLE: __, ...rest }) => rest)(solutionStatuses),
  NOT_FEASIBLE: 'The arrangement did not hold when each placement was checked again.',
  FILTER_BETTER: 'The filter scheduler had an arrangement that is worth more.',
} as const

export type FallbackReason = keyof typeof fallbackReasons

/** How a decision of the scheduler `solver` came about. */
export interface SolverRecord {
  readonly solution: Solution
  readonly taken: 'SOLVER' | 'FILTER'
  readonly why: FallbackReason | null
  /** The worth of the solver's arrangement on the fleet that was decided on; null: it has none that holds. */
  readonly objective: number | null
  /** The same of the filter scheduler's. */
  readonly filterObjective: number | null
}

/** A solution without an arrangement. */
export const noSolution = (
  status: Exclude<SolutionStatus, 'OPTIMAL' | 'FEASIBLE'>,
  limits: SolverOptions,
  detail: string | null = null,
  size: Solution['size'] = null,
): Solution => ({ status, hosts: [], objective: null, bound: null, gap: null, nodes: 0, limits, size, detail })
