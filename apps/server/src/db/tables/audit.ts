import { canonicalJson } from '@gantt/scheduler-core'
import type { Query } from '@gantt/scheduler-core/query'
import { Prisma } from '../../generated/prisma/client.ts'
import type { PrismaClient } from '../prisma.ts'
import type { Database } from '../table-writer.ts'
import { auditQuerySql } from './audit-query.ts'
import { sha256 } from './receipts.ts'

/** The record of one mutation. */
export interface AuditEntry {
  /** The writer chooses the id. A repeated write therefore stores the entry only once. */
  readonly id: string
  /** Milliseconds since 1970. */
  readonly at: number
  readonly account: string
  readonly keyId: string
  readonly mutation: string
  /** A short description of the mutation's target. */
  readonly target: string
  /** Canonical JSON of the arguments, shortened, without secrets. */
  readonly summary: string
  /** The GraphQL type of the answer, or the code of the error. */
  readonly result: string
  readonly requestId: string
}

/** An entry at its position in the chain. */
export interface AuditRow extends AuditEntry {
  /** The row's position: 1, 2, 3, ... without gaps. */
  readonly seq: number
  /** The hash of the row before it; 64 zeros for the first. */
  readonly previous: string
  readonly hash: string
}

/** The end of a chain. Two chains with the same end have the same rows. */
export type AuditHead = Pick<AuditRow, 'seq' | 'hash'>

export const NO_ROWS: AuditHead = { seq: 0, hash: '0'.repeat(64) }

/** sha256 over the canonical JSON of the row without the hash. */
const hashOfRow = (row: Omit<AuditRow, 'hash'>): string => sha256(canonicalJson(row))

export interface AuditPage {
  readonly first: number
  readonly after?: number
  readonly oldestFirst: boolean
  readonly query: Query
}

/** Reads the chain of audit rows. */
export interface AuditStore {
  list(page: AuditPage): Promise<AuditRow[]>
  count(query: Query): Promise<number>
}

/** The latest time that a Date can hold, in milliseconds since 1970. */
const MAX_TIME = 8_640_000_000_000_000

/** A row that was edited by hand can contain any number as its time. Such a row is still shown, and its hash no longer matches. */
const toTime = (at: bigint): number => Math.max(-MAX_TIME, Math.min(MAX_TIME, Number(at)))

/** The lock that a writer holds in its transaction, so that only one replica writes at a time. */
const AUDIT_LOCK = 0x67616e77

/**
 * Appends entries to the hash chain. No other writer can append before the transaction ends. Returns the end of the chain before and after
 * this call.
 */
export async function appendAudit(
  tx: Database,
  entries: readonly AuditEntry[],
): Promise<{ readonly before: AuditHead; readonly head: AuditHead }> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(${AUDIT_LOCK}::bigint)`
  const [last] = await tx.$queryRaw<{ seq: bigint | string; hash: string }[]>`SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1`
  const before: AuditHead = last === undefined ? NO_ROWS : { seq: Number(last.seq), hash: last.hash }
  // an earlier COMMIT whose answer was lost may have stored these entries already
  const ids = entries.map(({ id }) => id)
  const kept = await tx.$queryRaw<{ id: string }[]>`SELECT id::text AS id FROM audit WHERE id = ANY(${ids}::uuid[])`
  const known = new Set(kept.map(({ id }) => id))
  let head = before
  const rows = entries.flatMap((entry): AuditRow[] => {
    if (known.has(entry.id)) return []
    known.add(entry.id)
    const row = { seq: head.seq + 1, previous: head.hash, ...entry }
    const chained: AuditRow = { hash: hashOfRow(row), ...row }
    head = chained
    return [chained]
  })
  if (rows.length > 0) {
    const documents = rows.map(({ at, keyId, requestId, ...row }) => ({ at_ms: at, key_id: keyId, request_id: requestId, ...row }))
    await tx.$executeRaw`
      INSERT INTO audit (seq, id, at_ms, account, key_id, mutation, target, summary, result, request_id, previous, hash)
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(documents)}::jsonb) AS row(seq bigint, id uuid, at_ms bigint, account text, key_id text,
        mutation text, target text, summary text, result text, request_id text, previous text, hash text)`
  }
  return { before, head: { seq: head.seq, hash: head.hash } }
}

/** The columns of a row (a) that `toAuditRow` reads. */
export const AUDIT_COLUMNS = Prisma.sql`a.seq, a.id::text AS id, a.at_ms AS at, a.account, a.key_id AS "keyId", a.mutation, a.target, a.summary,
  a.result, a.request_id AS "requestId", a.previous, a.hash`

export type RawAuditRow = Omit<AuditRow, 'seq' | 'at'> & { readonly seq: bigint; readonly at: bigint }

export const toAuditRow = (row: RawAuditRow): AuditRow => ({ ...row, seq: Number(row.seq), at: toTime(row.at) })

export function createAuditStore(prisma: PrismaClient): AuditStore {
  return {
    async list({ first, after, oldestFirst, query }) {
      const isAfter =
        after === undefined ? Prisma.sql`true` : oldestFirst ? Prisma.sql`a.seq > ${after}::bigint` : Prisma.sql`a.seq < ${after}::bigint`
      const order = oldestFirst ? Prisma.sql`ASC` : Prisma.sql`DESC`
      const rows = await prisma.$queryRaw<RawAuditRow[]>`
        SELECT ${AUDIT_COLUMNS} FROM audit a WHERE ${auditQuerySql(query, Date.now())} AND ${isAfter} ORDER BY a.seq ${order} LIMIT ${first}::int`
      return rows.map(toAuditRow)
    },
    async count(query) {
      const [row] = await prisma.$queryRaw<{ count: bigint }[]>`
        SELECT count(*) AS count FROM audit a WHERE ${auditQuerySql(query, Date.now())}`
      return Number(row?.count ?? 0)
    },
  }
}
