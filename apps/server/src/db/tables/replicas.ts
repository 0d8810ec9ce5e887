import { FORGOTTEN_AFTER_MS, type ReplicaStore, readDigests, readVitals } from '../../stores/replicas.ts'
import type { PrismaClient } from '../prisma.ts'

/** At most this many entries are read to count the changes by which a replica lags behind. */
const MAX_REPORTED_LAG = 100_000

export function createReplicaStore(prisma: PrismaClient): ReplicaStore {
  return {
    async keep({ id, url, version, featureLevel, mode, reason, revision, violations, checkedAt, digests, vitals }) {
      await prisma.$executeRaw`
        INSERT INTO replica (id, url, version, feature_level, mode, reason, revision, lag_changes, lag_ms, violations, checked_at_ms, digests, vitals, started_at_ms, seen_at_ms)
        SELECT ${id}, ${url}, ${version}, ${featureLevel}::int, ${mode}, ${reason}, ${revision}::bigint, missed.changes,
          greatest(0, now_ms - coalesce(missed.first, now_ms)), ${violations}::int, ${checkedAt}::bigint, ${JSON.stringify(digests)}::jsonb,
          ${vitals === null ? null : JSON.stringify(vitals)}::jsonb, now_ms, now_ms
        FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now_ms) clock,
          (SELECT coalesce(sum(changes), 0)::int AS changes, min(at_ms) AS first
           FROM (SELECT changes, at_ms FROM log WHERE revision > ${revision}::bigint ORDER BY revision LIMIT ${MAX_REPORTED_LAG}::int) behind) missed
        ON CONFLICT (id) DO UPDATE SET url = excluded.url, mode = excluded.mode, reason = excluded.reason, revision = excluded.revision,
          lag_changes = excluded.lag_changes, lag_ms = excluded.lag_ms, violations = excluded.violations, checked_at_ms = excluded.checked_at_ms,
          digests = excluded.digests, vitals = excluded.vitals, seen_at_ms = excluded.seen_at_ms`
    },
    async list() {
      const [clock] = await prisma.$queryRaw<{ now: bigint }[]>`SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now`
      const now = Number(clock?.now ?? 0)
      const found = await prisma.replica.findMany({
        where: { seenAtMs: { gt: BigInt(now - FORGOTTEN_AFTER_MS) } },
        orderBy: { startedAtMs: 'asc' },
      })
      return {
        now,
        rows: found.map(({ startedAtMs, seenAtMs, stoppedAtMs, checkedAtMs, lagMs, revision, digests, vitals, ...row }) => ({
          ...row,
          revision: Number(revision),
          lagMs: Number(lagMs),
          checkedAt: checkedAtMs === null ? null : Number(checkedAtMs),
          startedAt: Number(startedAtMs),
          seenAt: Number(seenAtMs),
          stoppedAt: stoppedAtMs === null ? null : Number(stoppedAtMs),
          digests: readDigests(digests),
          vitals: readVitals(vitals),
        })),
      }
    },
    async stop(id) {
      await prisma.$executeRaw`UPDATE replica SET stopped_at_ms = (extract(epoch FROM clock_timestamp()) * 1000)::bigint WHERE id = ${id}`
    },
    async forget() {
      await prisma.$executeRaw`DELETE FROM replica WHERE seen_at_ms < (extract(epoch FROM clock_timestamp()) * 1000)::bigint - ${FORGOTTEN_AFTER_MS}::bigint`
    },
  }
}
