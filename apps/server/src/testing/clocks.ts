import type { Clock } from '@gantt/client'

/** A clock that advances only when code waits, and then at once; `meanwhile` is what others do during a wait. */
export function instantClock(meanwhile: () => Promise<unknown> = async () => {}): Clock & { readonly waits: readonly number[] } {
  const waits: number[] = []
  let now = 0
  return {
    waits,
    now: () => now,
    async wait(ms) {
      waits.push(ms)
      now += ms
      await meanwhile()
    },
  }
}

/** A clock that stands still until a test advances it. */
export function handClock(): Clock & { pass(ms: number): void } {
  const waiting = new Set<{ readonly until: number; readonly over: () => void }>()
  let now = 0
  return {
    now: () => now,
    wait: (ms, signal) =>
      new Promise((resolve, reject) => {
        signal?.throwIfAborted()
        const one = { until: now + ms, over: resolve }
        waiting.add(one)
        signal?.addEventListener('abort', () => {
          waiting.delete(one)
          reject(signal.reason)
        })
      }),
    pass(ms) {
      now += ms
      for (const one of [...waiting].filter(({ until }) => until <= now)) {
        waiting.delete(one)
        one.over()
      }
    },
  }
}
