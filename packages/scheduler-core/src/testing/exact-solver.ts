import type { Fleet } from '../fleet/fleet.ts'
import type { Overlay } from '../fleet/overlay.ts'
import type { Profile } from '../records/profile.ts'
import { noSolution, type Solution } from '../records/solution.ts'
import { DEFAULT_SOLVER_OPTIONS } from '../records/solver-options.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import type { Row } from '../schedulers/solver/draft.ts'
import { formulate, type Program } from '../schedulers/solver/program.ts'
import { atOnce } from '../values/steps.ts'

/** Solves a small integer program exactly, by trying every value that the rows allow. For tests without a real solver. */
export function solveExactly({ objective, most, rows }: Program): readonly number[] | undefined {
  const values = new Array<number>(most.length).fill(0)
  const rowsOf = most.map((_, column) => rows.filter(({ columns }) => columns.includes(column)))
  let best: { readonly sum: number; readonly values: readonly number[] } | undefined
  /** True if a row can be satisfied by some values of the columns from `from` on, with the chosen values of the columns before. */
  const isOpen = ({ columns, values: factors, least, most: limit }: Row, from: number): boolean => {
    let low = 0
    let high = 0
    for (const [i, column] of columns.entries()) {
      const factor = factors[i] as number
      if (column < from) {
        low += factor * (values[column] as number)
        high += factor * (values[column] as number)
      } else if (factor > 0) high += factor * (most[column] as number)
      else low += factor * (most[column] as number)
    }
    return (limit === null || low <= limit) && (least === null || high >= least)
  }
  const visit = (column: number, sum: number): void => {
    if (column === most.length) {
      if (best === undefined || sum > best.sum) best = { sum, values: [...values] }
      return
    }
    for (let value = most[column] as number; value >= 0; value--) {
      values[column] = value
      if ((rowsOf[column] as Row[]).every((row) => isOpen(row, column + 1))) visit(column + 1, sum + value * (objective[column] as number))
    }
    values[column] = 0
  }
  if (rows.every((row) => isOpen(row, 0))) visit(0, 0)
  return best?.values
}

/** The optimal solution of a small request, in the form in which a solver would return it. */
export function aSolution(profile: Profile, request: RequestSpec, fleet: Fleet, overlay: Overlay, seed: string): Solution {
  const limits = profile.solver ?? DEFAULT_SOLVER_OPTIONS
  const { program, read, size } = atOnce(formulate(profile, request, fleet, overlay, { seed }))
  const values = solveExactly(program)
  if (values === undefined) return noSolution('INFEASIBLE', limits, null, size)
  const objective = values.reduce((sum, value, column) => sum + value * (program.objective[column] as number), 0)
  return { status: 'OPTIMAL', hosts: read(values), objective, bound: objective, gap: 0, nodes: 1, limits, size, detail: null }
}
