import { fallbackReasons, type RequestSpec, type SelectedDestination, type SolverRecord, solutionStatuses } from '@gantt/scheduler-core'

const rounded = (value: number | null): string => (value === null ? 'none' : String(Number(value.toFixed(4))))

/** How a solver fared, each in a line: whose arrangement was taken and why, its worth, and how far the search got. */
export function solverLines({ solution, taken, why, objective, filterObjective }: SolverRecord): readonly string[] {
  const { status, bound, gap, nodes, size, limits, detail } = solution
  const reason = why === null ? solutionStatuses[status] : fallbackReasons[why]
  const { timeLimitMs, nodeLimit } = limits
  return [
    `${status}: ${taken === 'SOLVER' ? "the solver's arrangement was taken" : 'the filter scheduler decided'}. ${reason}${detail === null ? '' : ` (${detail})`}`,
    `Objective ${rounded(objective)}, by filter ${rounded(filterObjective)}; bound ${rounded(bound)}, gap ${gap === null ? 'none' : `${rounded(gap * 100)} %`}.`,
    `${nodes} nodes, of at most ${nodeLimit} in ${timeLimitMs} ms.`,
    ...(size === null
      ? []
      : [`${size.candidates} of ${size.passing} hosts that passed were looked at: ${size.columns} columns, ${size.rows} rows.`]),
  ]
}

/** The kinds of instances of a gang with the hosts that they got; nothing for other requests. */
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
