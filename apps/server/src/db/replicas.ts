import type { PrismaClient } from './prisma.ts'

/** A part of a replica's state at one place of the log: its number, and its digest. */
export interface PartDigest {
  readonly revision: number
  /** The first digits of the id of the entry at that revision, and its stamp: a tail that was lost may be written again. */
  readonly entry: string
  readonly part: number
  readonly digest: string
}

/** Digests as a release takes them; those of another format cannot be compared. */
export interface TakenDigests {
  readonly format: number
  readonly taken: readonly PartDigest[]
  /** Of the whole state, at the last place that stood long enough. */
  readonly whole: { readonly revision: number; readonly digest: string } | null
}

/** What a replica says of itself from time to time. */
export interface Sign {
  readonly id: string
  readonly url: string | null
  readonly version: string
  /** The highest that it reads. */
  readonly featureLevel: number
  readonly mode: string
  readonly reason: string | null
  readonly revision: number
  readonly violations: number
  /** Store time, milliseconds since 1970. */
  readonly checkedAt: number | null
  readonly digests: TakenDigests
}

/** A sign as it is kept; all times are the store's. */
export interface ReplicaRow extends Sign {
  /** What it had not applied of the log: changes, and milliseconds since the first of them. */
  readonly lagChanges: number
  readonly lagMs: number
  readonly startedAt: number
  readonly seenAt: number
  readonly stoppedAt: number | null
}

/** All replicas that gave a sign in the last day, at a time of the store. */
export interface ReplicaRows {
  readonly now: number
  readonly rows: readonly ReplicaRow[]
}

export interface ReplicaStore {
  /** Writes a replica's sign, and how far the log is beyond it. */
  keep(sign: Sign): Promise<void>
  list(): Promise<ReplicaRows>
  /** The replica ended in order. */
  stop(id: string): Promise<void>
  /** Forgets replicas that have been silent for a day. */
  forget(): Promise<void>
}

const DAY_MS = 86_400_000
/** A replica that is further behind than this is told to be this far behind. */
const MOST_ENTRIES = 100_000

export function createReplicaStore(prisma: PrismaClient): ReplicaStore {
  return {
    async keep({ id, url, version, featureLevel, mode, reason, revision, violations, checkedAt, digests }) {
      await prisma.$executeRaw`
        INSERT INTO replica (id, url, version, feature_level, mode, reason, revision, lag_changes, lag_ms, violations, checked_at_ms, digests, started_at_ms, seen_at_ms)
        SELECT ${id}, ${url}, ${version}, ${featureLevel}::int, ${mode}, ${reason}, ${revision}::bigint, missed.changes,
          greatest(0, now_ms - coalesce(missed.first, now_ms)), ${violations}::int, ${checkedAt}::bigint, ${JSON.stringify(digests)}::jsonb, now_ms, now_ms
        FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now_ms) clock,
          (SELECT coalesce(sum(changes), 0)::int AS changes, min(at_ms) AS first
           FROM (SELECT changes, at_ms FROM log WHERE revision > ${revision}::bigint ORDER BY revision LIMIT ${MOST_ENTRIES}::int) behind) missed
        ON CONFLICT (id) DO UPDATE SET url = excluded.url, mode = excluded.mode, reason = excluded.reason, revision = excluded.revision,
          lag_changes = excluded.lag_changes, lag_ms = excluded.lag_ms, violations = excluded.violations, checked_at_ms = excluded.checked_at_ms,
          digests = excluded.digests, seen_at_ms = excluded.seen_at_ms`
    },
    async list() {
      const [clock] = await prisma.$queryRaw<{ now: bigint }[]>`SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now`
      const now = Number(clock?.now ?? 0)
      const found = await prisma.replica.findMany({ where: { seenAtMs: { gt: BigInt(now - DAY_MS) } }, orderBy: { startedAtMs: 'asc' } })
      return {
        now,
        rows: found.map(({ startedAtMs, seenAtMs, stoppedAtMs, checkedAtMs, lagMs, revision, digests, ...row }) => ({
          ...row,
          revision: Number(revision),
          lagMs: Number(lagMs),
          checkedAt: checkedAtMs === null ? null : Number(checkedAtMs),
          startedAt: Number(startedAtMs),
          seenAt: Number(seenAtMs),
          stoppedAt: stoppedAtMs === null ? null : Number(stoppedAtMs),
          digests: readDigests(digests),
        })),
      }
    },
    async stop(id) {
      await prisma.$executeRaw`UPDATE replica SET stopped_at_ms = (extract(epoch FROM clock_timestamp()) * 1000)::bigint WHERE id = ${id}`
    },
    async forget() {
      await prisma.$executeRaw`DELETE FROM replica WHERE seen_at_ms < (extract(epoch FROM clock_timestamp()) * 1000)::bigint - ${DAY_MS}::bigint`
    },
  }
}

/** Another release may have written something else: that is no digest that can be compared. */
function readDigests(value: unknown): TakenDigests {
  const { format, taken, whole } = (value ?? {}) as Record<string, unknown>
  if (typeof format !== 'number' || !Array.isArray(taken)) return { format: 0, taken: [], whole: null }
  const { revision, digest } = (whole ?? {}) as Record<string, unknown>
  return {
    format,
    taken: taken.filter(isPartDigest),
    whole: typeof revision === 'number' && typeof digest === 'string' ? { revision, digest } : null,
  }
}

function isPartDigest(value: unknown): value is PartDigest {
  if (value === null || typeof value !== 'object') return false
  const { revision, entry, part, digest } = value as Record<string, unknown>
  return typeof revision === 'number' && typeof entry === 'string' && typeof part === 'number' && typeof digest === 'string'
}
