import { atOnce, copyFleet, type Fleet, type Place } from '@gantt/scheduler-core'
import { createTurns } from '../../event-loop/pauses.ts'
import type { Timers } from '../../timers.ts'
import type { Refusal, UnloggedAnswer } from '../propose/batch.ts'
import type { UnloggedDecision } from '../propose/placement.ts'

/** Searches the causes of refusals, one after the other in the order of their calls. Yields meanwhile, so that other calls are answered. */
export interface CauseSearches {
  /**
   * Starts the search for the cause of a refusal that was decided on this fleet. The search reads a private copy, so the fleet may change
   * afterwards. Resolves with undefined if the caller stopped waiting, or if the search failed, which also fails the call.
   */
  start(refusal: Refusal, fleet: Fleet): Promise<UnloggedAnswer | undefined>
}

/**
 * At most this many searches wait, because each can keep a copy of the fleet in memory. A further search runs at once and to its end. The
 * replica then makes no decisions meanwhile, which limits how many refusals arrive.
 */
const MAX_SEARCHES = 32

/** `onFound` is called with each refusal whose cause was found. */
export function createCauseSearches(timers: Timers, { onFound }: { onFound(decision: UnloggedDecision): void }): CauseSearches {
  // callers wait for these decisions, so their turns of the event loop are not shared with queries
  const turns = createTurns(timers)
  let last: Promise<unknown> = Promise.resolve()
  let searches = 0
  /** The newest copy of a fleet. Searches on the same state share a copy, because they run one after the other. */
  let newest: { readonly of: Fleet; readonly place: Place; readonly copy: Fleet } | undefined

  const sharedCopy = (fleet: Fleet): Fleet => {
    const { place } = fleet
    if (newest?.of !== fleet || newest.place !== place) newest = { of: fleet, place, copy: copyFleet(fleet) }
    return newest.copy
  }
  const found = (complete: UnloggedAnswer): UnloggedAnswer => {
    onFound(complete.decision)
    return complete
  }
  const searchAtOnce = ({ work, search }: Refusal, copy: Fleet): UnloggedAnswer | undefined => {
    try {
      return found(atOnce(search(copy)))
    } catch (error) {
      work.fail(asError(error))
      return undefined
    }
  }
  const searchYielding = async ({ work, search }: Refusal, copy: Fleet): Promise<UnloggedAnswer | undefined> => {
    const steps = search(copy)
    try {
      while (!work.abandoned) {
        const step = steps.next()
        if (step.done) return found(step.value)
        const pause = turns.pause()
        if (pause !== undefined) await pause
      }
      // ends the search early, which releases its overlay
      steps.return(undefined as never)
    } catch (error) {
      work.fail(asError(error))
    } finally {
      searches--
      if (searches === 0) newest = undefined
    }
    return undefined
  }
  return {
    start(refusal, fleet) {
      if (searches >= MAX_SEARCHES) return Promise.resolve(searchAtOnce(refusal, copyFleet(fleet)))
      const copy = sharedCopy(fleet)
      searches++
      const complete = last.then(() => searchYielding(refusal, copy))
      last = complete
      return complete
    },
  }
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))
