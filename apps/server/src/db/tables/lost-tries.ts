import type { Code } from '@gantt/scheduler-core'
import type { PrismaClient } from '../prisma.ts'
import type { Database } from '../table-writer.ts'
import type { LostTryRow } from './rows.ts'

/** A lost attempt to decide a request: another change came first in the log, and the attempt's proposal conflicted with it. */
export interface LostTry {
  /** Which attempt of the request this was, counted from 1. */
  readonly attempt: number
  /** The revision of the entry with the attempt's proposal. */
  readonly revision: number
  /** The revision of the state on which the attempt was decided. */
  readonly basis: number
  /** The time by the store's clock, in milliseconds since 1970. */
  readonly at: number
  /** The code of the rule by which the proposal had no effect. */
  readonly code: Code
  /** The names of the selected hosts. */
  readonly hosts: readonly string[]
  /** The duration of the decision in microseconds; null if not measured. */
  readonly tookUs: number | null
}

/** The attempts of one decision whose proposals conflicted with other changes, oldest first. */
export async function readLostTries(prisma: PrismaClient, decision: string): Promise<readonly LostTry[]> {
  const rows = await prisma.lostTry.findMany({ where: { decisionId: decision }, orderBy: { attempt: 'asc' } })
  return rows.map(({ attempt, revision, basis, atMs, code, hosts, tookUs }) => ({
    attempt,
    revision: Number(revision),
    basis: Number(basis),
    at: Number(atMs),
    // only the projector writes this column, and it writes codes that scheduler-core defines
    code: code as Code,
    hosts,
    tookUs,
  }))
}

/** Stores attempts. Attempts that are stored already are not changed. */
export const writeLostTries = (database: Database, rows: readonly LostTryRow[]): Promise<unknown> =>
  database.$executeRaw`
    INSERT INTO lost_try (decision_id, attempt, revision, basis, at_ms, code, hosts, took_us)
    SELECT * FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS row(decision_id uuid, attempt int, revision bigint, basis bigint,
      at_ms bigint, code text, hosts text[], took_us int)
    ON CONFLICT (decision_id, attempt) DO NOTHING`
