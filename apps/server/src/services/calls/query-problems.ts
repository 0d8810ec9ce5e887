import { quote } from '@gantt/scheduler-core'
import type { QueryProblem } from '@gantt/scheduler-core/query'
import type { Issue } from './outcome.ts'

/** Converts the errors in a line of the filter grammar to issues of the argument that contains the line. The first column is 1. */
export function inputProblems(problems: readonly QueryProblem[], text: string, path: readonly string[]): Issue[] {
  return problems.map(({ message, from, to }) => ({
    code: 'call.invalid',
    path,
    message: `${path.join('.')}, column ${from + 1}: ${message}`,
    expected: 'a line of the filter grammar (docs/query.md)',
    actual: quote(text.slice(from, Math.max(to, from + 1))),
  }))
}
