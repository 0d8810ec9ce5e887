/** The times of a reservation that is held while an instance starts, on the clock of the client. */
export interface Lease {
  /** The milliseconds until the next extension, or until the end of the reservation. */
  waitMs(now: number): number
  /** The time limit of an extension that begins now, in milliseconds. */
  limitMs(now: number): number
  /** True if the reservation has ended. */
  isOver(now: number): boolean
  /** Takes note of an extension that was sent at this time. */
  extended(sentAt: number): void
  /** Takes note that an extension failed. */
  failed(now: number): void
}

/**
 * Creates the times of a reservation that was asked for at `startedAt`, and lasts for `ttlMs` from each extension on. It is extended each
 * time a third of this duration has passed, and at once if an earlier call made it (`isRepeated`), because its end is then unknown. If an
 * extension fails, the next one follows after a sixth of the time that is left, and takes at most a third of it. So there are several before
 * the end, even if none of them is answered.
 */
export function createLease(startedAt: number, ttlMs: number, isRepeated = false): Lease {
  const leastMs = ttlMs / 60
  let end = startedAt + ttlMs
  let next = isRepeated ? startedAt : startedAt + ttlMs / 3
  const partOf = (now: number, parts: number): number => {
    const leftMs = Math.max(0, end - now)
    return Math.min(leftMs, Math.max(leftMs / parts, leastMs))
  }
  return {
    waitMs: (now) => Math.max(0, next - now),
    limitMs: (now) => partOf(now, 3),
    isOver: (now) => now >= end,
    extended(sentAt) {
      end = sentAt + ttlMs
      next = sentAt + ttlMs / 3
    },
    failed(now) {
      next = now + partOf(now, 6)
    },
  }
}
