/** Lets callers wait until something holds that changes now and then. */
export interface Signal {
  /** Says that something changed: everyone who waits looks again. */
  tell(): void
  /** True once `holds` is; false when it is not in time, or `givenUp` is. Looks at least every 100 ms. */
  until(holds: () => boolean, timeoutMs: number, givenUp?: () => boolean): Promise<boolean>
}

const LOOK_MS = 100

export function createSignal(): Signal {
  const waiting = new Set<() => void>()
  return {
    tell() {
      for (const look of [...waiting]) look()
    },
    async until(holds, timeoutMs, givenUp = () => false) {
      const end = performance.now() + timeoutMs
      while (!holds()) {
        const left = end - performance.now()
        if (left <= 0 || givenUp()) return false
        await new Promise<void>((resolve) => {
          const look = (): void => {
            clearTimeout(timer)
            waiting.delete(look)
            resolve()
          }
          const timer = setTimeout(look, Math.min(left, LOOK_MS))
          waiting.add(look)
        })
      }
      return true
    },
  }
}
