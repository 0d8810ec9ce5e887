import type { AuditEntry } from '../db/tables/audit.ts'
import type { StoredDecision } from '../db/tables/rows.ts'

/**
 * Records that are written once and are not in the log: decisions that claimed nothing, and the audit. Queries read them from tables.
 *
 * The law, which records.suite.ts holds every engine to:
 * - A stored record survives every crash and gets into the tables once, even if it is sent repeatedly: repeats have the same id.
 * - Audit entries of one call are chained in its order; calls have one order for all replicas.
 * - A call that rejects may have stored everything, a part, or nothing: it is repeated with the same ids.
 */
export interface RecordStore {
  /** Refusals and advice. */
  keepDecisions(decisions: readonly StoredDecision[]): Promise<void>
  keepAudit(entries: readonly AuditEntry[]): Promise<void>
  /** Resolves with true when the tables have all records that were stored at this call, with false if they do not in time. */
  caughtUp(timeoutMs: number): Promise<boolean>
  /** Whether there is room for more records, as far as is known; without room, calls that need a record are refused. */
  takesMore(): boolean
}

/** The default maximum size of records that wait for their tables: some hundred thousand refusals. */
export const DEFAULT_RECORD_BYTES = 268_435_456
