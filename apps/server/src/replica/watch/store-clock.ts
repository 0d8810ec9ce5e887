/**
 * A replica's estimate of the store's time. Whether a change in the log takes effect does not depend on the estimate, but on the times that
 * the store gave the entries.
 */
export interface StoreClock {
  /** Corrects the estimate with a time that the store sent. That time can be older than the present time. */
  learn(stamp: number): void
  /** Milliseconds since 1970; never before `floor`. */
  now(floor: number): number
}

/** How long a difference between the two clocks is used. After a store's clock is set back, the estimate follows within twice this time. */
const BELIEVED_MS = 10_000

/**
 * A time that the store sends is never later than the store's time at its arrival. The largest of the recent differences between the clocks
 * is therefore the best estimate.
 */
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
