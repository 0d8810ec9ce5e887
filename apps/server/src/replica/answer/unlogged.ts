import { copyFleet, type Fleet } from '@gantt/scheduler-core'
import { createTurns } from '../../event-loop/pauses.ts'
import type { Timers } from '../../timers.ts'
import { UnavailableError } from '../../unavailable.ts'
import type { UnloggedAnswer, UnloggedWork } from '../propose/batch.ts'
import type { UnloggedDecision } from '../propose/placement.ts'

/**
 * Completes and stores decisions that are not in the log: refusals, and placements that claim nothing. Their callers are answered after
 * that. Calls that claim resources do not wait for it.
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
export function createUnlogged(options: UnloggedOptions, { onCompleted }: { onCompleted(decision: UnloggedDecision): void }): Unlogged {
  // callers wait for these decisions, so their turns of the event loop are not shared with queries
  const turns = createTurns(options.timers)
  const store = createStoring(options)
  const pending = new Set<Promise<unknown>>()
  let last: Promise<unknown> = Promise.resolve()
  /** The newest copy of the fleet. Decisions at one revision share a copy, because they are completed one after the other. */
  let newest: Fleet | undefined

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
  return {
    complete(works, fleet) {
      const copy = privateCopy(fleet)
      const answers = works.map((work) => {
        const finished = track(last.then(() => finish(work, copy)))
        last = finished
        return () => void track(finished.then((complete) => complete && store(complete)))
      })
      const ownLast = last
      // an old copy keeps data in memory that the fleet has replaced
      void track(
        ownLast.then(() => {
          if (last === ownLast) newest = undefined
        }),
      )
      return answers
    },
    async close() {
      while (pending.size > 0) await Promise.all(pending)
    },
  }
}

/**
 * Returns a function that stores a complete decision and then answers its caller. Decisions that are completed during a write are stored
 * together in the next one.
 */
function createStoring({ recordUnlogged, warn }: UnloggedOptions): (complete: UnloggedAnswer) => Promise<void> {
  let unstored: UnloggedAnswer[] = []
  let next: Promise<void> | undefined
  let last: Promise<void> = Promise.resolve()
  const store = async (some: readonly UnloggedAnswer[]): Promise<void> => {
    try {
      await recordUnlogged(some.map(({ decision }) => decision))
      for (const { answer } of some) answer()
    } catch (error) {
      // one record that cannot be stored must not make the other calls fail, so each record is then stored alone
      if (some.length > 1) return void (await Promise.all(some.map((one) => store([one]))))
      warn(`a decision could not be recorded: ${error instanceof Error ? error.message : String(error)}`)
      for (const { fail } of some) fail(new UnavailableError('store', 'the decision could not be recorded'))
    }
  }
  return (complete) => {
    unstored.push(complete)
    next ??= last.then(() => {
      const some = unstored
      unstored = []
      next = undefined
      return store(some)
    })
    last = next
    return next
  }
}
