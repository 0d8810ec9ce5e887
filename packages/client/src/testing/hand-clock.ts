import type { Clock } from '../clock.ts'

/** A clock whose time never changes. Its waits end when the test calls `end`. */
export function handClock(): Clock & { end(): void; readonly waiting: number } {
  let waits: (() => void)[] = []
  return {
    now: () => 0,
    wait: (_ms, signal) =>
      new Promise((resolve, reject) => {
        waits.push(resolve)
        signal?.addEventListener('abort', () => {
          waits = waits.filter((each) => each !== resolve)
          reject(signal.reason)
        })
      }),
    end() {
      const ended = waits
      waits = []
      for (const resolve of ended) resolve()
    },
    get waiting() {
      return waits.length
    },
  }
}
