import type { Query } from '@gantt/scheduler-core/query'
import { Prisma } from '../generated/prisma/client.ts'
import { decisionQuerySql } from './decision-query.ts'
import type { Database, PrismaClient } from './prisma.ts'
import type { StoredDecision } from './rows.ts'

export type { StoredDecision } from './rows.ts'

export interface DecisionFilter {
  /** Terms that must hold too. */
  readonly query?: Query
  readonly outcome?: readonly string[]
  /** A host that was chosen. */
  readonly host?: string
  readonly instanceUuid?: string
  readonly requestSpecId?: string
  readonly account?: string
}

export interface DecisionStore {
  find(id: string): Promise<StoredDecision | undefined>
  /** Newest first. */
  list(
    page: { readonly first: number; readonly after?: { readonly at: number; readonly id: string } } & DecisionFilter,
  ): Promise<StoredDecision[]>
  count(filter: DecisionFilter): Promise<number>
  /** Keeps decisions that are not in the log. */
  insert(decisions: readonly StoredDecision[]): Promise<void>
}

interface DecisionRow {
  id: string
  outcome: string
  atMs: bigint
  caller: string
  requestSpecId: string
  document: unknown
}

export function createDecisionStore(
  prisma: PrismaClient,
  writeSpecs: (database: Database, decisions: readonly StoredDecision[]) => Promise<void>,
): DecisionStore {
  return {
    async find(id) {
      const row = await prisma.decision.findUnique({ where: { id } })
      return row === null ? undefined : toStored(row)
    },
    async list({ first, after, ...filter }) {
      const isAfter = after ? Prisma.sql`(d.at_ms < ${after.at} OR (d.at_ms = ${after.at} AND d.id > ${after.id}::uuid))` : Prisma.sql`true`
      const rows = await prisma.$queryRaw<DecisionRow[]>`
        SELECT d.id::text AS id, d.outcome, d.at_ms AS "atMs", d.caller, d.request_spec_id AS "requestSpecId", d.document
        FROM decision d WHERE ${whereOf(filter)} AND ${isAfter} ORDER BY d.at_ms DESC, d.id ASC LIMIT ${first}`
      return rows.map(toStored)
    },
    async count(filter) {
      const [row] = await prisma.$queryRaw<{ count: bigint }[]>`SELECT count(*) AS count FROM decision d WHERE ${whereOf(filter)}`
      return Number(row?.count ?? 0)
    },
    async insert(decisions) {
      await prisma.$transaction(async (tx) => {
        await writeSpecs(tx, decisions)
        await writeDecisions(tx, decisions)
      })
    },
  }
}

/** Everything given must hold. */
function whereOf({ outcome, host, instanceUuid, requestSpecId, account, query }: DecisionFilter): Prisma.Sql {
  return Prisma.join(
    [
      Prisma.sql`true`,
      ...(outcome ? [Prisma.sql`d.outcome = ANY(${[...outcome]})`] : []),
      ...(host ? [Prisma.sql`${host} = ANY(d.hosts)`] : []),
      ...(instanceUuid ? [Prisma.sql`${instanceUuid} = ANY(d.instance_uuids)`] : []),
      ...(requestSpecId ? [Prisma.sql`d.request_spec_id = ${requestSpecId}`] : []),
      ...(account ? [Prisma.sql`d.caller = ${account}`] : []),
      ...(query ? [decisionQuerySql(query, Date.now())] : []),
    ],
    ' AND ',
  )
}

const toStored = (row: DecisionRow): StoredDecision => ({
  ...(row.document as Pick<StoredDecision, 'record' | 'place' | 'answer' | 'claimIds' | 'reasons'>),
  id: row.id,
  outcome: row.outcome as StoredDecision['outcome'],
  at: Number(row.atMs),
  account: row.caller,
  requestSpecId: row.requestSpecId,
})

/** Keeps decisions; one that is there already stays as it is. */
export async function writeDecisions(database: Database, decisions: readonly StoredDecision[]): Promise<void> {
  if (decisions.length === 0) return
  const rows = decisions.map(({ id, outcome, at, account, requestSpecId, record, place, answer, claimIds, reasons }) => ({
    id,
    outcome,
    at_ms: at,
    caller: account,
    request_spec_id: requestSpecId,
    profile: record.profile,
    seed: record.seed,
    revision: place.basis,
    entry_id: place.entryId,
    entry_place: place.position,
    attempt: record.attempt,
    instance_uuids: record.request.instanceUuids,
    hosts: [...new Set(answer.map(({ selected }) => selected.host))],
    document: { record, place, answer, claimIds, reasons },
  }))
  await database.$executeRaw`
    INSERT INTO decision (id, outcome, at_ms, caller, request_spec_id, profile, seed, revision, entry_id, entry_place, attempt, instance_uuids, hosts, document)
    SELECT * FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS row(id uuid, outcome text, at_ms bigint, caller text, request_spec_id text,
      profile text, seed text, revision bigint, entry_id text, entry_place int, attempt int, instance_uuids text[], hosts text[], document jsonb)
    ON CONFLICT (id) DO NOTHING`
}
