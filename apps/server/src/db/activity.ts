import { currentSpec, type PublishedSpec, type RequestSpec } from '@gantt/scheduler-core'
import { Prisma } from '../generated/prisma/client.ts'
import { LAST_REASON } from './decision-query.ts'
import type { PrismaClient } from './prisma.ts'

/** A span of store time, milliseconds since 1970, in steps of equal length: `since` is in it, `until` is not. */
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
  /** Who refused, and why, in the newest of them. */
  readonly filter: string
  readonly text: string
}

export interface FlavorCount {
  readonly flavor: RequestSpec['flavor']
  readonly decisions: number
}

/** What was asked and what came of it. */
export interface Activity {
  /** Every step of the span, those without a decision too. */
  readonly steps: readonly StepCount[]
  /** Most decisions first. */
  readonly failures: readonly FailureCount[]
  /** Whether there were more failed decisions than were looked through: then the newest were. */
  readonly failuresCut: boolean
  /** What the newest decisions asked for, most asked first. */
  readonly flavors: readonly FlavorCount[]
}

export interface ActivityStore {
  read(span: Span): Promise<Activity>
}

/** So many of the newest decisions say which flavors are asked for, and so many failed ones for which reasons. */
const MOST_ASKED = 1_000
export const MOST_FAILED = 20_000
const MOST_FLAVORS = 10
const MOST_CODES = 50

// named one by one, so that the index by outcome and time is enough
const FAILED = Prisma.sql`d.outcome IN ('PARTIAL', 'NO_VALID_HOST')`
const ANY = Prisma.sql`d.outcome IN ('PLACED', 'PARTIAL', 'NO_VALID_HOST')`

/** Counts in the tables: decisions by the index of outcomes and times, reasons and flavors of a bounded number of them. */
export function createActivityStore(prisma: PrismaClient): ActivityStore {
  return {
    async read(span) {
      const isWithin = Prisma.sql`d.at_ms >= ${span.since} AND d.at_ms < ${span.until}`
      const [counts, reasons, flavors] = await Promise.all([
        prisma.$queryRaw<{ step: number; decisions: bigint; failed: bigint }[]>`
          SELECT ((d.at_ms - ${span.since}) / ${span.stepMs})::int AS step, count(*) AS decisions, count(*) FILTER (WHERE ${FAILED}) AS failed
          FROM decision d WHERE ${ANY} AND ${isWithin} GROUP BY step`,
        prisma.$queryRaw<{ code: string; decisions: bigint; filter: string; text: string }[]>`
          SELECT reason ->> 'code' AS code, count(*) AS decisions,
            (array_agg(reason ->> 'filter' ORDER BY d.at_ms DESC, d.id))[1] AS filter,
            (array_agg(reason ->> 'text' ORDER BY d.at_ms DESC, d.id))[1] AS text
          FROM (SELECT d.id, d.at_ms, d.document FROM decision d WHERE ${isWithin} AND ${FAILED} ORDER BY d.at_ms DESC LIMIT ${MOST_FAILED}) d,
            LATERAL (${LAST_REASON}) AS last(reason)
          GROUP BY code ORDER BY decisions DESC, code LIMIT ${MOST_CODES}`,
        prisma.$queryRaw<{ decisions: bigint; document: PublishedSpec }[]>`
          SELECT count(*) AS decisions, (array_agg(r.document))[1] AS document
          FROM (SELECT d.request_spec_id FROM decision d WHERE ${isWithin} ORDER BY d.at_ms DESC LIMIT ${MOST_ASKED}) d
          JOIN request_spec r ON r.id = d.request_spec_id
          GROUP BY r.document -> 'flavor' ORDER BY decisions DESC, r.document -> 'flavor' LIMIT ${MOST_FLAVORS}`,
      ])
      const steps = stepsOf(span, counts)
      return {
        steps,
        failures: reasons.map(({ decisions, ...reason }) => ({ ...reason, decisions: Number(decisions) })),
        failuresCut: steps.reduce((sum, { failed }) => sum + failed, 0) > MOST_FAILED,
        flavors: flavors.map(({ decisions, document }) => ({ flavor: currentSpec(document).flavor, decisions: Number(decisions) })),
      }
    },
  }
}

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
