import type { Agreement, HostRank } from '@gantt/scheduler-core'
import type { PrismaClient } from '../prisma.ts'
import { clean } from '../refusal.ts'
import type { Database } from '../table-writer.ts'

/**
 * How many decisions were replayed with the version of the profile that had not made them, by how the two versions agree, and how many were
 * not replayed.
 */
export interface RolloutCounts {
  readonly agreed: number
  readonly elsewhere: number
  readonly newFailures: number
  readonly newPlacements: number
  /** How many decisions were not replayed because there was no time, or because their state was no longer available. */
  readonly skipped: number
  /** How many decisions were not replayed because they would need a solver. */
  readonly notSolved: number
}

/** The counts of one replica in one minute. */
export interface RolloutMinute extends RolloutCounts {
  /** The rollout, by its `rolloutId`. */
  readonly rollout: string
  /** The start of the minute, milliseconds since 1970. */
  readonly at: number
  /** The name of the replica that replayed the decisions. */
  readonly replica: string
}

/**
 * The host that a version chooses for an instance, and the rank that the other version gives that host. `host` is null if the version finds
 * no host.
 */
export interface RankedChoice extends Omit<HostRank, 'host'> {
  readonly host: string | null
}

/** A decision on which the two versions of a rollout disagree. `baseline` is the choice of the active version. */
export interface KeptDisagreement {
  readonly rollout: string
  readonly decision: string
  /** The time of the decision by the store's clock, in milliseconds since 1970. */
  readonly at: number
  readonly kind: Exclude<Agreement, 'SAME'>
  readonly because: string
  /** The index of the first instance that is placed on another host. Null if one version places fewer instances. */
  readonly instance: number | null
  readonly baseline: RankedChoice
  readonly candidate: RankedChoice
}

export interface RolloutSpan {
  readonly rollout: string
  /** The start of the range, inclusive, at a full minute. */
  readonly since: number
  /** The end of the range, exclusive. */
  readonly until: number
}

export interface RolloutStore {
  /**
   * Stores counts and disagreements in one transaction, which may be repeated. The counts of a minute replace earlier counts of that
   * minute. If there are too many disagreements, the oldest are deleted.
   */
  keep(minutes: readonly RolloutMinute[], disagreements: readonly KeptDisagreement[]): Promise<void>
  /** The counts of all replicas together, in steps of a given length. Empty steps are left out. */
  steps(span: RolloutSpan, stepMs: number): Promise<readonly (RolloutCounts & { readonly step: number })[]>
  /** Disagreements, newest first. */
  disagreements(span: Omit<RolloutSpan, 'since'>, first: number): Promise<readonly KeptDisagreement[]>
  /** Deletes the counts and disagreements of all rollouts from before a time, in milliseconds since 1970. */
  forget(before: number): Promise<void>
}

/** At most this many disagreements of one rollout are stored: the newest ones. */
export const KEPT_DISAGREEMENTS = 500

/** The timeout of a transaction on a slow database, in milliseconds: two statements of at most ten seconds each. */
const TIMEOUTS = { timeout: 20_000 }

