import type { HostName } from '../../fleet/host-name.ts'
import type { SolverOptions } from './options.ts'

/** How a search ended. */
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
  /** Of a program of several moves: `hosts` is where this one goes, and all other numbers are the program's. Absent: it was of one request. */
  readonly batch?: BatchOfMoves
}

/** Moves that were solved together. */
export interface BatchOfMoves {
  readonly moves: number
  /** How many of them have a place in the arrangement. */
  readonly placed: number
  /** How many the filter scheduler placed, one behind the other, when it was formulated; null: it was not. */
  readonly filterPlaced: number | null
  /** What its arrangement is worth; null: it places fewer. */
  readonly filterObjective: number | null
}

/** Worths that differ by less than this share are the same: those of a batch are differences of large numbers. */
const SAME = 1e-9

/** Whether the filter scheduler's arrangement of a batch is to be taken: it places more, or as many and is worth more. */
export function isFilterBetter({ batch, objective }: Pick<Solution, 'batch' | 'objective'>): boolean {
  if (batch === undefined || batch.filterPlaced === null) return false
  if (batch.filterPlaced !== batch.placed) return batch.filterPlaced > batch.placed
  return batch.filterObjective !== null && objective !== null && batch.filterObjective - objective > SAME * Math.max(1, Math.abs(objective))
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
  /** The worth of the solver's arrangement on the fleet that was decided on, of a batch as it was solved; null: it has none that holds. */
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
