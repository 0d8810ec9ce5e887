import type { Fleet } from '@gantt/scheduler-core'
import type { Timers } from '../../timers.ts'
import type { Refusal, UnloggedAnswer } from '../propose/batch.ts'
import type { UnloggedDecision } from '../propose/placement.ts'
import { createCauseSearches } from './search-causes.ts'
import { createUnloggedStore, type UnloggedStoreOptions } from './store-unlogged.ts'

/**
 * Answers calls whose decisions are not in the log: placements that claim nothing, and refusals. Each decision is stored before its caller
 * is answered. Calls that claim resources do not wait until these decisions are stored.
 */
export interface Unlogged {
  /** Stores a decision, and then answers its caller. */
  store(complete: UnloggedAnswer): void
  /**
   * Starts to search the cause of a refusal that was decided on this fleet, before the fleet changes. Returns a function that stores the
   * refusal when its cause is known, and then answers its caller.
   */
  search(refusal: Refusal, fleet: Fleet): () => void
  /** Resolves when all pending decisions are stored, or their callers got an error. */
  close(): Promise<void>
}

export interface UnloggedOptions extends UnloggedStoreOptions {
  readonly timers: Timers
}

/** `onFound` is called with each refusal whose cause was found. */
export function createUnlogged(options: UnloggedOptions, on: { onFound(decision: UnloggedDecision): void }): Unlogged {
  const searches = createCauseSearches(options.timers, on)
  const store = createUnloggedStore(options)
  const pending = new Set<Promise<unknown>>()
  const track = <Result>(work: Promise<Result>): Promise<Result> => {
    const tracked: Promise<Result> = work.finally(() => pending.delete(tracked))
    pending.add(tracked)
    return tracked
  }
  return {
    store: (complete) => void track(store(complete)),
    search(refusal, fleet) {
      const found = track(searches.start(refusal, fleet))
      return () => void track(found.then((complete) => complete && store(complete)))
    },
    async close() {
      while (pending.size > 0) await Promise.all(pending)
    },
  }
}
