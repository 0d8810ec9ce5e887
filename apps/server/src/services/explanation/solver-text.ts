import { fallbackReasons, type RequestSpec, type SelectedDestination, type SolverRecord, solutionStatuses } from '@gantt/scheduler-core'

const rounded = (value: number | null): string => (value === null ? 'none' : String(Number(value.toFixed(4))))

/** A sentence that states why the solver's arrangement was or was not used. For a batch of moves, it includes the results of all moves. */
export function solverSentence({ why, solution: { status, batch } }: SolverRecord): string {
  const reason = why === null ? solutionStatuses[status] : fallbackReasons[why]
  if (batch === undefined) return reason
  const byFilter = batch.filterPlaced === null ? '' : `, ${batch.filterPlaced} by the filter scheduler`
  return `${reason} Moves that were solved together: ${batch.moves}; with a place: ${batch.placed}${byFilter}.`
}

/** The result of a solver in lines: which arrangement was used and why, its objective, and the progress of the search. */
export function solverLines(record: SolverRecord): readonly string[] {
  const { solution, taken, objective, filterObjective } = record
  const { status, bound, gap, nodes, size, limits, detail } = solution
  const { timeLimitMs, nodeLimit } = limits
  return [
    `${status}: ${taken === 'SOLVER' ? "the solver's arrangement was used" : 'the filter scheduler decided'}. ${solverSentence(record)}${detail === null ? '' : ` (${detail})`}`,
    `Objective ${rounded(objective)}, by filter ${rounded(filterObjective)}; bound ${rounded(bound)}, gap ${gap === null ? 'none' : `${rounded(gap * 100)} %`}.`,
    `${nodes} nodes, of at most ${nodeLimit} in ${timeLimitMs} ms.`,
    ...(size === null
      ? []
      : [`${size.candidates} of ${size.passing} hosts that passed were considered: ${size.columns} columns, ${size.rows} rows.`]),
  ]
}

/** One line for each kind of instances in a request, with the hosts of these instances. Empty if all instances of the request are equal. */
export function memberLines({ gang, numInstances }: Pick<RequestSpec, 'gang' | 'numInstances'>, answer: readonly SelectedDestination[]) {
  if (gang.length === 0 || answer.length === 0) return []
  const own = numInstances - gang.reduce((sum, { instances }) => sum + instances, 0)
  let first = 0
  return [{ name: 'of flavor', instances: own }, ...gang].map(({ name, instances }, i) => {
    const hosts = answer.slice(first, first + instances).map(({ selected }) => selected.host)
    first += instances
    return `${i === 0 ? name : (name ?? `kind ${i + 1}`)}: ${hosts.join(', ')}`
  })
}
