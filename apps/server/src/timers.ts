/** The time of a replica. It decides nothing: the log does. The simulator provides its own. */
export interface Timers {
  /** Milliseconds on a clock that never goes back. */
  now(): number
  /** Calls back once after this many milliseconds; returns a function that cancels it. */
  after(ms: number, callback: () => void): () => void
  /** Calls back at this interval without keeping the process alive; returns a function that stops it. */
  every(ms: number, callback: () => void): () => void
}

export const realTimers: Timers = {
  now: () => performance.now(),
  after(ms, callback) {
    if (ms === 0) {
      // after work that arrived meanwhile, and without the millisecond that a timer takes at least
      const immediate = setImmediate(callback)
      return () => clearImmediate(immediate)
    }
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
  every(ms, callback) {
    const timer = setInterval(callback, ms)
    timer.unref()
    return () => clearInterval(timer)
  },
}
