import { toCsv } from '../../lib/csv.ts'
import type { ResultOf } from '../../lib/graphql.ts'
import type { LIST } from './documents.ts'

export type AuditRow = ResultOf<typeof LIST>['auditLog']['nodes'][number]

/** The arguments, indented where they were kept whole: long ones are cut. */
export function argumentsOf({ summary }: Pick<AuditRow, 'summary'>): string {
  try {
    return JSON.stringify(JSON.parse(summary), null, 2)
  } catch {
    return summary
  }
}

const fields = ['seq', 'at', 'account', 'keyId', 'mutation', 'target', 'result', 'requestId', 'summary', 'hash'] as const

export const csvOf = (rows: readonly AuditRow[]): string =>
  toCsv(
    fields,
    rows.map((row) => fields.map((field) => row[field])),
  )
