import type { Timers } from '../timers.ts'

/**
 * Timers that only a test advances. They count only what the tested code starts, whereas the count of Vitest's fake timers includes the
 * timers of everything else in the process.
 */
export function handTimers(): Timers & { readonly running: number; pass(ms: number): void } {
  interface Timer {
    at: number
    readonly everyMs: number | null
    readonly callback: () => void
  }
  const running = new Set<Timer>()
  let now = 0
  const start = (ms: number, everyMs: number | null, callback: () => void): (() => void) => {
    const timer = { at: now + ms, everyMs, callback }
    running.add(timer)
    return () => void running.delete(timer)
  }
  return {
    now: () => now,
    after: (ms, callback) => start(ms, null, callback),
    every: (ms, callback) => start(ms, ms, callback),
    get running() {
      return running.size
    },
    pass(ms) {
      const end = now + ms
      for (;;) {
        const [next] = [...running].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)
        if (next === undefined) break
        now = next.at
        if (next.everyMs === null) running.delete(next)
        else next.at += next.everyMs
        next.callback()
      }
      now = end
    },
  }
}
