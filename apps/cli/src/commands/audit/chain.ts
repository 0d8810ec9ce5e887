import { createHash } from 'node:crypto'
import { canonicalJson } from '@gantt/scheduler-core'

/** A row of the audit, as the API returns it. */
export interface AuditRow {
  readonly seq: number
  readonly id: string
  /** The time, in the format of RFC 3339. */
  readonly at: string
  readonly account: string
  readonly keyId: string
  readonly mutation: string
  readonly target: string
  readonly summary: string
  readonly result: string
  readonly requestId: string
  readonly previous: string
  readonly hash: string
}

/**
 * The number and hash of a row. If a later reading of the audit finds the same hash at this number, no earlier row was changed or removed.
 */
export interface Head {
  readonly seq: number
  readonly hash: string
}

/** The head of an empty audit. */
export const START: Head = { seq: 0, hash: '0'.repeat(64) }

/**
 * Finds the first row that is missing, out of order or edited. Undefined if there is none. `head` is the row before the first of `rows`.
 */
export function findBreak(rows: readonly AuditRow[], head: Head): { readonly seq: number; readonly what: string } | undefined {
  let last = head
  for (const row of rows) {
    const wanted = last.seq + 1
    if (row.seq > wanted) {
      const gone = row.seq - 1 === wanted ? `row ${wanted} is` : `rows ${wanted} to ${row.seq - 1} are`
      return { seq: wanted, what: `${gone} missing: row ${row.seq} comes after row ${last.seq}` }
    }
    if (row.seq < wanted) return { seq: row.seq, what: `row ${row.seq} comes after row ${last.seq}` }
    if (row.previous !== last.hash)
      return { seq: row.seq, what: `row ${row.seq} does not follow row ${last.seq}: its "previous" is not that row's hash` }
    if (row.hash !== hashOf(row)) return { seq: row.seq, what: `row ${row.seq} was edited: its hash is not that of its contents` }
    last = row
  }
  return undefined
}

/** The sha256 of the canonical JSON of all fields except `hash`. It is computed here so that the check does not rely on the service. */
function hashOf({ hash: _own, at, ...row }: AuditRow): string {
  return createHash('sha256')
    .update(canonicalJson({ ...row, at: Date.parse(at) }))
    .digest('hex')
}
