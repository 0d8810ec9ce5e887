import type { Clock } from '@gantt/client'

/** A clock that advances only during waits, and then at once. `meanwhile` is called during each wait. */
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

/** A clock that only a test advances. */
export function handClock(): Clock & { pass(ms: number): void } {
  const waiting = new Set<{ readonly until: number; readonly over: () => void }>()
  let now = 0
  return {
    now: () => now,
    wait: (ms, signal) =>
      new Promise((resolve, reject) => {
        signal?.throwIfAborted()
        const abort = (): void => {
          waiting.delete(one)
          reject(signal?.reason)
        }
        const over = (): void => {
          signal?.removeEventListener('abort', abort)
          resolve()
        }
        const one = { until: now + ms, over }
        waiting.add(one)
        signal?.addEventListener('abort', abort)
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
