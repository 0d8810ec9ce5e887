import type { RecordStore } from '../../stores/records.ts'
import type { PrismaClient } from '../prisma.ts'
import { type AuditHead, appendAudit, NO_ROWS } from './audit.ts'
import { writeDecisions } from './decisions.ts'
import { writeRequestSpecs } from './request-specs.ts'

export interface RecordStoreOptions {
  /** Returns true if every replica can read decisions in packed (binary) form. */
  mayPack(): boolean
  /** Warns operators if the audit lost rows that this process wrote. */
  warn(message: string): void
}

/** The timeout of a write transaction on a slow database, in milliseconds. The timeout for a connection is in db/session.ts. */
const TIMEOUTS = { timeout: 15_000 }

/** Writes records directly into their tables. */
export function createRecordStore(prisma: PrismaClient, { mayPack, warn }: RecordStoreOptions): RecordStore {
  let head: AuditHead = NO_ROWS
  return {
    keepDecisions: (decisions) =>
      prisma.$transaction(async (tx) => {
        await writeRequestSpecs(tx, decisions)
        await writeDecisions(tx, decisions, mayPack())
      }, TIMEOUTS),
    async keepAudit(entries) {
      // concurrent calls can end in another order than the one in which they wrote
      const known = head
      const { before, head: now } = await prisma.$transaction((tx) => appendAudit(tx, entries), TIMEOUTS)
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
