import { quote } from '@gantt/scheduler-core'
import type { QueryProblem } from '@gantt/scheduler-core/query'
import type { Issue } from './outcome.ts'

/** The errors of a line in the filter grammar, as issues of its argument. Columns count from 1. */
export function inputProblems(problems: readonly QueryProblem[], text: string, path: readonly string[]): Issue[] {
  return problems.map(({ message, from, to }) => ({
    code: 'call.invalid',
    path,
    message: `${path.join('.')}, column ${from + 1}: ${message}`,
    expected: 'a line of the filter grammar (docs/query.md)',
    actual: quote(text.slice(from, Math.max(to, from + 1))),
  }))
}
