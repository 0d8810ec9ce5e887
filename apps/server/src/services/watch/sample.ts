/** The length of the period to which the limit applies, in milliseconds. */
const WINDOW_MS = 1_000

/** Passes a limited count of items per second: the first items of each second. */
export interface Sample<Item> {
  take(item: Item): void
  end(): void
}

/**
 * Passes the first `perSecond` items of each second to `notify`, each with the count of items that were dropped before it. If items were
 * dropped and no item follows, `notify` is called with null and the count.
 */
export function createSample<Item>(perSecond: number, notify: (item: Item | null, leftOut: number) => void): Sample<Item> {
  let windowStart = Number.NEGATIVE_INFINITY
  let inWindow = 0
  let leftOut = 0
  let closing: ReturnType<typeof setTimeout> | undefined
  const notifyAll = (item: Item | null): void => {
    clearTimeout(closing)
    closing = undefined
    const before = leftOut
    leftOut = 0
    notify(item, before)
  }
  return {
    take(item) {
      const now = performance.now()
      if (now - windowStart >= WINDOW_MS) {
        windowStart = now
        inWindow = 0
      }
      if (++inWindow <= perSecond) notifyAll(item)
      else {
        leftOut++
        closing ??= setTimeout(() => notifyAll(null), windowStart + WINDOW_MS - now)
      }
    },
    end: () => clearTimeout(closing),
  }
}
