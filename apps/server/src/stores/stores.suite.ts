import { createHash } from 'node:crypto'
import { canonicalJson } from '@gantt/scheduler-core'
import { createAuditStore } from '../db/audit.ts'
import type { PrismaClient } from '../db/prisma.ts'
import { parseAuditQuery } from '../services/audit-query.ts'
import type { Stores } from './stores.ts'

/** What an engine must bring so that the laws of its stores can be checked. */
export interface StoresEngine {
  readonly name: string
  /** Where several replicas keep the same; empty. */
  createPlace(): Promise<{
    /** One more replica's stores. */
    open(): Promise<Stores>
    /** What is in the tables once all that was kept is. */
    tables(): Promise<Tables>
    drop(): Promise<void>
  }>
}

export type StoresPlace = Awaited<ReturnType<StoresEngine['createPlace']>>

/** Ids in the tables. */
export interface Tables {
  readonly decisions: readonly string[]
  /** In the order of the chain, whose faults are listed. */
  readonly audit: readonly string[]
  readonly auditFaults: readonly string[]
}

/** What is in them now. */
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
