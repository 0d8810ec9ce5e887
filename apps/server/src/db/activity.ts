import { currentSpec, type PublishedSpec, type RequestSpec } from '@gantt/scheduler-core'
import { Prisma } from '../generated/prisma/client.ts'
import { CAUSE } from './decision-query.ts'
import type { PrismaClient } from './prisma.ts'

/** A span of store time, milliseconds since 1970, in steps of equal length, of which the last may be cut: `since` is in it, `until` is not. */
export interface Span {
  readonly since: number
  readonly until: number
  readonly stepMs: number
}

/** Decisions of one step. */
export interface StepCount {
  /** Its begin. */
  readonly at: number
  readonly decisions: number
  /** Those in which an instance found no host. */
  readonly failed: number
}

/** Failed decisions with the same code for which the last hosts left were refused. */
export interface FailureCount {
  readonly code: string
  readonly decisions: number
  /** The sentences of the newest of them. */
  readonly text: string
}

export interface FlavorCount {
  readonly flavor: RequestSpec['flavor']
  readonly decisions: number
}

/** How long deciding took, milliseconds: half of the decisions at most `p50Ms`, 99 of 100 at most `p99Ms`. Both were measured. */
export interface Durations {
  readonly p50Ms: number
  readonly p99Ms: number
}

export interface SpanDurations {
  /** Undefined: none was measured. */
  readonly all: Durations | undefined
  /** By the place of the step; of steps in which none was measured there is none. */
  readonly steps: ReadonlyMap<number, Durations>
  /** Whether there were as many as are looked at: then these are the newest. */
  readonly isCut: boolean
}

/** What was asked and what came of it. */
export interface ActivityStore {
  /** Every step of the span, those without a decision too. */
  steps(span: Span): Promise<StepCount[]>
  durations(span: Span): Promise<SpanDurations>
  /** Most decisions first, of the newest MOST_FAILED. */
  failures(span: Span): Promise<FailureCount[]>
  /** What the newest decisions asked for, most asked first. */
  flavors(span: Span): Promise<FlavorCount[]>
}

/** So many of the newest decisions say which flavors are asked for, and so many failed ones for which reasons. */
const MOST_ASKED = 1_000
export const MOST_FAILED = 20_000
/** So many of the newest decisions are timed: percentiles sort what they are of, and no index has it. */
const MOST_TIMED = 100_000
const MOST_FLAVORS = 10
const MOST_CODES = 50

// named one by one, so that the index by outcome and time is enough
const FAILED = Prisma.sql`d.outcome IN ('PARTIAL', 'NO_VALID_HOST')`
const ANY = Prisma.sql`d.outcome IN ('PLACED', 'PARTIAL', 'NO_VALID_HOST')`

/** Counts in the tables: decisions by the index of outcomes and times, all else of a bounded number of them. `mostTimed`: for tests of the limit. */
export function createActivityStore(prisma: PrismaClient, mostTimed = MOST_TIMED): ActivityStore {
  return {
    async steps(span) {
      const counts = await prisma.$queryRaw<{ step: number; decisions: bigint; failed: bigint }[]>`
        SELECT ${stepOf(span)} AS step, count(*) AS decisions, count(*) FILTER (WHERE ${FAILED}) AS failed
        FROM decision d WHERE ${ANY} AND ${isWithin(span)} GROUP BY step`
      return stepsOf(span, counts)
    },
    async durations(span) {
      // percentile_disc: one that was measured, none between two of them
      const rows = await prisma.$queryRaw<{ step: number | null; measured: bigint; tookUs: [number, number] }[]>`
        SELECT d.step, count(*) AS measured, percentile_disc(ARRAY[0.5, 0.99]) WITHIN GROUP (ORDER BY d.took_us) AS "tookUs"
        FROM (SELECT ${stepOf(span)} AS step, d.took_us FROM decision d WHERE ${ANY} AND ${isWithin(span)} AND d.took_us IS NOT NULL
          ORDER BY d.at_ms DESC LIMIT ${mostTimed}) d
        GROUP BY GROUPING SETS ((d.step), ()) HAVING count(*) > 0`
      const timed = rows.map(({ step, tookUs: [p50, p99] }) => ({ step, p50Ms: p50 / 1_000, p99Ms: p99 / 1_000 }))
      const { step: _, ...all } = timed.find(({ step }) => step === null) ?? { step: null }
      return {
        all: 'p50Ms' in all ? all : undefined,
        steps: new Map(timed.flatMap(({ step, ...durations }) => (step === null ? [] : [[step, durations] as const]))),
        isCut: rows.some(({ step, measured }) => step === null && Number(measured) >= mostTimed),
      }
    },
    async failures(span) {
      const causes = await prisma.$queryRaw<{ code: string; decisions: bigint; text: string }[]>`
        SELECT why.code, count(*) AS decisions, (array_agg(why.text ORDER BY d.at_ms DESC, d.id))[1] AS text
        FROM (SELECT d.id, d.at_ms, d.document FROM decision d WHERE ${isWithin(span)} AND ${FAILED} ORDER BY d.at_ms DESC LIMIT ${MOST_FAILED}) d,
          LATERAL (${CAUSE}) AS why
        WHERE why.code IS NOT NULL GROUP BY why.code ORDER BY decisions DESC, why.code LIMIT ${MOST_CODES}`
      return causes.map(({ decisions, ...cause }) => ({ ...cause, decisions: Number(decisions) }))
    },
    async flavors(span) {
      const flavors = await prisma.$queryRaw<{ decisions: bigint; document: PublishedSpec }[]>`
        SELECT count(*) AS decisions, (array_agg(r.document))[1] AS document
        FROM (SELECT d.request_spec_id FROM decision d WHERE ${isWithin(span)} ORDER BY d.at_ms DESC LIMIT ${MOST_ASKED}) d
        JOIN request_spec r ON r.id = d.request_spec_id
        GROUP BY r.document -> 'flavor' ORDER BY decisions DESC, r.document -> 'flavor' LIMIT ${MOST_FLAVORS}`
      return flavors.map(({ decisions, document }) => ({ flavor: currentSpec(document).flavor, decisions: Number(decisions) }))
    },
  }
}

const isWithin = ({ since, until }: Span): Prisma.Sql => Prisma.sql`d.at_ms >= ${since} AND d.at_ms < ${until}`

const stepOf = ({ since, stepMs }: Span): Prisma.Sql => Prisma.sql`((d.at_ms - ${since}) / ${stepMs})::int`

function stepsOf(
  { since, until, stepMs }: Span,
  counts: readonly { readonly step: number; readonly decisions: bigint; readonly failed: bigint }[],
): StepCount[] {
  const found = new Map(counts.map((one) => [one.step, one]))
  return Array.from({ length: Math.ceil((until - since) / stepMs) }, (_, step) => {
    const { decisions = 0n, failed = 0n } = found.get(step) ?? {}
    return { at: since + step * stepMs, decisions: Number(decisions), failed: Number(failed) }
  })
}
