import type { RecordStore } from '../../stores/records.ts'
import type { TableWriter } from '../table-writer.ts'
import { type AuditHead, appendAudit, NO_ROWS } from './audit.ts'
import { writeDecisions } from './decisions.ts'
import { writeRequestSpecs } from './request-specs.ts'

export interface RecordStoreOptions {
  /** Returns true if every replica can read decisions in packed (binary) form. */
  mayPack(): boolean
  /** Warns operators if the audit lost rows that this process wrote. */
  warn(message: string): void
}

/** The time limit of a transaction in milliseconds. */
const LIMIT_MS = 15_000

/** Writes records directly into their tables. */
export function createRecordStore(writer: Pick<TableWriter, 'transaction'>, { mayPack, warn }: RecordStoreOptions): RecordStore {
  let head: AuditHead = NO_ROWS
  return {
    keepDecisions: (decisions) =>
      writer.transaction(async (tx) => {
        await writeRequestSpecs(tx, decisions)
        await writeDecisions(tx, decisions, mayPack())
      }, LIMIT_MS),
    async keepAudit(entries) {
      // concurrent calls can end in another order than the one in which they wrote
      const known = head
      const { before, head: now } = await writer.transaction((tx) => appendAudit(tx, entries), LIMIT_MS)
      warnIfBack(before, known, warn)
      if (now.seq > head.seq || before.seq < known.seq) head = now
    },
    caughtUp: async () => true,
    takesMore: () => true,
  }
}

/** Warns operators if the audit in the database has fewer rows than this process has seen. */
export function warnIfBack(found: AuditHead, known: AuditHead, warn: (message: string) => void): void {
  if (found.seq < known.seq)
    warn(`the audit lost rows: row ${known.seq} was written, but the last row is ${found.seq}; rows were removed or a backup was restored`)
}
