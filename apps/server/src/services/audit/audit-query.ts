import { isStorable } from '@gantt/scheduler-core'
import { auditFields, parseQuery, type Query } from '@gantt/scheduler-core/query'
import { InputFault } from '../calls/outcome.ts'
import { inputProblems } from '../calls/query-problems.ts'

/** Parses a line of the filter grammar about the audit. Throws InputFault that lists every problem with its position. */
export function parseAuditQuery(text: string | null | undefined): Query {
  const path = ['query']
  if (typeof text === 'string' && !isStorable(text)) throw InputFault.at(path, text, 'text without NUL')
  const { query, problems } = parseQuery(text ?? '', auditFields)
  if (problems.length > 0) throw new InputFault(inputProblems(problems, text ?? '', path))
  return query
}
