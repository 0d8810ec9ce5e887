import type { AuditEntry } from '../db/audit.ts'
import type { StoredDecision } from '../db/rows.ts'

/**
 * What is told once and is not in the log: decisions that claimed nothing, and the audit. Tables have it for whoever asks.
 *
 * The law, which records.suite.ts holds every engine to:
 * - What was kept is not lost by a crash of anything, and gets into the tables once, however often it is sent: ids tell.
 * - Audit entries of one call are chained in its order; calls have one order for all replicas.
 * - A call that rejects may have kept everything, a part, or nothing: it is made again with the same ids.
 */
export interface RecordStore {
  /** Refusals and advice. */
  keepDecisions(decisions: readonly StoredDecision[]): Promise<void>
  keepAudit(entries: readonly AuditEntry[]): Promise<void>
}
