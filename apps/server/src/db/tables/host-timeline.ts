import type { ClaimState, Code, FieldChange, HostName, HostStepKind } from '@gantt/scheduler-core'
import { Prisma } from '../../generated/prisma/client.ts'
import type { PrismaClient } from '../prisma.ts'
import { AUDIT_COLUMNS, type AuditRow, type RawAuditRow, toAuditRow } from './audit.ts'
import { type HostChangeSpan, readHostChangeSpan } from './host-changes.ts'

/**
 * The kinds of events of claims on a host: created, confirmed, ended, and a selection of the host that lost a conflict with another change.
 */
export const claimStepKinds = ['CLAIM_MADE', 'CLAIM_CONFIRMED', 'CLAIM_ENDED', 'TRY_LOST'] as const
export type ClaimStepKind = (typeof claimStepKinds)[number]
export type TimelineKind = HostStepKind | ClaimStepKind

/** An event of a host. */
export interface TimelineRow {
  readonly kind: TimelineKind
  /** The time by the store's clock, in milliseconds since 1970. */
  readonly at: number
  /**
   * The revision of the entry. Null for the confirmation or end of a claim that changed again later: only the time of such an event is
   * stored.
   */
  readonly revision: number | null
  readonly reason: string | null
  readonly aggregate: string | null
  readonly aggregateName: string | null
  readonly changes: readonly FieldChange[]
  readonly untold: number
  readonly claim: string | null
  readonly instanceUuid: string | null
  /** The final state of the claim. */
  readonly endedAs: ClaimState | null
  /** The account that holds the claim. */
  readonly account: string | null
  readonly decision: string | null
  readonly attempt: number | null
  /** The code of the conflict because of which the proposal of an attempt had no effect. */
  readonly code: Code | null
  /** The order among events with the same time. */
  readonly rank: number
  readonly key: string
}

/** The position of an event in a timeline, for pages that are sorted newest first. */
export type TimelinePlace = readonly [at: number, rank: number, key: string]

export interface TimelineQuery {
  /** All present and past names of the host. */
  readonly names: readonly HostName[]
  readonly kinds: readonly TimelineKind[]
  /** Events after this revision and time are left out. */
  readonly until?: { readonly revision: number; readonly at: number } | undefined
  readonly after?: TimelinePlace | undefined
  readonly first: number
}

export interface HostTimelineStore {
  list(query: TimelineQuery): Promise<readonly TimelineRow[]>
  count(query: Omit<TimelineQuery, 'after' | 'first'>): Promise<number>
  /** The first revision from which on the tables have events that are not about claims; undefined if they have none. */
  span(): Promise<HostChangeSpan | undefined>
  /** For each time, the edits of operators near that time. The nearest edit comes first. */
  edits(times: readonly number[]): Promise<readonly (readonly AuditRow[])[]>
}

/**
 * The audit records an edit by a replica's clock when the edit is answered. This time may be up to MAX_CLOCK_SKEW_MS earlier than the
 * edit's store time, because clocks differ, and up to MAX_AUDIT_DELAY_MS later.
 */
const MAX_CLOCK_SKEW_MS = 5_000
const MAX_AUDIT_DELAY_MS = 60_000
/** How many edits are examined for one time. */
const EDITS = 50

export function createHostTimelineStore(prisma: PrismaClient): HostTimelineStore {
  return {
    async list({ first, after, ...query }) {
      if (query.kinds.length === 0) return []
      const rows = await prisma.$queryRaw<(Omit<TimelineRow, 'at' | 'revision'> & { at: bigint; revision: bigint | null })[]>`
        SELECT * FROM (${stepsSql(query, after, first)}) AS step ORDER BY at DESC, rank DESC, key DESC LIMIT ${first}::int`
      return rows.map((row) => ({ ...row, at: Number(row.at), revision: row.revision === null ? null : Number(row.revision) }))
    },
    async count(query) {
      if (query.kinds.length === 0) return 0
      const [row] = await prisma.$queryRaw<{ count: bigint }[]>`SELECT count(*) AS count FROM (${stepsSql(query)}) AS step`
      return Number(row?.count ?? 0)
    },
    span: () => readHostChangeSpan(prisma),
    async edits(times) {
      if (times.length === 0) return []
      const rows = await prisma.$queryRaw<(RawAuditRow & { readonly place: bigint })[]>`
        SELECT asked.place, edit.* FROM unnest(${times.map(BigInt)}::bigint[]) WITH ORDINALITY AS asked(at_ms, place)
        CROSS JOIN LATERAL (
          SELECT ${AUDIT_COLUMNS} FROM audit a
          WHERE a.mutation IN ('hostSetStatus', 'hostForget', 'hostReadmit', 'hostReplace', 'aggregateCreate', 'aggregateUpdate', 'aggregateDelete', 'aggregateImport', 'claimRevoke')
            AND a.at_ms BETWEEN asked.at_ms - ${MAX_CLOCK_SKEW_MS}::bigint AND asked.at_ms + ${MAX_AUDIT_DELAY_MS}::bigint
          ORDER BY abs(a.at_ms - asked.at_ms), a.seq LIMIT ${EDITS}::int
        ) AS edit ORDER BY asked.place, abs(edit.at - asked.at_ms), edit.seq`
      return times.map((_, i) => rows.flatMap(({ place, ...row }) => (Number(place) === i + 1 ? [toAuditRow(row)] : [])))
    },
  }
}

type Asked = Omit<TimelineQuery, 'after' | 'first'>

