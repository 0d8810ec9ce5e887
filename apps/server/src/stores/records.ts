import type { AuditEntry } from '../db/audit.ts'
import type { StoredDecision } from '../db/rows.ts'

/**
 * What is written once and is not in the log: decisions that claimed nothing, and the audit. Tables have it for whoever asks.
 *
 * The law, which records.suite.ts holds every engine to:
 * - What was kept is not lost by a crash of anything, and gets into the tables once, however often it is sent: ids show repeats.
 * - Audit entries of one call are chained in its order; calls have one order for all replicas.
 * - A call that rejects may have kept everything, a part, or nothing: it is made again with the same ids.
 */
export interface RecordStore {
  /** Refusals and advice. */
  keepDecisions(decisions: readonly StoredDecision[]): Promise<void>
  keepAudit(entries: readonly AuditEntry[]): Promise<void>
  /** Resolves when the tables have all that any replica had kept at this call; false when they do not in time. */
  caughtUp(timeoutMs: number): Promise<boolean>
  /** Whether there is room for more, as far as is known: without it nothing is done that would have to be kept. */
  takesMore(): boolean
}

/** What waits for its tables takes at most so many bytes by default: some hundred thousand refusals. */
export const DEFAULT_RECORD_BYTES = 268_435_456
