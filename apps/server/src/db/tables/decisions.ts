import { allNamesIn, type KeptDecision, type PublishedSpec, packDecision, type StoredFields, unpackDecision } from '@gantt/scheduler-core'
import type { Query } from '@gantt/scheduler-core/query'
import { mapAheadOfQueries, mapYielding } from '../../event-loop/lists.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import type { PrismaClient } from '../prisma.ts'
import type { Database } from '../table-writer.ts'
import { ANSWERED, decisionQuerySql, type HostNames, hostsSql } from './decision-query.ts'
import { type LostTry, readLostTries } from './lost-tries.ts'
import { hashesOf, searchedOf } from './receipts.ts'
import type { KeptReceipt, StoredDecision, UnreadableDecision } from './rows.ts'

export type { StoredDecision, UnreadableDecision } from './rows.ts'

export interface DecisionFilter {
  /** Further terms of the query, all of which must match. */
  readonly query?: Query
  readonly outcome?: readonly string[]
  /** The name of a selected host. */
  readonly host?: string
  /** The names of hosts that have several names. `host` and `query` also find decisions with the other names of a host. */
  readonly names?: HostNames
  readonly instanceUuid?: string
  readonly requestSpecId?: string
  readonly account?: string
  /** Decisions at or after this store time, milliseconds since 1970. */
  readonly since?: number
}

export interface DecisionStore {
  find(id: string): Promise<StoredDecision | undefined>
  /** The stored decisions with these ids, in the order in which they were made. */
  findAll(ids: readonly string[]): Promise<(StoredDecision | UnreadableDecision)[]>
  /** Decisions, newest first. */
  list(
    page: { readonly first: number; readonly after?: { readonly at: number; readonly id: string } } & DecisionFilter,
  ): Promise<(StoredDecision | UnreadableDecision)[]>
  count(filter: DecisionFilter): Promise<number>
  /** The attempts that preceded the decision and had no effect, because another change came first in the log. Oldest first. */
  lostTries(id: string): Promise<readonly LostTry[]>
  /**
   * Ids of the requests that each decision answered, by decision id, in the order of the requests. Only requests in the audit are known.
   */
  requestIds(ids: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>
  /** A uniform random sample of the decisions by any version of a profile between two store times, and the count of all these decisions. */
  sample(wanted: { readonly profileName: string; readonly since: number; readonly until: number; readonly limit: number }): Promise<{
    readonly total: number
    readonly decisions: readonly (StoredDecision | UnreadableDecision)[]
  }>
  /**
   * Stores the hash of a decision's verdicts unless one is stored already. Returns the stored hash and its time; undefined if the decision
   * is unknown.
   */
  keepMatrix(id: string, hash: string): Promise<Pick<KeptReceipt, 'matrix' | 'matrixAt'> | undefined>
}

/** Refusals, and placements that claim nothing. They are not in the log, so other replicas find them only in the tables. */
export interface UnloggedDecisions {
  /** The ids and ages of the decisions outside of the log that were made within this time (by the database's clock), oldest first. */
  unlogged(withinMs: number): Promise<readonly { readonly id: string; readonly agoMs: number }[]>
}

/** One statement writes this many decisions. Each takes about a millisecond to hash and pack, or longer if it has many instances. */
const STATEMENT_DECISIONS = 25

/**
 * One statement reads this many decisions. A row of a request for many instances takes about half a millisecond to decode, all rows of a
 * statement are decoded at once, and the process does other work between two statements.
 */
const READ_DECISIONS = 20

interface DecisionRow {
  id: string
  outcome: string
  atMs: bigint
  caller: string
  requestSpecId: string
  document: unknown
  packed: Uint8Array | null
  profile: string
  seed: string
  attempt: number
  revision: bigint
  entryId: string | null
  entryPlace: number | null
  claimIds: string[] | null
  inputsHash: Uint8Array | null
  decidedHash: Uint8Array | null
  rowHash: Uint8Array | null
  hosts: string[]
  instanceUuids: string[]
  matrixHash: Uint8Array | null
  matrixAtMs: bigint | null
  tookUs: number | null
  /** The document of the request; null if the decision is not stored in packed (binary) form. */
  request: unknown
}

const SELECT = Prisma.sql`
  SELECT d.id::text AS id, d.outcome, d.at_ms AS "atMs", d.caller, d.request_spec_id AS "requestSpecId", d.document, d.packed, d.profile, d.seed,
    d.attempt, d.revision, d.entry_id AS "entryId", d.entry_place AS "entryPlace", d.claim_ids::text[] AS "claimIds", d.inputs_hash AS "inputsHash",
    d.decided_hash AS "decidedHash", d.row_hash AS "rowHash", d.hosts, d.instance_uuids AS "instanceUuids", d.matrix_hash AS "matrixHash", d.matrix_at_ms AS "matrixAtMs",
    d.took_us AS "tookUs",
    CASE WHEN d.packed IS NULL THEN NULL ELSE (SELECT r.document FROM request_spec r WHERE r.id = d.request_spec_id) END AS request
  FROM decision d`

/** The error for a decision whose record in the tables was written by a newer release or is damaged. */
export class UnreadableDecisionError extends RangeError {
  override readonly name = 'UnreadableDecisionError'
  readonly reason: string

