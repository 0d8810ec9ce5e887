import { isOfTime, type Query, type Span } from '@gantt/scheduler-core/query'
import { Prisma } from '../../generated/prisma/client.ts'
import type { PrismaClient } from '../prisma.ts'
import { CAUSE, CHAIN, decisionQuerySql, FLAVOR, type HostNames, PROJECT, spanSql } from './decision-query.ts'

/** The fields by which decisions are grouped. */
export type DecisionGrouping = 'CAUSE' | 'FLAVOR' | 'PROJECT' | 'PROFILE' | 'CHAIN'

/** Decisions of a query in a range of store time. The query's own terms about time are ignored. */
export interface Counted {
  readonly query: Query
  readonly span: Span
  /** The names of hosts that have several names. A search for one of a host's names also finds decisions with its other names. */
  readonly names: HostNames
}

/** The time range that the newest decisions of a query cover. */
export interface Reach {
  readonly decisions: number
  /** The time of the oldest of these decisions; undefined if the query finds none. */
  readonly since: number | undefined
  /** True if older decisions exist that are not counted. */
  readonly isCut: boolean
}

/** How many decisions have each outcome. Decisions with an unreadable outcome are counted only in `decisions`. */
export interface OutcomeCounts {
  readonly decisions: number
  readonly placed: number
  readonly partial: number
  readonly noValidHost: number
}

export interface StepOutcomes extends OutcomeCounts {
  /** The index of the step. Step 0 begins at the time `base`. */
  readonly step: number
}

export interface KeyCount {
  /** The value of the field by which decisions are grouped; null for decisions without the field. */
  readonly key: string | null
  readonly decisions: number
  /** The count of decisions in which an instance was not placed. */
  readonly failed: number
  /** The store time of the newest decision. */
  readonly lastAt: number
}

export interface DecisionCountStore {
  /** The range of the newest decisions, at most MAX_COUNTED. Decisions of one millisecond are either all counted or all left out. */
  reach(counted: Counted): Promise<Reach>
  /** The steps that have decisions. Step 0 begins at `base`, which must not be later than the start of the range. */
  steps(counted: Counted, base: number, stepMs: number): Promise<StepOutcomes[]>
  /** The groups, largest first, and the count of all groups. */
  groups(counted: Counted, by: DecisionGrouping, first: number): Promise<{ readonly groups: KeyCount[]; readonly total: number }>
}

/** How many of the newest decisions of a query are counted. */
export const MAX_COUNTED = 100_000

const keys: Readonly<Record<DecisionGrouping, Prisma.Sql>> = {
  CAUSE: Prisma.sql`(SELECT why.code FROM (${CAUSE}) AS why)`,
  FLAVOR,
  PROJECT,
  PROFILE: Prisma.sql`d.profile`,
  CHAIN,
}

/** Counts a limited set of decisions in the tables. Tests set the limit `most`. */
export function createDecisionCountStore(prisma: PrismaClient, most = MAX_COUNTED): DecisionCountStore {
  return {
    async reach(counted) {
      const [row] = await prisma.$queryRaw<{ found: number; first: bigint | null; after: number; second: bigint | null }[]>`
        WITH found AS MATERIALIZED (
          SELECT d.at_ms FROM decision d WHERE ${isCounted(counted)} ORDER BY d.at_ms DESC LIMIT ${most + 1}::int)
        SELECT (SELECT count(*)::int FROM found) AS found, extent.first, count(later.at_ms)::int AS after, min(later.at_ms) AS second
        FROM (SELECT min(at_ms) AS first FROM found) extent LEFT JOIN found later ON later.at_ms > extent.first
        GROUP BY extent.first`
      const { found = 0, first = null, after = 0, second = null } = row ?? {}
      const isCut = found > most
      const since = isCut ? second : first
      return { decisions: isCut ? after : found, since: since === null ? undefined : Number(since), isCut }
    },
    async steps(counted, base, stepMs) {
      return prisma.$queryRaw<StepOutcomes[]>`
        SELECT ((d.at_ms - ${base}::bigint) / ${stepMs}::bigint)::int AS step, count(*)::int AS decisions,
          count(*) FILTER (WHERE d.outcome = 'PLACED')::int AS placed, count(*) FILTER (WHERE d.outcome = 'PARTIAL')::int AS partial,
          count(*) FILTER (WHERE d.outcome = 'NO_VALID_HOST')::int AS "noValidHost"
        FROM decision d WHERE ${isCounted(counted)} GROUP BY step ORDER BY step`
    },
    async groups(counted, by, first) {
      const rows = await prisma.$queryRaw<(Omit<KeyCount, 'lastAt'> & { lastAt: bigint; total: number })[]>`
        SELECT one.key, count(*)::int AS decisions, count(*) FILTER (WHERE one.outcome IN ('PARTIAL', 'NO_VALID_HOST'))::int AS failed,
          max(one.at_ms) AS "lastAt", (count(*) OVER ())::int AS total
        FROM (SELECT d.outcome, d.at_ms, ${keys[by]} AS key FROM decision d WHERE ${isCounted(counted)}) one
        GROUP BY one.key ORDER BY decisions DESC, one.key NULLS LAST LIMIT ${first}::int`
      return {
        groups: rows.map(({ total: _, lastAt, ...group }) => ({ ...group, lastAt: Number(lastAt) })),
        total: rows[0]?.total ?? 0,
      }
    },
  }
}

function isCounted({ query, span, names }: Counted): Prisma.Sql {
  const { terms } = query
  // the range already contains the query's terms about time; without these terms the current time has no effect, so 0 is passed
  const others = decisionQuerySql({ terms: terms.filter((term) => !isOfTime(term)) }, 0, names)
  return Prisma.join([others, ...spanSql(Prisma.sql`d.at_ms`, span)], ' AND ')
}
