import type { Synchronizer } from '../../sync/synchronizer.ts'
import type { Timers } from '../../timers.ts'
import { createStoreClock } from './store-clock.ts'

/**
 * Watches the store: its time, and whether it answers. Whether a change in the log takes effect does not depend on this estimate of the
 * time, but on the times that the store gave the entries.
 */
export interface StoreWatch {
  /** The estimated store time in milliseconds since 1970; never before `floor`. */
  now(floor: number): number
  /** Corrects the estimate with a time that the store sent. That time can be older than the present time. */
  learn(stamp: number): void
  /** Requests the store's time, and records the answer or its absence. */
  ask(): void
  /**
   * How long the store has not answered, in milliseconds; 0 if no answer is pending. This value shows that a store hangs before any timeout
   * does.
   */
  readonly silentMs: number
}

/** Queries the store on a separate connection, so that a slow append is not mistaken for silence. */
export function createStoreWatch(store: Pick<Synchronizer, 'time'>, timers: Timers): StoreWatch {
  const clock = createStoreClock(timers.now)
  let owedSince: number | undefined
  return {
    now: clock.now,
    learn: clock.learn,
    ask() {
      owedSince ??= timers.now()
      store.time().then(
        (time) => {
          owedSince = undefined
          clock.learn(time)
        },
        // a failed request is no answer, so the silence continues
        () => undefined,
      )
    },
    get silentMs() {
      return owedSince === undefined ? 0 : timers.now() - owedSince
    },
  }
}
