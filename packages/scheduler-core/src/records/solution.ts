import type { HostName } from '../values/host-name.ts'
import type { SolverOptions } from './solver-options.ts'

/** The possible results of a search. */
export const solutionStatuses = {
  OPTIMAL: 'The best arrangement, within the gap of the profile.',
  FEASIBLE: 'An arrangement that is not proved to be the best: a limit ended the search, or it had to leave arrangements out.',
  INFEASIBLE: 'No arrangement of all instances was possible on the hosts that were looked at.',
  NOT_FOUND: 'A limit ended the search before an arrangement was found.',
  FAILED: 'The solver failed.',
  BUSY: 'Too many programs waited for the solver.',
  NOT_ASKED: 'No solver was asked.',
} as const

export type SolutionStatus = keyof typeof solutionStatuses

/**
 * A solver's answer: an input of the decision, kept in its record, so that a replay needs no solver. It is not trusted:
 * every placement is checked, and the objective is computed again.
 */
export interface Solution {
  readonly status: SolutionStatus
  /** The host of each instance; empty: none. */
  readonly hosts: readonly HostName[]
  /** The objective as the solver computed it; null if it gave none. */
  readonly objective: number | null
  /** The bound: no arrangement is better than this. */
  readonly bound: number | null
  /** (bound - objective) / |objective|. */
  readonly gap: number | null
  /** Branches that were examined. */
  readonly nodes: number
  readonly limits: SolverOptions
  /** Size of the program; and how many hosts pass for the first instance of each kind, and how many of them were considered. */
  readonly size: { readonly columns: number; readonly rows: number; readonly candidates: number; readonly passing: number } | null
  /** The failure in words, for people. */
  readonly detail: string | null
  /**
   * For a program of several moves: `hosts` is where this one goes, and all other numbers are the program's. Absent: it was for one
   * request.
   */
  readonly batch?: BatchOfMoves
}

/** Moves that were solved together. */
export interface BatchOfMoves {
  readonly moves: number
  /** How many instances have a host in the arrangement. */
  readonly placed: number
  /** How many the filter scheduler placed, one after the other, when the program was formulated; null: it was not run. */
  readonly filterPlaced: number | null
  /** The worth of its arrangement; null: it places fewer. */
  readonly filterObjective: number | null
}

/** Worths that differ by less than this share count as equal: those of a batch are differences of large numbers. */
const SAME = 1e-9

/** Whether the filter scheduler's arrangement of a batch is used: it places more, or the same number with a higher objective. */
export function isFilterBetter({ batch, objective }: Pick<Solution, 'batch' | 'objective'>): boolean {
  if (batch === undefined || batch.filterPlaced === null) return false
  if (batch.filterPlaced !== batch.placed) return batch.filterPlaced > batch.placed
  return batch.filterObjective !== null && objective !== null && batch.filterObjective - objective > SAME * Math.max(1, Math.abs(objective))
}

/** Why the filter scheduler's arrangement was used; null: it was not. */
export const fallbackReasons = {
  ...(({ OPTIMAL: _, FEASIBLE: __, ...rest }) => rest)(solutionStatuses),
  NOT_FEASIBLE: 'The arrangement did not hold when each placement was checked again.',
  FILTER_BETTER: 'The filter scheduler had an arrangement that is worth more.',
} as const

export type FallbackReason = keyof typeof fallbackReasons

/** How the scheduler `solver` reached a decision. */
export interface SolverRecord {
  readonly solution: Solution
  readonly taken: 'SOLVER' | 'FILTER'
  readonly why: FallbackReason | null
  /** The worth of the solver's arrangement on the fleet of the decision, of a batch as it was solved; null: it has no valid one. */
  readonly objective: number | null
  /** The worth of the filter scheduler's arrangement. */
  readonly filterObjective: number | null
}

/** A solution without an arrangement. */
export const noSolution = (
  status: Exclude<SolutionStatus, 'OPTIMAL' | 'FEASIBLE'>,
  limits: SolverOptions,
  detail: string | null = null,
  size: Solution['size'] = null,
): Solution => ({ status, hosts: [], objective: null, bound: null, gap: null, nodes: 0, limits, size, detail })
