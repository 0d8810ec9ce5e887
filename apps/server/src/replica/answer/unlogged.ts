import { copyFleet, type Fleet } from '@gantt/scheduler-core'
import { createTurns } from '../../event-loop/pauses.ts'
import type { Timers } from '../../timers.ts'
import { UnavailableError } from '../../unavailable.ts'
import type { UnloggedAnswer, UnloggedWork } from '../propose/batch.ts'
import type { UnloggedDecision } from '../propose/placement.ts'

/**
 * Completes and stores decisions that are not in the log: refusals and advice. Their callers are answered afterwards. Claims do not wait
 * for this.
 */
export interface Unlogged {
  /**
   * Starts to complete decisions that were made on this fleet, before the fleet changes. Returns one function for each decision. The
   * function records and answers the decision when it is complete.
   */
  complete(works: readonly UnloggedWork[], fleet: Fleet): readonly (() => void)[]
  /** Resolves when all pending records are stored, or their callers got an error. */
  close(): Promise<void>
}

export interface UnloggedOptions {
  readonly timers: Timers
  recordUnlogged(decisions: readonly UnloggedDecision[]): Promise<void>
  warn(message: string): void
}

/** `onCompleted` is called with each complete decision. */
export function createUnlogged(
  { timers, recordUnlogged, warn }: UnloggedOptions,
  { onCompleted }: { onCompleted(decision: UnloggedDecision): void },
): Unlogged {
  // callers of placements wait for these, so they do not share their turns of the event loop with queries
  const turns = createTurns(timers)
  const pending = new Set<Promise<unknown>>()
  let last: Promise<unknown> = Promise.resolve()
  /** The newest copy of the fleet. Decisions at one revision share a copy, because they are completed one after the other. */
  let newest: Fleet | undefined
  const unstored: UnloggedAnswer[] = []
  let isStoring = false

  const privateCopy = (fleet: Fleet): Fleet => {
    if (newest?.place.revision !== fleet.place.revision) newest = copyFleet(fleet)
    return newest
  }
  const track = <Result>(work: Promise<Result>): Promise<Result> => {
    const tracked: Promise<Result> = work.finally(() => pending.delete(tracked))
    pending.add(tracked)
    return tracked
  }
  /** Undefined if the caller stopped waiting, or completing failed. */
  const finish = async ({ work, complete }: UnloggedWork, copy: Fleet): Promise<UnloggedAnswer | undefined> => {
    const steps = complete(copy)
    try {
      while (!work.abandoned) {
        const step = steps.next()
        if (step.done) {
          onCompleted(step.value.decision)
          return step.value
        }
        const pause = turns.pause()
        if (pause !== undefined) await pause
      }
    } catch (error) {
      work.fail(error instanceof Error ? error : new Error(String(error)))
    } finally {
      // releases the overlay if the work ended early
      steps.return(undefined as never)
    }
    return undefined
  }
  const store = async (some: readonly UnloggedAnswer[]): Promise<void> => {
    try {
      await recordUnlogged(some.map(({ decision }) => decision))
      for (const { answer } of some) answer()
    } catch (error) {
      // one record that cannot be stored must not fail the others, so each is stored alone
      if (some.length > 1) return void (await Promise.all(some.map((one) => store([one]))))
      warn(`a decision could not be recorded: ${error instanceof Error ? error.message : String(error)}`)
      for (const { fail } of some) fail(new UnavailableError('store', 'the decision could not be recorded'))
    }
  }
  /** Decisions that are completed while others are stored are stored together. */
  const storeAll = async (): Promise<void> => {
    while (unstored.length > 0) await store(unstored.splice(0))
    isStoring = false
  }
  const record = (complete: UnloggedAnswer): void => {
    unstored.push(complete)
    if (isStoring) return
    isStoring = true
    void track(storeAll())
  }
  return {
    complete(works, fleet) {
      const copy = privateCopy(fleet)
      return works.map((work) => {
        const finished = track(last.then(() => finish(work, copy)))
        last = finished
        return () => void track(finished.then((complete) => complete && record(complete)))
      })
    },
    async close() {
      while (pending.size > 0) await Promise.all(pending)
    },
  }
}
