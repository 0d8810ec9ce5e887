import type { Code } from '@gantt/scheduler-core'
import type { Database, PrismaClient } from '../prisma.ts'
import type { LostTryRow } from './rows.ts'

/** An attempt to decide a request that did not count, as the log proves. */
export interface LostTry {
  /** The number of decisions of the request up to and including this one. */
  readonly attempt: number
  /** Revision of the entry that carried its proposal. */
  readonly revision: number
  /** Revision of the state that it was decided on. */
  readonly basis: number
  /** Store time, milliseconds since 1970. */
  readonly at: number
  /** Why the proposal did not count, as a code. */
  readonly code: Code
  /** Names of the hosts that it had chosen. */
  readonly hosts: readonly string[]
  /** Microseconds; null: not measured. */
  readonly tookUs: number | null
}

/** The lost attempts of one decision, oldest first. */
export async function readLostTries(prisma: PrismaClient, decision: string): Promise<readonly LostTry[]> {
  const rows = await prisma.lostTry.findMany({ where: { decisionId: decision }, orderBy: { attempt: 'asc' } })
  return rows.map(({ attempt, revision, basis, atMs, code, hosts, tookUs }) => ({
    attempt,
    revision: Number(revision),
    basis: Number(basis),
    at: Number(atMs),
    // only the projector writes the column, from a verdict of the judge
    code: code as Code,
    hosts,
    tookUs,
  }))
}

/** Stores attempts; one that is stored already is not changed. */
export const writeLostTries = (database: Database, rows: readonly LostTryRow[]): Promise<unknown> =>
  database.$executeRaw`
    INSERT INTO lost_try (decision_id, attempt, revision, basis, at_ms, code, hosts, took_us)
    SELECT * FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS row(decision_id uuid, attempt int, revision bigint, basis bigint,
      at_ms bigint, code text, hosts text[], took_us int)
    ON CONFLICT (decision_id, attempt) DO NOTHING`
