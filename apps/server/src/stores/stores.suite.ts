import { createHash } from 'node:crypto'
import { canonicalJson } from '@gantt/scheduler-core'
import type { PrismaClient } from '../db/prisma.ts'
import { createAuditStore } from '../db/tables/audit.ts'
import { parseAuditQuery } from '../services/audit/audit-query.ts'
import type { Stores } from './stores.ts'

/** What an engine must provide so that the tests of its stores can run. */
export interface StoresEngine {
  readonly name: string
  /** Creates empty stores for several replicas. */
  createPlace(): Promise<{
    /** Opens the stores of another replica. */
    open(): Promise<Stores>
    /** Waits until the tables have all records, and reads them. */
    tables(): Promise<Tables>
    drop(): Promise<void>
  }>
}

export type StoresPlace = Awaited<ReturnType<StoresEngine['createPlace']>>

/** Ids in the tables. */
export interface Tables {
  readonly decisions: readonly string[]
  /** The ids of the audit entries in the order of the hash chain. `auditFaults` lists the chain's defects. */
  readonly audit: readonly string[]
  readonly auditFaults: readonly string[]
}

/** Reads the present content of the tables. */
export async function readTables(prisma: PrismaClient): Promise<Tables> {
  const decisions = await prisma.decision.findMany({ select: { id: true } })
  const rows = await createAuditStore(prisma).list({ first: 10_000, oldestFirst: true, query: EVERYTHING })
  let previous = '0'.repeat(64)
  const auditFaults = rows.flatMap(({ hash, ...row }, i) => {
    const isWhole = hash === createHash('sha256').update(canonicalJson(row)).digest('hex')
    const isNext = row.seq === i + 1 && row.previous === previous
    previous = hash
    return isWhole && isNext ? [] : [`row ${row.seq} is not as it was written, or does not follow`]
  })
  return { decisions: decisions.map(({ id }) => id), audit: rows.map(({ id }) => id), auditFaults }
}

const EVERYTHING = parseAuditQuery(null)