export function createRolloutStore(prisma: PrismaClient): RolloutStore {
  return {
    async keep(minutes, disagreements) {
      // one transaction, because a reader that sees a counted decision must also see its disagreement; all replicas write rows in the same
      // order, because they could otherwise deadlock
      await prisma.$transaction(async (database) => {
        if (minutes.length > 0) await writeMinutes(database, minutes)
        if (disagreements.length > 0) await writeDisagreements(database, disagreements)
      }, TIMEOUTS)
      // one rollout after the other: a transaction that locks rows of one rollout while it waits for rows of a second rollout could
      // deadlock with another replica
      for (const rollout of new Set(disagreements.map((one) => one.rollout))) await dropOldest(prisma, rollout)
    },
    async steps({ rollout, since, until }, stepMs) {
      return prisma.$queryRaw<(RolloutCounts & { step: number })[]>`
        SELECT ((at_ms - ${since}::bigint) / ${stepMs}::bigint)::int AS step, sum(agreed)::int AS agreed, sum(elsewhere)::int AS elsewhere,
          sum(new_failures)::int AS "newFailures", sum(new_placements)::int AS "newPlacements", sum(skipped)::int AS skipped,
          sum(not_solved)::int AS "notSolved"
        FROM rollout_step WHERE rollout = ${rollout} AND at_ms >= ${since}::bigint AND at_ms < ${until}::bigint
        GROUP BY step ORDER BY step`
    },
    async disagreements({ rollout, until }, first) {
      const rows = await prisma.rolloutDisagreement.findMany({
        where: { rollout, atMs: { lt: BigInt(until) } },
        orderBy: [{ atMs: 'desc' }, { decisionId: 'desc' }],
        take: first,
      })
      return rows.map((row) => ({
        ...{ rollout, decision: row.decisionId, at: Number(row.atMs), because: row.because, instance: row.instance },
        // only this store writes the column
        kind: row.kind as KeptDisagreement['kind'],
        baseline: { host: row.baselineHost, rank: row.baselineRank, because: row.baselineBecause },
        candidate: { host: row.candidateHost, rank: row.candidateRank, because: row.candidateBecause },
      }))
    },
    async forget(before) {
      await prisma.$executeRaw`DELETE FROM rollout_step WHERE at_ms < ${before}::bigint`
      await prisma.$executeRaw`DELETE FROM rollout_disagreement WHERE at_ms < ${before}::bigint`
    },
  }
}

async function writeMinutes(database: Database, minutes: readonly RolloutMinute[]): Promise<void> {
  const rows = minutes.map(({ rollout, at, replica, agreed, elsewhere, newFailures, newPlacements, skipped, notSolved }) => ({
    ...{ rollout, at_ms: at, replica, agreed, elsewhere, new_failures: newFailures, new_placements: newPlacements },
    ...{ skipped, not_solved: notSolved },
  }))
  await database.$executeRaw`
    INSERT INTO rollout_step (rollout, at_ms, replica, agreed, elsewhere, new_failures, new_placements, skipped, not_solved)
    SELECT * FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS row(rollout text, at_ms bigint, replica text, agreed int, elsewhere int,
      new_failures int, new_placements int, skipped int, not_solved int)
    ORDER BY rollout, at_ms, replica
    ON CONFLICT (rollout, at_ms, replica) DO UPDATE SET agreed = excluded.agreed, elsewhere = excluded.elsewhere,
      new_failures = excluded.new_failures, new_placements = excluded.new_placements, skipped = excluded.skipped,
      not_solved = excluded.not_solved`
}

async function writeDisagreements(database: Database, disagreements: readonly KeptDisagreement[]): Promise<void> {
  const text = (value: string | null): string | null => (value === null ? null : clean(value))
  const rows = disagreements.map(({ rollout, decision, at, kind, because, instance, baseline, candidate }) => ({
    ...{ rollout, decision_id: decision, at_ms: at, kind, because: clean(because), instance },
    ...{ baseline_host: text(baseline.host), baseline_rank: baseline.rank, baseline_because: text(baseline.because) },
    ...{ candidate_host: text(candidate.host), candidate_rank: candidate.rank, candidate_because: text(candidate.because) },
  }))
  await database.$executeRaw`
    INSERT INTO rollout_disagreement (rollout, decision_id, at_ms, kind, because, instance, baseline_host, baseline_rank, baseline_because,
      candidate_host, candidate_rank, candidate_because)
    SELECT * FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS row(rollout text, decision_id uuid, at_ms bigint, kind text, because text,
      instance int, baseline_host text, baseline_rank int, baseline_because text, candidate_host text, candidate_rank int, candidate_because text)
    ORDER BY rollout, decision_id
    ON CONFLICT (rollout, decision_id) DO NOTHING`
}

const dropOldest = (database: Database, rollout: string): Promise<unknown> =>
  database.$executeRaw`
    DELETE FROM rollout_disagreement one USING (
      SELECT at_ms, decision_id FROM rollout_disagreement WHERE rollout = ${rollout}
      ORDER BY at_ms DESC, decision_id DESC OFFSET ${KEPT_DISAGREEMENTS - 1}::int LIMIT 1) last
    WHERE one.rollout = ${rollout} AND (one.at_ms, one.decision_id) < (last.at_ms, last.decision_id)`
