import { isStorable } from '@gantt/scheduler-core'
import { parseQuery, type Query, type QueryField } from '@gantt/scheduler-core/query'
import { InputFault } from './outcome.ts'
import { inputProblems } from './query-problems.ts'

/** What can be asked of the audit; docs/keys.md lists them. A bare word is part of the target, the summary or the mutation. */
export const auditFields: readonly QueryField[] = [
  { name: 'account', kind: 'text', description: 'the service account that called' },
  { name: 'key', kind: 'text', description: 'id of the key that called' },
  { name: 'mutation', kind: 'text', description: 'name of the mutation' },
  { name: 'target', kind: 'text', description: 'what it was about' },
  { name: 'result', kind: 'text', description: 'type of the answer, or code of the fault' },
  { name: 'request', kind: 'text', description: 'id of the request' },
  { name: 'last', kind: 'number', unit: 's', description: 'not older than this: last:1h' },
]

/** A line of the filter grammar about the audit. Throws InputFault that lists every problem with its place. */
export function parseAuditQuery(text: string | null | undefined): Query {
  const path = ['query']
  if (typeof text === 'string' && !isStorable(text)) throw InputFault.at(path, text, 'text without NUL')
  const { query, problems } = parseQuery(text ?? '', auditFields)
  if (problems.length > 0) throw new InputFault(inputProblems(problems, text ?? '', path))
  return query
}
