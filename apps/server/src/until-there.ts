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
const TELL_EVERY_MS = 30_000

/**
 * Does what needs the store until it succeeds: whoever starts while the servers are starting, or have no leader, waits for
 * them. What can never be, such as wrong settings or credentials, is thrown at once; StoppedError when it was told to stop.
 */
export async function untilThere<T>(work: () => Promise<T>, { stopped, onAway, warn }: WaitOptions): Promise<T> {
  const since = performance.now()
  let toldAt = Number.NEGATIVE_INFINITY
  for (;;) {
    try {
      const done = await work()
      if (toldAt > 0) warn(`the store is there after ${Math.round((performance.now() - since) / 1_000)} s; the start goes on`)
      return done
    } catch (error) {
      if (!isAway(error)) throw error
      const reason = `waiting for the store: ${error.message}`
      onAway(reason)
      if (performance.now() - toldAt >= TELL_EVERY_MS) {
        toldAt = performance.now()
        warn(reason)
      }
      await sleep(AGAIN_MS, undefined, { signal: stopped }).catch(() => undefined)
      if (stopped.aborted) throw new StoppedError(reason, { cause: error })
    }
  }
}

const isAway = (error: unknown): error is Error =>
  error instanceof StoreUnavailableError || (error instanceof UnavailableError && error.reason === 'store')

/** It was told to stop while it waited. */
export class StoppedError extends Error {
  override readonly name = 'StoppedError'
}
