import type { Agreement, HostRank } from '@gantt/scheduler-core'
import type { Database, PrismaClient } from './prisma.ts'
import { clean } from './set-aside.ts'

/** Decisions that were made again by the other version of a rollout, and those that were not. */
export interface RolloutCounts {
  readonly agreed: number
  readonly elsewhere: number
  readonly newFailures: number
  readonly newPlacements: number
  /** Decisions that there was no time for, or whose state was gone by. */
  readonly skipped: number
  /** Decisions about which a solver would have had to be asked. */
  readonly notSolved: number
}

/** What one replica found in one minute, all of it. */
export interface RolloutMinute extends RolloutCounts {
  /** Which rollout: `rolloutId`. */
  readonly rollout: string
  /** When the minute begins, milliseconds since 1970. */
  readonly at: number
  /** The replica's name. */
  readonly replica: string
}

/** Where a version puts an instance, and how the other version ranks that host; no host: it finds none. */
export interface RankedChoice extends Omit<HostRank, 'host'> {
  readonly host: string | null
}

/** A decision that the two versions of a rollout make otherwise, seen from the active one. */
export interface KeptDisagreement {
  readonly rollout: string
  readonly decision: string
  /** Store time of the decision, milliseconds since 1970. */
  readonly at: number
  readonly kind: Exclude<Agreement, 'SAME'>
  readonly because: string
  /** The first instance that goes elsewhere, 0 = the first of all; null where a version places fewer. */
  readonly instance: number | null
  readonly baseline: RankedChoice
  readonly candidate: RankedChoice
}

export interface RolloutSpan {
  readonly rollout: string
  /** In it, at the begin of a minute. */
  readonly since: number
  /** Not in it. */
  readonly until: number
}

export interface RolloutStore {
  /**
   * Keeps minutes as they are now, whatever was kept of them before, and disagreements, all or nothing, and drops the oldest where there
   * are too many; the same may be kept again.
   */
  keep(minutes: readonly RolloutMinute[], disagreements: readonly KeptDisagreement[]): Promise<void>
  /** What all replicas found, by steps of a length; those in which nothing was found are left out. */
  steps(span: RolloutSpan, stepMs: number): Promise<readonly (RolloutCounts & { readonly step: number })[]>
  /** The newest first. */
  disagreements(span: Omit<RolloutSpan, 'since'>, first: number): Promise<readonly KeptDisagreement[]>
  /** Drops what is of before a time, of all rollouts. */
  forget(before: number): Promise<void>
}

/** Disagreements that are kept of one rollout: the newest. */
export const KEPT_DISAGREEMENTS = 500

/** Milliseconds for a transaction, and to get to one, where the database is slow: two statements, of ten seconds each at most. */
const PATIENCE = { timeout: 20_000, maxWait: 5_000 }

export function createRolloutStore(prisma: PrismaClient): RolloutStore {
  return {
    async keep(minutes, disagreements) {
      // whoever finds a decision counted finds what it disagreed about; rows are written in the same order everywhere, so that of two
      // replicas one waits
      await prisma.$transaction(async (database) => {
        if (minutes.length > 0) await writeMinutes(database, minutes)
        if (disagreements.length > 0) await writeDisagreements(database, disagreements)
      }, PATIENCE)
      // each by itself: who holds rows of one rollout and waits for those of another would wait for a replica that does the same
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
