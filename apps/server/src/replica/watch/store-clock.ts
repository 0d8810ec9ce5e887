/** A replica's estimate of the store's time. Rules that judge log entries use the stamps of the entries instead. */
export interface StoreClock {
  /** Corrects the estimate by a stamp of the store, which may be older than the present. */
  learn(stamp: number): void
  /** Milliseconds since 1970; never before `floor`. */
  now(floor: number): number
}

/** How long an offset is used. After a store's clock is set back, the estimate follows within twice this time. */
const BELIEVED_MS = 10_000

/** Every stamp is a lower bound of the store's time at its arrival, so the largest of the recent offsets is the best estimate. */
export function createStoreClock(monotonic: () => number): StoreClock {
  let recent = Number.NEGATIVE_INFINITY
  let before = Number.NEGATIVE_INFINITY
  let since = monotonic()
  return {
    learn(stamp) {
      const now = monotonic()
      if (now - since > BELIEVED_MS) {
        before = recent
        recent = Number.NEGATIVE_INFINITY
        since = now
      }
      recent = Math.max(recent, stamp - now)
    },
    now(floor) {
      const offset = Math.max(recent, before)
      return offset === Number.NEGATIVE_INFINITY ? floor : Math.max(floor, Math.floor(monotonic() + offset))
    },
  }
}