/** The events of the requested kinds from all tables. Each table returns at most as many rows as a page needs. */
function stepsSql(query: Asked, after?: TimelinePlace, most?: number): Prisma.Sql {
  const page = (steps: Prisma.Sql): Prisma.Sql =>
    most === undefined
      ? steps
      : Prisma.sql`(SELECT * FROM (${steps}) AS one ${behind(after)} ORDER BY at DESC, rank DESC, key DESC LIMIT ${most}::int)`
  const asks = (kinds: readonly TimelineKind[]): boolean => kinds.some((kind) => query.kinds.includes(kind))
  const claims = claimStepKinds.filter((kind) => kind !== 'TRY_LOST')
  const isOwn = (kind: TimelineKind): boolean => !claimStepKinds.some((other) => other === kind)
  const parts = [
    ...(query.kinds.some(isOwn) ? [page(ownSql(query, after))] : []),
    ...(asks(claims) ? [page(claimsSql(query, after))] : []),
    ...(asks(['TRY_LOST']) ? [page(triesSql(query))] : []),
  ]
  return Prisma.join(parts, ' UNION ALL ')
}

const behind = (after: TimelinePlace | undefined): Prisma.Sql =>
  after === undefined ? Prisma.empty : Prisma.sql`WHERE (at, rank, key) < (${after[0]}::bigint, ${after[1]}::int, ${after[2]}::text)`

const pairsOf = (names: readonly HostName[]): Prisma.Sql =>
  Prisma.join(names.map(({ host, node }) => Prisma.sql`(${host}::text, ${node}::text)`))

/** The events of entries that change the host itself. */
const ownSql = ({ names, kinds, until }: Asked, after: TimelinePlace | undefined): Prisma.Sql => Prisma.sql`
  SELECT c.at_ms AS at, 0 AS rank, lpad(c.revision::text, 19, '0') || lpad(c.place::text, 10, '0') AS key, c.kind, c.revision,
    nullif(c.reason, '') AS reason, c.aggregate, c.aggregate_name AS "aggregateName", c.changes, c.untold, NULL::text AS claim,
    NULL::text AS "instanceUuid", NULL::text AS "endedAs", NULL::text AS account, NULL::text AS decision, NULL::int AS attempt, NULL::text AS code
  FROM host_change c
  WHERE (c.host, c.node) IN (${pairsOf(names)}) AND c.kind = ANY(${[...kinds]}::text[])
    ${after === undefined ? Prisma.empty : Prisma.sql`AND c.at_ms <= ${after[0]}::bigint`}
    ${until === undefined ? Prisma.empty : Prisma.sql`AND c.revision <= ${until.revision}::bigint`}`

/**
 * The events of claims on the host, at most three for each claim. A claim that was created as confirmed has no event of confirmation. Reads
 * all claims of the host that were created up to the position of the page.
 */
const claimsSql = ({ names, kinds, until }: Asked, after: TimelinePlace | undefined): Prisma.Sql => Prisma.sql`
  SELECT step.at, step.rank, c.id::text AS key, step.kind,
    CASE WHEN step.kind = 'CLAIM_MADE' THEN c.fence / 65536 WHEN step.is_last THEN c.revision END AS revision,
    CASE WHEN step.kind = 'CLAIM_ENDED' THEN c.document ->> 'reason' END AS reason, NULL::text AS aggregate, NULL::text AS "aggregateName",
    '[]'::jsonb AS changes, 0 AS untold, c.id::text AS claim, c.instance_uuid AS "instanceUuid",
    CASE WHEN step.kind = 'CLAIM_ENDED' THEN c.state END AS "endedAs", c.account, c.decision_id AS decision, NULL::int AS attempt, NULL::text AS code
  FROM claim c CROSS JOIN LATERAL (VALUES
    ('CLAIM_MADE', 1, c.created_at_ms, false),
    ('CLAIM_CONFIRMED', 2, nullif((c.document ->> 'confirmedAt')::bigint, c.created_at_ms), c.state = 'CONFIRMED'),
    ('CLAIM_ENDED', 3, (c.document ->> 'endedAt')::bigint, true)) AS step(kind, rank, at, is_last)
  WHERE (c.host, c.node) IN (${pairsOf(names)}) AND step.at IS NOT NULL AND step.kind = ANY(${[...kinds]}::text[])
    ${after === undefined ? Prisma.empty : Prisma.sql`AND c.created_at_ms <= ${after[0]}::bigint`}
    ${until === undefined ? Prisma.empty : Prisma.sql`AND step.at <= ${until.at}::bigint`}`

/** The events of decisions that had selected the host and then lost a conflict. Their rows contain the host's name without its node. */
const triesSql = ({ names, until }: Asked): Prisma.Sql => Prisma.sql`
  SELECT l.at_ms AS at, 4 AS rank, l.decision_id::text || lpad(l.attempt::text, 10, '0') AS key, 'TRY_LOST' AS kind, l.revision,
    NULL::text AS reason, NULL::text AS aggregate, NULL::text AS "aggregateName", '[]'::jsonb AS changes, 0 AS untold, NULL::text AS claim,
    NULL::text AS "instanceUuid", NULL::text AS "endedAs", NULL::text AS account, l.decision_id::text AS decision, l.attempt, l.code
  FROM lost_try l
  WHERE l.hosts && ${[...new Set(names.map(({ host }) => host))]}::text[]
    ${until === undefined ? Prisma.empty : Prisma.sql`AND l.revision <= ${until.revision}::bigint`}`
