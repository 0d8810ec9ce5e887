import type { MessagePort } from 'node:worker_threads'
import type { Program } from '@gantt/scheduler-core'
import type highs from 'highs'

/** A program to solve, and the limits of the search. */
export interface Job {
  readonly program: Program
  readonly timeLimitMs: number
  readonly nodeLimit: number
  readonly gap: number
}

/** The result of a search: its status, and the best values of the columns, or an empty list if none were found. */
export interface Found {
  readonly status: 'OPTIMAL' | 'FEASIBLE' | 'INFEASIBLE' | 'NOT_FOUND' | 'FAILED'
  readonly values: readonly number[]
  readonly objective: number | null
  readonly bound: number | null
  readonly gap: number | null
  readonly nodes: number
  readonly detail: string | null
}

/**
 * The code of the worker, which solves one job after the other. It is passed to the worker as text, so that a bundle needs no separate file
 * for it. Therefore the code may use nothing but its arguments.
 */
export function work(port: MessagePort, load: typeof highs.default): void {
  const solver = load()
  const solve = (loaded: Awaited<typeof solver>, { program, timeLimitMs, nodeLimit, gap }: Job): Found => {
    const { objective, most, rows, start } = program
    const { constants } = loaded
    const starts = new Int32Array(rows.length + 1)
    for (const [i, row] of rows.entries()) starts[i + 1] = (starts[i] as number) + row.columns.length
    const model = loaded.createModel({
      numCols: objective.length,
      numRows: rows.length,
      sense: constants.objectiveSense.maximize,
      colCost: Float64Array.from(objective),
      colLower: new Float64Array(objective.length),
      colUpper: Float64Array.from(most),
      integrality: new Int32Array(objective.length).fill(constants.variableType.integer),
      rowLower: Float64Array.from(rows, ({ least }) => least ?? -loaded.infinity),
      rowUpper: Float64Array.from(rows, ({ most: limit }) => limit ?? loaded.infinity),
      matrix: {
        format: 'csr',
        numCols: objective.length,
        numRows: rows.length,
        starts,
        indices: Int32Array.from(rows.flatMap(({ columns }) => columns)),
        values: Float64Array.from(rows.flatMap(({ values }) => values)),
      },
    })
    try {
      model.options.set({ output_flag: false, time_limit: timeLimitMs / 1_000, mip_max_nodes: nodeLimit, mip_rel_gap: gap, random_seed: 0 })
      if (start !== null) model.setSolution({ colValue: Float64Array.from(start) })
      model.run()
      const status = model.getModelStatus()
      const { modelStatus } = constants
      const numberOf = (value: unknown): number | null => (Number.isFinite(Number(value)) ? Number(value) : null)
      const nodes = Math.max(0, numberOf(model.info.get('mip_node_count')) ?? 0)
      // the status 2 means that the solution satisfies every row
      const isFound = Number(model.info.get('primal_solution_status')) === 2
      const end =
        status === modelStatus.optimal
          ? 'OPTIMAL'
          : status === modelStatus.infeasible || status === modelStatus.unboundedOrInfeasible
            ? 'INFEASIBLE'
            : isFound
              ? 'FEASIBLE'
              : status === modelStatus.timeLimit || status === modelStatus.solutionLimit || status === modelStatus.iterationLimit
                ? 'NOT_FOUND'
                : 'FAILED'
      const values = isFound && end !== 'INFEASIBLE' ? [...model.getSolution().colValue].map(Math.round) : []
      return {
        status: end,
        values,
        objective: values.length > 0 ? numberOf(model.getObjectiveValue()) : null,
        bound: end === 'INFEASIBLE' ? null : numberOf(model.info.get('mip_dual_bound')),
        gap: values.length > 0 ? numberOf(model.info.get('mip_gap')) : null,
        nodes,
        detail: end === 'FAILED' ? `the solver ended with status ${status}` : null,
      }
    } finally {
      model.dispose()
    }
  }
  port.on('message', (job: Job) => {
    solver
      .then((loaded) => solve(loaded, job))
      .catch((error: unknown): Found => {
        const detail = error instanceof Error ? error.message : String(error)
        return { status: 'FAILED', values: [], objective: null, bound: null, gap: null, nodes: 0, detail }
      })
      .then((found) => port.postMessage(found))
  })
}
