import type { Synchronizer } from '../sync/synchronizer.ts'
import type { Timers } from '../timers.ts'
import { createStoreClock } from './store-clock.ts'

/** The store as it is seen from here: its time, and whether it answers at all. It never decides anything: the log does. */
export interface StoreWatch {
  /** The store's time as estimated, milliseconds since 1970; never before `floor`. */
  now(floor: number): number
  /** Takes a stamp that the store made just now or before. */
  learn(stamp: number): void
  /** Asks for its time; the answer is learned, and that there is none. */
  ask(): void
  /** How long the store has owed an answer, milliseconds; 0 when it owes none. One that stands still says so before any time-out. */
  readonly silentMs: number
}

/** Asks on a connection apart from that of appends, so that a slow disk is no silence. */
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
        // it still owes its answer
        () => undefined,
      )
    },
    get silentMs() {
      return owedSince === undefined ? 0 : timers.now() - owedSince
    },
  }
}
