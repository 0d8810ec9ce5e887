/** The limits of the log, by age and size. Entries beyond a limit are dropped if a checkpoint follows them. */
export interface Horizon {
  readonly days: number
  readonly bytes: number
}

export const DEFAULT_HORIZON: Horizon = { days: 7, bytes: 10_737_418_240 }

/** The range of the log in a store. */
export interface Retention {
  /** The first revision that can be read; 0 if the log was never trimmed. */
  readonly firstRevision: number
  /** The time of the first stored entry by the store's clock, in milliseconds since 1970; null if there is none. */
  readonly firstAt: number | null
  /** Bytes of the stored entries, with an estimate for the overhead of each row. */
  readonly bytes: number
}

/** The size of a log row without its body, in bytes. */
export const ROW_BYTES = 100

/** The growth rate of the log is computed over at least this time, so that the first minutes of a log do not determine it. */
const MIN_SPAN_MS = 3_600_000

/**
 * The earliest time at which an entry is dropped, by its age or by the growth of the log so far: milliseconds since 1970. Undefined if the
 * entry has been dropped.
 */
export function retainedUntil(
  entry: { readonly revision: number; readonly at: number },
  { firstRevision, firstAt, bytes }: Retention,
  horizon: Horizon,
  now: number,
): number | undefined {
  if (entry.revision < firstRevision) return undefined
  const bytesPerMs = bytes / Math.max(MIN_SPAN_MS, now - (firstAt ?? now))
  const ms = Math.min(horizon.days * 86_400_000, bytesPerMs === 0 ? Number.POSITIVE_INFINITY : horizon.bytes / bytesPerMs)
  return Math.round(Math.max(now, entry.at + ms))
}

/** The data of a checkpoint that retention uses. */
export interface KeptCheckpoint {
  readonly revision: number
  readonly at: number
  /** The size of all entries up to the checkpoint, including dropped ones. */
  readonly logBytes: number
}

/** This many newest checkpoints always stay. About SPREAD of the older ones stay too, spread over the rest of the log. */
const NEWEST = 4
const SPREAD = 8

/**
 * Plans what to drop: the entries before the revision `base`, and some checkpoints. The entry and the checkpoint at `base` stay. At least
 * two checkpoints stay. `reached` is the revision that every follower of the log has reached; no later entry is dropped. Undefined if
 * nothing is dropped.
 */
export function planTrim(
  checkpoints: readonly KeptCheckpoint[],
  horizon: Horizon,
  { now, logBytes, reached }: { readonly now: number; readonly logBytes: number; readonly reached: number },
): { readonly base: number; readonly drop: readonly number[] } | undefined {
  const oldestFirst = [...checkpoints].sort((a, b) => a.revision - b.revision)
  const allowed = oldestFirst.slice(0, -1).filter(({ revision }) => revision <= reached)
  const cutoff = now - horizon.days * 86_400_000
  const byAge = allowed.filter(({ at }) => at <= cutoff).at(-1)
  const bySize = logBytes > horizon.bytes ? (allowed.find((one) => logBytes - one.logBytes <= horizon.bytes) ?? allowed.at(-1)) : undefined
  const base = [byAge, bySize].reduce((most, one) => ((one?.revision ?? 0) > (most?.revision ?? 0) ? one : most), undefined)
  const kept = oldestFirst.filter(({ revision }) => revision >= (base?.revision ?? 0))
  const step = (logBytes - (kept[0]?.logBytes ?? 0)) / SPREAD
  let last = Number.NEGATIVE_INFINITY
  const spared = kept.filter(({ logBytes: bytes }, i) => {
    // the first checkpoint must stay, because the log is read from there on
    if (i > 0 && i < kept.length - NEWEST && bytes - last < step) return false
    last = bytes
    return true
  })
  const drop = oldestFirst.filter((one) => !spared.includes(one)).map(({ revision }) => revision)
  return base === undefined && drop.length === 0 ? undefined : { base: base?.revision ?? 0, drop }
}
