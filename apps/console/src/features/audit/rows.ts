import type { RowField } from '../../lib/csv.ts'
import type { ResultOf } from '../../lib/service/graphql.ts'
import type { LIST } from './documents.ts'

export type AuditRow = ResultOf<typeof LIST>['auditLog']['nodes'][number]

/** The arguments of the call as indented JSON. If the audit truncated them, they are not JSON and are returned unchanged. */
export function argumentsOf({ summary }: Pick<AuditRow, 'summary'>): string {
  try {
    return JSON.stringify(JSON.parse(summary), null, 2)
  } catch {
    return summary
  }
}

/** The fields of an audit row that are copied as CSV or JSON. */
export const auditFieldsCopied: readonly RowField<AuditRow>[] = [
  ['seq', ({ seq }) => seq, 'seq'],
  ['at', ({ at }) => at, 'at'],
  ['account', ({ account }) => account, 'account'],
  ['keyId', ({ keyId }) => keyId],
  ['mutation', ({ mutation }) => mutation, 'mutation'],
  ['target', ({ target }) => target, 'target'],
  ['result', ({ result }) => result, 'result'],
  ['requestId', ({ requestId }) => requestId],
  ['summary', ({ summary }) => summary],
  ['hash', ({ hash }) => hash],
]
