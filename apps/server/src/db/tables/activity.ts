import { currentSpec, type PublishedSpec, type RequestSpec } from '@gantt/scheduler-core'
import { Prisma } from '../../generated/prisma/client.ts'
import type { PrismaClient } from '../prisma.ts'
import { CAUSE } from './decision-query.ts'

/**
 * A range of store time that begins at `since` and ends before `until`, in milliseconds since 1970. It is divided into equal steps; the
 * last step may be shorter.
 */
export interface Span {
  readonly since: number
  readonly until: number
  readonly stepMs: number
}

/** The decisions in one step. */
export interface StepCount {
  /** The start of the step. */
  readonly at: number
  readonly decisions: number
  /** The count of decisions in which an instance was not placed. */
  readonly failed: number
}

/** How many decisions failed with one code as the cause. */
export interface FailureCount {
  readonly code: string
  readonly decisions: number
  /** The reason text of the newest of these decisions. */
  readonly text: string
}

export interface FlavorCount {
  readonly flavor: RequestSpec['flavor']
  readonly decisions: number
}

/** Percentiles of the durations of decisions in milliseconds. Each is a measured duration, without interpolation. */
export interface Durations {
  readonly p50Ms: number
  readonly p99Ms: number
}

export interface SpanDurations {
  /** Undefined if no duration was measured. */
  readonly all: Durations | undefined
  /** The durations by the index of the step. Steps without a measurement are absent. */
  readonly steps: ReadonlyMap<number, Durations>
  /** True if there are more decisions than were read. In that case only the newest are read. */
  readonly isCut: boolean
}

/** Counts the decisions in a span, and computes percentiles of their durations. */
export interface ActivityStore {
  /** All steps of the span, including those without decisions. */
  steps(span: Span): Promise<StepCount[]>
  durations(span: Span): Promise<SpanDurations>
  /** The causes of the newest failed decisions, the most frequent cause first. At most MAX_FAILED decisions are read. */
  failures(span: Span): Promise<FailureCount[]>
  /** The flavors that the newest decisions requested, the most frequent first. */
  flavors(span: Span): Promise<FlavorCount[]>
}

/**
 * How many of the newest decisions are read for the requested flavors, and how many of the newest failed decisions are read for their
 * causes.
 */
const MAX_REQUESTS = 1_000
export const MAX_FAILED = 20_000
/** How many of the newest decisions are read for durations. Percentiles need a sort, and no index contains durations. */
const MAX_TIMED = 100_000
const MAX_FLAVORS = 10
const MAX_CODES = 50

// both conditions name the outcomes, so that the index of outcomes and times can be used
const FAILED = Prisma.sql`d.outcome IN ('PARTIAL', 'NO_VALID_HOST')`
const ANY = Prisma.sql`d.outcome IN ('PLACED', 'PARTIAL', 'NO_VALID_HOST')`

/**
 * Creates the store on the table of decisions. Steps count all decisions of the span, from the index of outcomes and times. All other
 * results are computed from a limited number of the newest decisions. Tests set `maxTimed`.
 */
export function createActivityStore(prisma: PrismaClient, maxTimed = MAX_TIMED): ActivityStore {
  return {
    async steps(span) {
      const counts = await prisma.$queryRaw<{ step: number; decisions: bigint; failed: bigint }[]>`
        SELECT ${stepOf(span)} AS step, count(*) AS decisions, count(*) FILTER (WHERE ${FAILED}) AS failed
        FROM decision d WHERE ${ANY} AND ${isWithin(span)} GROUP BY step`
      return stepsOf(span, counts)
    },
    async durations(span) {
      // percentile_disc returns a measured duration without interpolation
      const rows = await prisma.$queryRaw<{ step: number | null; measured: bigint; tookUs: [number, number] }[]>`
        SELECT d.step, count(*) AS measured, percentile_disc(ARRAY[0.5, 0.99]) WITHIN GROUP (ORDER BY d.took_us) AS "tookUs"
        FROM (SELECT ${stepOf(span)} AS step, d.took_us FROM decision d WHERE ${ANY} AND ${isWithin(span)} AND d.took_us IS NOT NULL
          ORDER BY d.at_ms DESC LIMIT ${maxTimed}) d
        GROUP BY GROUPING SETS ((d.step), ()) HAVING count(*) > 0`
      const timed = rows.map(({ step, tookUs: [p50, p99] }) => ({ step, p50Ms: p50 / 1_000, p99Ms: p99 / 1_000 }))
      const { step: _, ...all } = timed.find(({ step }) => step === null) ?? { step: null }
      return {
        all: 'p50Ms' in all ? all : undefined,
        steps: new Map(timed.flatMap(({ step, ...durations }) => (step === null ? [] : [[step, durations] as const]))),
        isCut: rows.some(({ step, measured }) => step === null && Number(measured) >= maxTimed),
      }
    },
    async failures(span) {
      const causes = await prisma.$queryRaw<{ code: string; decisions: bigint; text: string }[]>`
        SELECT why.code, count(*) AS decisions, (array_agg(why.text ORDER BY d.at_ms DESC, d.id))[1] AS text
        FROM (SELECT d.id, d.at_ms, d.document FROM decision d WHERE ${isWithin(span)} AND ${FAILED} ORDER BY d.at_ms DESC LIMIT ${MAX_FAILED}) d,
          LATERAL (${CAUSE}) AS why
        WHERE why.code IS NOT NULL GROUP BY why.code ORDER BY decisions DESC, why.code LIMIT ${MAX_CODES}`
      return causes.map(({ decisions, ...cause }) => ({ ...cause, decisions: Number(decisions) }))
    },
    async flavors(span) {
      const flavors = await prisma.$queryRaw<{ decisions: bigint; document: PublishedSpec }[]>`
        SELECT count(*) AS decisions, (array_agg(r.document))[1] AS document
        FROM (SELECT d.request_spec_id FROM decision d WHERE ${isWithin(span)} ORDER BY d.at_ms DESC LIMIT ${MAX_REQUESTS}) d
        JOIN request_spec r ON r.id = d.request_spec_id
        GROUP BY r.document -> 'flavor' ORDER BY decisions DESC, r.document -> 'flavor' LIMIT ${MAX_FLAVORS}`
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
