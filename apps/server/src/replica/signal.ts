import type { Timers } from '../timers.ts'

/** Lets callers wait until something holds that changes now and then. */
export interface Signal {
  /** Says that something changed: everyone who waits looks again. */
  tell(): void
  /** True once `holds` is; false when it is not in time, or `givenUp` is. Looks at least every 100 ms. */
  until(holds: () => boolean, timeoutMs: number, givenUp?: () => boolean): Promise<boolean>
}

const LOOK_MS = 100

export function createSignal(timers: Timers): Signal {
  const waiting = new Set<() => void>()
  return {
    tell() {
      for (const look of [...waiting]) look()
    },
    async until(holds, timeoutMs, givenUp = () => false) {
      const end = timers.now() + timeoutMs
      while (!holds()) {
        const left = end - timers.now()
        if (left <= 0 || givenUp()) return false
        await new Promise<void>((resolve) => {
          const look = (): void => {
            cancel()
            waiting.delete(look)
            resolve()
          }
          const cancel = timers.after(Math.min(left, LOOK_MS), look)
          waiting.add(look)
        })
      }
      return true
    },
  }
}
