import type { Clock } from '@gantt/client'

/** A clock whose waits end when the test advances it, in the order of their times. */
export interface VirtualClock extends Clock {
  /** Advances the time, and ends the waits that are over by then. */
  advance(ms: number): Promise<void>
}

export function virtualClock(): VirtualClock {
  let now = 0
  let waits: { readonly at: number; readonly end: () => void }[] = []
  /** Lets everything run that waits for nothing but earlier promises. */
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  return {
    now: () => now,
    wait: (ms, signal) =>
      new Promise((resolve, reject) => {
        signal?.throwIfAborted()
        const abort = (): void => {
          waits = waits.filter((each) => each !== one)
          reject(signal?.reason)
        }
        const end = (): void => {
          signal?.removeEventListener('abort', abort)
          resolve()
        }
        const one = { at: now + ms, end }
        waits.push(one)
        signal?.addEventListener('abort', abort, { once: true })
      }),
    async advance(ms) {
      const until = now + ms
      await settle()
      for (;;) {
        const [next] = waits.filter(({ at }) => at <= until).sort((one, other) => one.at - other.at)
        if (next === undefined) break
        now = Math.max(now, next.at)
        waits = waits.filter((each) => each !== next)
        next.end()
        await settle()
      }
      now = until
    },
  }
}
