/** Time as a replica lives in it. Nothing that it says decides anything: the log does. The simulator gives its own. */
export interface Timers {
  /** Milliseconds on a clock that never goes back. */
  now(): number
  /** Calls back once after so many milliseconds; answers how to call it off. */
  after(ms: number, callback: () => void): () => void
  /** Calls back again and again, without keeping the process alive; answers how to end it. */
  every(ms: number, callback: () => void): () => void
}

export const realTimers: Timers = {
  now: () => performance.now(),
  after(ms, callback) {
    if (ms === 0) {
      // behind what arrived meanwhile, and without the millisecond that a timer takes at least
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
