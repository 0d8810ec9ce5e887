import { setTimeout as sleep } from 'node:timers/promises'
import { StoreUnavailableError } from './sync/synchronizer.ts'
import { UnavailableError } from './unavailable.ts'

export interface WaitOptions {
  /** Aborted when the service is stopped; the wait then ends. */
  readonly stopped: AbortSignal
  /** Called after each failed attempt, with the reason why the store is unavailable. */
  onAway(reason: string): void
  /** Gets messages for operators: when the wait begins, again while it lasts, and when it ends. */
  warn(message: string): void
}

const RETRY_DELAY_MS = 500
const WARN_EVERY_MS = 30_000

/**
 * Retries an operation on the store until it succeeds. A service that starts while the servers are starting or have no leader therefore
 * waits for them. Permanent errors, such as wrong settings or credentials, are thrown at once. Throws StoppedError once the service is
 * stopped.
 */
export const waitForStore = <T>(work: () => Promise<T>, options: WaitOptions): Promise<T> =>
  retryUntilDone(work, {
    ...options,
    whyAway: (error) => (isAway(error) ? `waiting for the store that GANTT_SYNC names: ${error.message}` : undefined),
    done: 'the store answered',
  })

export interface RetryOptions extends Omit<WaitOptions, 'onAway'> {
  readonly onAway?: WaitOptions['onAway']
  /** What the service waits for, and why; undefined for an error that waiting does not resolve. */
  whyAway(error: unknown): string | undefined
  /** The message for operators after the operation has succeeded. */
  readonly done: string
}

/** Retries an operation until it succeeds. Throws errors that waiting does not resolve, and StoppedError once the service is stopped. */
export async function retryUntilDone<T>(work: () => Promise<T>, { whyAway, done: over, stopped, onAway, warn }: RetryOptions): Promise<T> {
  const since = performance.now()
  let warnedAt = Number.NEGATIVE_INFINITY
  for (;;) {
    try {
      const done = await work()
      if (warnedAt > 0) warn(`${over} after ${Math.round((performance.now() - since) / 1_000)} s; the start continues`)
      return done
    } catch (error) {
      const reason = whyAway(error)
      if (reason === undefined) throw error
      onAway?.(reason)
      if (performance.now() - warnedAt >= WARN_EVERY_MS) {
        warnedAt = performance.now()
        warn(reason)
      }
      await sleep(RETRY_DELAY_MS, undefined, { signal: stopped }).catch(() => undefined)
      if (stopped.aborted) throw new StoppedError(reason, { cause: error })
    }
  }
}

const isAway = (error: unknown): error is Error =>
  error instanceof StoreUnavailableError || (error instanceof UnavailableError && error.reason === 'store')

/** Thrown if the service is stopped while it waits. */
export class StoppedError extends Error {
  override readonly name = 'StoppedError'
}
