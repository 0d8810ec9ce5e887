import { setTimeout as sleep } from 'node:timers/promises'
import { UnavailableError } from './replica/placement.ts'
import { StoreUnavailableError } from './sync/synchronizer.ts'

export interface WaitOptions {
  /** Ends the waiting. */
  readonly stopped: AbortSignal
  /** Hears each time why it is not there. */
  onAway(reason: string): void
  /** For operators: at first, now and then, and when it is over. */
  warn(message: string): void
}

const AGAIN_MS = 500
const WARN_EVERY_MS = 30_000

/**
 * Does what needs the store until it succeeds: whoever starts while the servers are starting, or have no leader, waits for
 * them. What can never be, such as wrong settings or credentials, is thrown at once; StoppedError once it is stopped.
 */
export const waitForStore = <T>(work: () => Promise<T>, options: WaitOptions): Promise<T> =>
  retryUntilDone(work, {
    ...options,
    whyAway: (error) => (isAway(error) ? `waiting for the store that GANTT_SYNC names: ${error.message}` : undefined),
    done: 'the store is there',
  })

export interface RetryOptions extends Omit<WaitOptions, 'onAway'> {
  readonly onAway?: WaitOptions['onAway']
  /** What is waited for, and why; undefined for an error that waiting does not mend. */
  whyAway(error: unknown): string | undefined
  /** What operators hear when it is over. */
  readonly done: string
}

/** Does something until it succeeds. Throws what waiting does not mend, and StoppedError once it is stopped. */
export async function retryUntilDone<T>(work: () => Promise<T>, { whyAway, done: over, stopped, onAway, warn }: RetryOptions): Promise<T> {
  const since = performance.now()
  let warnedAt = Number.NEGATIVE_INFINITY
  for (;;) {
    try {
      const done = await work()
      if (warnedAt > 0) warn(`${over} after ${Math.round((performance.now() - since) / 1_000)} s; the start goes on`)
      return done
    } catch (error) {
      const reason = whyAway(error)
      if (reason === undefined) throw error
      onAway?.(reason)
      if (performance.now() - warnedAt >= WARN_EVERY_MS) {
        warnedAt = performance.now()
        warn(reason)
      }
      await sleep(AGAIN_MS, undefined, { signal: stopped }).catch(() => undefined)
      if (stopped.aborted) throw new StoppedError(reason, { cause: error })
    }
  }
}

const isAway = (error: unknown): error is Error =>
  error instanceof StoreUnavailableError || (error instanceof UnavailableError && error.reason === 'store')

/** It was stopped while it waited. */
export class StoppedError extends Error {
  override readonly name = 'StoppedError'
}
