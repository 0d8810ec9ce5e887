/** The clock and timers of a replica. The fleet's state never depends on them, only on the log. The simulator provides its own. */
export interface Timers {
  /** Milliseconds on a clock that never goes back. */
  now(): number
  /** Calls the callback once after this many milliseconds. Returns a function that cancels the timer. */
  after(ms: number, callback: () => void): () => void
  /** Calls the callback at this interval without keeping the process alive. Returns a function that stops the timer. */
  every(ms: number, callback: () => void): () => void
}

export const realTimers: Timers = {
  now: () => performance.now(),
  after(ms, callback) {
    if (ms === 0) {
      // setImmediate calls back after pending events, without the delay of at least 1 ms that setTimeout has.
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
