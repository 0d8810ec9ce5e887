/** The source of time. Tests replace it. */
export interface Clock {
  /** Returns the milliseconds since an arbitrary time. The value never decreases. */
  now(): number
  /** Resolves after `ms` milliseconds. Rejects with the signal's reason if the signal aborts first. */
  wait(ms: number, signal?: AbortSignal): Promise<void>
}

export const systemClock: Clock = {
  now: () => performance.now(),
  wait: (ms, signal) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted()
      const abort = (): void => {
        clearTimeout(timer)
        reject(signal?.reason)
      }
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', abort)
        resolve()
      }, ms)
      signal?.addEventListener('abort', abort, { once: true })
    }),
}