  constructor(id: string, reason: string) {
    super(`decision ${id} is in the tables and cannot be read: ${reason}`)
    this.reason = reason
  }
}

export function createDecisionStore(prisma: PrismaClient): DecisionStore & UnloggedDecisions {
  /** Reads the decisions that `wanted` (conditions, order and limit in SQL) selects, in its order. It selects at most `most` decisions. */
  const readRows = async (wanted: Prisma.Sql, most: number): Promise<(StoredDecision | UnreadableDecision)[]> => {
    if (most <= READ_DECISIONS) return mapYielding(await prisma.$queryRaw<DecisionRow[]>`${SELECT} ${wanted}`, toListed)
    const ids = await prisma.$queryRaw<{ id: string }[]>`SELECT d.id::text AS id FROM decision d ${wanted}`
    const read: (StoredDecision | UnreadableDecision)[] = []
    for (let from = 0; from < ids.length; from += READ_DECISIONS) {
      const some = ids.slice(from, from + READ_DECISIONS).map(({ id }) => id)
      const rows = await prisma.$queryRaw<DecisionRow[]>`${SELECT} WHERE d.id = ANY(${some}::uuid[])`
      const byId = new Map(rows.map((row) => [row.id, row]))
      // a decision that was deleted meanwhile is left out
      read.push(
        ...(await mapYielding(
          some.flatMap((id) => byId.get(id) ?? []),
          toListed,
        )),
      )
    }
    return read
  }
  return {
    async find(id) {
      if (!UUID.test(id)) return undefined
      const [row] = await prisma.$queryRaw<DecisionRow[]>`${SELECT} WHERE d.id = ${id}::uuid`
      return row === undefined ? undefined : toStored(row)
    },
    findAll: (ids) =>
      readRows(Prisma.sql`WHERE d.id = ANY(${ids.filter((id) => UUID.test(id))}::uuid[]) ORDER BY d.at_ms, d.id`, ids.length),
    list({ first, after, ...filter }) {
      const isAfter = after ? Prisma.sql`(d.at_ms < ${after.at} OR (d.at_ms = ${after.at} AND d.id > ${after.id}::uuid))` : Prisma.sql`true`
      return readRows(Prisma.sql`WHERE ${whereOf(filter)} AND ${isAfter} ORDER BY d.at_ms DESC, d.id ASC LIMIT ${first}`, first)
    },
    async count(filter) {
      const [row] = await prisma.$queryRaw<{ count: bigint }[]>`SELECT count(*) AS count FROM decision d WHERE ${whereOf(filter)}`
      return Number(row?.count ?? 0)
    },
    async unlogged(withinMs) {
      const rows = await prisma.$queryRaw<{ id: string; agoMs: bigint }[]>(unloggedSql(withinMs))
      return rows.map(({ id, agoMs }) => ({ id, agoMs: Number(agoMs) }))
    },
    lostTries: async (id) => (UUID.test(id) ? readLostTries(prisma, id) : []),
    async requestIds(ids) {
      const rows = await prisma.$queryRaw<{ id: string; requestIds: string[] }[]>`
        SELECT a.target AS id, array_agg(a.request_id ORDER BY a.seq) AS "requestIds" FROM audit a
        WHERE ${ANSWERED} AND a.target = ANY(${[...ids]}) GROUP BY a.target`
      return new Map(rows.map(({ id, requestIds }) => [id, [...new Set(requestIds)]]))
    },
    async sample({ profileName, since, until, limit }) {
      const isWanted = Prisma.sql`d.at_ms >= ${since} AND d.at_ms <= ${until} AND split_part(d.profile, '@', 1) = ${profileName}`
      const [counted] = await prisma.$queryRaw<{ count: bigint }[]>`SELECT count(*) AS count FROM decision d WHERE ${isWanted}`
      // ids are random, so the first ids in their order are a random sample, which is the same for every reader
      const decisions = await readRows(Prisma.sql`WHERE ${isWanted} ORDER BY d.id LIMIT ${limit}`, limit)
      return { total: Number(counted?.count ?? 0), decisions }
    },
    async keepMatrix(id, hash) {
      const bytes = Buffer.from(hash, 'hex')
      const [row] = await prisma.$queryRaw<Pick<DecisionRow, 'matrixHash' | 'matrixAtMs'>[]>`
        UPDATE decision SET matrix_hash = coalesce(matrix_hash, ${bytes}),
          matrix_at_ms = coalesce(matrix_at_ms, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
        WHERE id = ${id}::uuid RETURNING matrix_hash AS "matrixHash", matrix_at_ms AS "matrixAtMs"`
      return row && { matrix: hexOf(row.matrixHash), matrixAt: Number(row.matrixAtMs) }
    },
  }
}

/** The clock is read in a separate query, because a value that may change for each row would prevent the use of an index. */
export function unloggedSql(withinMs: number): Prisma.Sql {
  const now = Prisma.sql`(SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint)`
  return Prisma.sql`
    SELECT d.id::text AS id, ${now} - d.at_ms AS "agoMs" FROM decision d
    WHERE d.at_ms >= ${now} - ${Math.ceil(withinMs)}::bigint AND d.entry_id IS NULL ORDER BY d.at_ms, d.id`
}

/** The condition that all parts of the filter match. */
function whereOf({ outcome, host, instanceUuid, requestSpecId, account, since, query, names = [] }: DecisionFilter): Prisma.Sql {
  return Prisma.join(
    [
      Prisma.sql`true`,
      ...(outcome ? [Prisma.sql`d.outcome = ANY(${[...outcome]})`] : []),
      ...(host ? [hostsSql(allNamesIn(names)(host))] : []),
      ...(instanceUuid ? [Prisma.sql`${instanceUuid} = ANY(d.instance_uuids)`] : []),
      ...(requestSpecId ? [Prisma.sql`d.request_spec_id = ${requestSpecId}`] : []),
      ...(account ? [Prisma.sql`d.caller = ${account}`] : []),
      ...(since === undefined ? [] : [Prisma.sql`d.at_ms >= ${since}`]),
      ...(query ? [decisionQuerySql(query, Date.now(), names)] : []),
    ],
    ' AND ',
  )
}

/** The JSON document of a decision that is not stored in packed (binary) form. */
type Document = Pick<StoredDecision, 'record' | 'place' | 'answer' | 'claimIds' | 'reasons' | 'cause'>

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const hexOf = (bytes: Uint8Array | null): string | null => (bytes === null ? null : Buffer.from(bytes).toString('hex'))

const toStored = (row: DecisionRow): StoredDecision => ({
  ...documentOf(row),
  id: row.id,
  outcome: outcomeOf(row),
  at: Number(row.atMs),
  account: row.caller,
  requestSpecId: row.requestSpecId,
  tookUs: row.tookUs,
  searched: { hosts: row.hosts, instanceUuids: row.instanceUuids },
  receipt: {
    inputs: hexOf(row.inputsHash),
    decided: hexOf(row.decidedHash),
    row: hexOf(row.rowHash),
    matrix: hexOf(row.matrixHash),
    matrixAt: row.matrixAtMs === null ? null : Number(row.matrixAtMs),
  },
})

/**
 * Converts a row. If the row cannot be read, returns an UnreadableDecision instead of throwing, because the other rows must still be
 * listed.
 */
function toListed(row: DecisionRow): StoredDecision | UnreadableDecision {
  try {
    return toStored(row)
  } catch (error) {
    if (!(error instanceof UnreadableDecisionError)) throw error
    const { id, outcome, atMs, caller } = row
    return { id, outcome: isOutcome(outcome) ? outcome : null, at: Number(atMs), account: caller, unreadable: error.reason }
  }
}

/** True if the record of the decision is damaged or from a newer release. Only the columns of the row can then be read. */
export const isUnreadable = (row: StoredDecision | UnreadableDecision): row is UnreadableDecision => 'unreadable' in row

/**
 * The document of a row. A decision is usually stored in packed (binary) form, next to its columns and its request. A decision without
 * packed form is stored completely in the column `document`.
 */
function documentOf({ id, packed, document, request, ...row }: DecisionRow): Document {
  if (packed === null) return longForm(id, document)
  const refusal = refusalIn(document)
  if (refusal === undefined) throw new UnreadableDecisionError(id, 'its reasons are damaged')
  if (request === null) throw new UnreadableDecisionError(id, `its request ${row.requestSpecId} is not in the tables`)
  const { profile, seed, attempt } = row
  return {
    ...unpackOrSay(packed, { id, request: request as PublishedSpec, profile, seed, attempt }),
    place: { basis: Number(row.revision), entryId: row.entryId, position: row.entryPlace },
    claimIds: row.claimIds ?? [],
    ...refusal,
  }
}

/**
 * The document of a row without packed form. Such a row was written before every replica could read packed decisions, could not be packed,
 * or lost its packed form.
 */
function longForm(id: string, document: unknown): Document {
  if (!isLongForm(document)) throw new UnreadableDecisionError(id, 'it is not packed, and its long form is damaged')
  return document
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isListOf = (value: unknown, isOne: (one: unknown) => boolean): value is readonly unknown[] =>
  Array.isArray(value) && value.every(isOne)
const isText = (value: unknown): value is string => typeof value === 'string'

const isInstance = (one: unknown): boolean => isObject(one) && isListOf(one.filters, isObject) && isListOf(one.best, isObject)
const isDestination = (one: unknown): boolean => isObject(one) && isText(one.host) && isText(one.node) && isObject(one.limits)
const isAnswer = (one: unknown): boolean => isObject(one) && isDestination(one.selected) && isListOf(one.alternates, isDestination)
const isReason = (one: unknown): boolean =>
  isObject(one) && isText(one.filter) && isText(one.code) && isText(one.text) && Number.isInteger(one.hosts)

const isCause = (one: unknown): boolean =>
  isObject(one) &&
  (one.code === null || isText(one.code)) &&
  isText(one.text) &&
  (one.admitted === null || Number.isInteger(one.admitted)) &&
  (one.nearest === null || (isObject(one.nearest) && isText(one.nearest.host) && isText(one.nearest.node)))

/** Returns true if the document is a whole decision. The fields of the record are not checked here, because readers parse them. */
const isLongForm = (document: unknown): document is Document =>
  isObject(document) &&
  isObject(document.record) &&
  isObject(document.record.request) &&
  isText(document.record.profile) &&
  isText(document.record.seed) &&
  isListOf(document.record.instances, isInstance) &&
  isObject(document.place) &&
  Number.isInteger(document.place.basis) &&
  isListOf(document.answer, isAnswer) &&
  isListOf(document.claimIds, isText) &&
  isRefusal(document)

type Refusal = Pick<Document, 'reasons' | 'cause'>

const isRefusal = (document: Readonly<Record<string, unknown>>): boolean =>
  isListOf(document.reasons, isReason) && (document.cause === undefined || isCause(document.cause))

/** Reasons and cause of a packed decision, from their columns; undefined if the columns were changed. */
function refusalIn(document: unknown): Refusal | undefined {
  if (!isObject(document)) return undefined
  const { reasons = [], cause } = document as Partial<Refusal>
  return isRefusal({ reasons, cause }) ? { reasons, ...(cause !== undefined && { cause }) } : undefined
}

const outcomes = ['PLACED', 'PARTIAL', 'NO_VALID_HOST'] as const satisfies readonly StoredDecision['outcome'][]
const isOutcome = (text: string): text is StoredDecision['outcome'] => outcomes.some((one) => one === text)

function outcomeOf({ id, outcome }: DecisionRow): StoredDecision['outcome'] {
  if (!isOutcome(outcome)) throw new UnreadableDecisionError(id, `its outcome is ${outcome}, which is none of ${outcomes.join(', ')}`)
  return outcome
}

function unpackOrSay(packed: Uint8Array, columns: StoredFields): KeptDecision {
  try {
    return unpackDecision(packed, columns)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new UnreadableDecisionError(columns.id, message.replace(`decision ${columns.id}`, 'it'))
  }
}

/** Stores decisions. Decisions that are stored already are not changed. */
export async function writeDecisions(database: Database, decisions: readonly StoredDecision[], mayPack: boolean): Promise<void> {
  for (let from = 0; from < decisions.length; from += STATEMENT_DECISIONS)
    await writeTogether(database, decisions.slice(from, from + STATEMENT_DECISIONS), mayPack)
}

async function writeTogether(database: Database, decisions: readonly StoredDecision[], mayPack: boolean): Promise<void> {
  const rows = await mapAheadOfQueries(decisions, (decision) => rowOf(decision, mayPack))
  await database.$executeRaw`
    INSERT INTO decision (id, outcome, at_ms, caller, request_spec_id, profile, seed, revision, entry_id, entry_place, attempt, took_us, instance_uuids, hosts, document,
      packed, claim_ids, inputs_hash, decided_hash, row_hash)
    SELECT id, outcome, at_ms, caller, request_spec_id, profile, seed, revision, entry_id, entry_place, attempt, took_us, instance_uuids, hosts, document,
      decode(packed, 'base64'), claim_ids, decode(inputs_hash, 'hex'), decode(decided_hash, 'hex'), decode(row_hash, 'hex')
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS row(id uuid, outcome text, at_ms bigint, caller text, request_spec_id text,
      profile text, seed text, revision bigint, entry_id text, entry_place int, attempt int, took_us int, instance_uuids text[], hosts text[], document jsonb,
      packed text, claim_ids uuid[], inputs_hash text, decided_hash text, row_hash text)
    ON CONFLICT (id) DO NOTHING`
}

function rowOf(decision: StoredDecision, mayPack: boolean) {
  const { id, outcome, at, account, requestSpecId, record, place, answer, claimIds, reasons, cause, tookUs } = decision
  const { hosts, instanceUuids } = searchedOf(decision)
  const { document, packed, claim_ids } = packedOr(
    { record, place, answer, claimIds, reasons, ...(cause !== undefined && { cause }) },
    mayPack,
  )
  const { inputs_hash, decided_hash, row_hash } = hashesOf(decision)
  return {
    document,
    packed,
    claim_ids,
    inputs_hash,
    decided_hash,
    row_hash,
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
    took_us: tookUs ?? null,
    instance_uuids: instanceUuids,
    hosts,
  }
}

/** The packed form if every replica supports it and it can contain the whole decision, and otherwise the JSON document. */
function packedOr(decision: Document, mayPack: boolean) {
  const { place: _columns, claimIds, reasons, cause, ...kept } = decision
  const packed = mayPack && claimIds.every((id) => UUID.test(id)) ? packDecision(kept) : undefined
  if (packed === undefined) return { document: decision, packed: null, claim_ids: null }
  return {
    document: { ...(reasons.length > 0 && { reasons }), ...(cause !== undefined && { cause }) },
    packed: Buffer.from(packed.buffer, packed.byteOffset, packed.length).toString('base64'),
    claim_ids: claimIds.length > 0 ? claimIds : null,
  }
}
