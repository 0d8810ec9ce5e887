import type { Timers } from '../timers.ts'

/** Lets callers wait for a condition. */
export interface Signal {
  /** Makes all waiting callers check their conditions again. */
  notify(): void
  /**
   * Resolves with true once `holds` returns true, and with false after a timeout or once `givenUp` returns true. Checks at least every 100
   * ms.
   */
  until(holds: () => boolean, timeoutMs: number, givenUp?: () => boolean): Promise<boolean>
}

const CHECK_INTERVAL_MS = 100

export function createSignal(timers: Timers): Signal {
  const waiting = new Set<() => void>()
  return {
    notify() {
      for (const check of [...waiting]) check()
    },
    async until(holds, timeoutMs, givenUp = () => false) {
      const end = timers.now() + timeoutMs
      while (!holds()) {
        const left = end - timers.now()
        if (left <= 0 || givenUp()) return false
        await new Promise<void>((resolve) => {
          const check = (): void => {
            cancel()
            waiting.delete(check)
            resolve()
          }
          const cancel = timers.after(Math.min(left, CHECK_INTERVAL_MS), check)
          waiting.add(check)
        })
      }
      return true
    },
  }
}
