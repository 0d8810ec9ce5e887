/** The store's time as a replica estimates it. It never decides anything: the log does. */
export interface StoreClock {
  /** Takes a stamp of the store that was made just now or before. */
  learn(stamp: number): void
  /** Milliseconds since 1970; never before `floor`. */
  now(floor: number): number
}

/** Every stamp is a lower bound of the store's time at its arrival, so the largest offset seen is the best estimate. */
export function createStoreClock(monotonic: () => number): StoreClock {
  let offset = Number.NEGATIVE_INFINITY
  return {
    learn(stamp) {
      offset = Math.max(offset, stamp - monotonic())
    },
    now: (floor) => (offset === Number.NEGATIVE_INFINITY ? floor : Math.max(floor, Math.floor(monotonic() + offset))),
  }
}
