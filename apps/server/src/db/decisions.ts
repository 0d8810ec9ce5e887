import type { Database, PrismaClient } from './prisma.ts'
import type { StoredDecision } from './rows.ts'

export type { StoredDecision } from './rows.ts'

export interface DecisionFilter {
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
      const rows = await prisma.decision.findMany({
        take: first,
        orderBy: [{ atMs: 'desc' }, { id: 'asc' }],
        where: {
          ...whereOf(filter),
          ...(after ? { OR: [{ atMs: { lt: after.at } }, { atMs: after.at, id: { gt: after.id } }] } : {}),
        },
      })
      return rows.map(toStored)
    },
    count: (filter) => prisma.decision.count({ where: whereOf(filter) }),
    async insert(decisions) {
      await prisma.$transaction(async (tx) => {
        await writeSpecs(tx, decisions)
        await writeDecisions(tx, decisions)
      })
    },
  }
}

const whereOf = ({ outcome, host, instanceUuid, requestSpecId, account }: DecisionFilter) => ({
  ...(outcome ? { outcome: { in: [...outcome] } } : {}),
  ...(host ? { hosts: { has: host } } : {}),
  ...(instanceUuid ? { instanceUuids: { has: instanceUuid } } : {}),
  ...(requestSpecId ? { requestSpecId } : {}),
  ...(account ? { caller: account } : {}),
})

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
