import { atOnce, copyFleet, type Fleet, type Place } from '@gantt/scheduler-core'
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

/**
 * At most this many searches for causes wait, because each can keep a copy of the fleet in memory. A further search runs at once and to its
 * end. The replica then makes no decisions meanwhile, which limits how many refusals arrive.
 */
const MAX_SEARCHES = 32

/** `onCompleted` is called with each complete decision. */
export function createUnlogged(options: UnloggedOptions, { onCompleted }: { onCompleted(decision: UnloggedDecision): void }): Unlogged {
  // callers wait for these decisions, so their turns of the event loop are not shared with queries
  const turns = createTurns(options.timers)
  const store = createStoring(options)
  const pending = new Set<Promise<unknown>>()
  let last: Promise<unknown> = Promise.resolve()
  let searches = 0
  /** The newest copy of a fleet. Searches on the same state share a copy, because they run one after the other. */
  let newest: { readonly of: Fleet; readonly place: Place; readonly copy: Fleet } | undefined

  const privateCopy = (fleet: Fleet): Fleet => {
    const { place } = fleet
    if (newest?.of !== fleet || newest.place !== place) newest = { of: fleet, place, copy: copyFleet(fleet) }
    return newest.copy
  }
  const track = <Result>(work: Promise<Result>): Promise<Result> => {
    const tracked: Promise<Result> = work.finally(() => pending.delete(tracked))
    pending.add(tracked)
    return tracked
  }
  const completed = (answer: UnloggedAnswer): UnloggedAnswer => {
    onCompleted(answer.decision)
    return answer
  }
  /** Undefined if the caller stopped waiting, or completing failed. */
  const finish = async ({ work, complete }: UnloggedWork, copy: Fleet): Promise<UnloggedAnswer | undefined> => {
    const steps = complete(copy)
    try {
      while (!work.abandoned) {
        const step = steps.next()
        if (step.done) return completed(step.value)
        const pause = turns.pause()
        if (pause !== undefined) await pause
      }
      // releases the overlay
      steps.return(undefined as never)
    } catch (error) {
      work.fail(asError(error))
    } finally {
      searches--
      if (searches === 0) newest = undefined
    }
    return undefined
  }
  const search = (work: UnloggedWork, fleet: Fleet): Promise<UnloggedAnswer | undefined> => {
    const copy = privateCopy(fleet)
    searches++
    const finished = track(last.then(() => finish(work, copy)))
    last = finished
    return finished
  }
  return {
    complete: (works, fleet) =>
      works.map((work) => {
        const isSearched = work.isRefusal && searches < MAX_SEARCHES
        // only a search opens an overlay, so other decisions need no copy
        const finished = isSearched
          ? search(work, fleet)
          : Promise.resolve(finishAtOnce(work, work.isRefusal ? copyFleet(fleet) : fleet, completed))
        return () => void track(finished.then((complete) => complete && store(complete)))
      }),
    async close() {
      while (pending.size > 0) await Promise.all(pending)
    },
  }
}

/** Undefined if completing failed. */
function finishAtOnce(
  { work, complete }: UnloggedWork,
  fleet: Fleet,
  completed: (answer: UnloggedAnswer) => UnloggedAnswer,
): UnloggedAnswer | undefined {
  try {
    return completed(atOnce(complete(fleet)))
  } catch (error) {
    work.fail(asError(error))
    return undefined
  }
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))

/** At most this many writes run at the same time, so that one slow write does not delay all answers. */
const MAX_WRITES = 4
/** At most this many decisions are stored in one write. */
const MAX_STORED_TOGETHER = 100

/** Returns a function that stores a complete decision and then answers its caller. Decisions that wait for a write are stored together. */
function createStoring({ recordUnlogged, warn }: UnloggedOptions): (complete: UnloggedAnswer) => Promise<void> {
  const waiting: { readonly complete: UnloggedAnswer; stored(): void }[] = []
  let writes = 0
  const store = async (some: readonly UnloggedAnswer[]): Promise<void> => {
    try {
      await recordUnlogged(some.map(({ decision }) => decision))
      for (const { answer } of some) answer()
    } catch (error) {
      // one record that cannot be stored must not make the other calls fail, so each record is then stored alone
      if (some.length > 1) return void (await Promise.all(some.map((one) => store([one]))))
      warn(`a decision could not be recorded: ${asError(error).message}`)
      for (const { fail } of some) fail(new UnavailableError('store', 'the decision could not be recorded'))
    }
  }
  const writeWaiting = async (): Promise<void> => {
    writes++
    while (waiting.length > 0) {
      const some = waiting.splice(0, MAX_STORED_TOGETHER)
      await store(some.map(({ complete }) => complete))
      for (const { stored } of some) stored()
    }
    writes--
  }
  return (complete) =>
    new Promise((stored) => {
      waiting.push({ complete, stored })
      if (writes < MAX_WRITES) void writeWaiting()
    })
}
