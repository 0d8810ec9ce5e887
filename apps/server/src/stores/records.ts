import type { AuditEntry } from '../db/tables/audit.ts'
import type { StoredDecision } from '../db/tables/rows.ts'

/**
 * Records that are written once and are not in the log: decisions that claimed nothing, and the audit. Queries read them from tables.
 *
 * The laws, which records.suite.ts checks for every engine:
 * - A stored record survives every crash and is in the tables once, even if it is sent repeatedly, because copies have the same id.
 * - Audit entries of one call are chained in the order of the call. Calls have one order for all replicas.
 * - A call that rejects may have stored everything, a part, or nothing. It is repeated with the same ids.
 */
export interface RecordStore {
  /** Stores decisions that are not in the log: refusals, and placements that claim nothing. */
  keepDecisions(decisions: readonly StoredDecision[]): Promise<void>
  keepAudit(entries: readonly AuditEntry[]): Promise<void>
  /** Resolves with true when the tables have all records that were stored at this call, and with false after a timeout. */
  caughtUp(timeoutMs: number): Promise<boolean>
  /** Returns true if more records can be stored, as far as is known. If not, calls that need a record are refused. */
  takesMore(): boolean
}

/** The default maximum size of records that wait for their tables. That is several hundred thousand refusals. */
export const DEFAULT_RECORD_BYTES = 268_435_456
