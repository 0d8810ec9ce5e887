import type { Fleet, Steps } from '@gantt/scheduler-core'
import { CallerGoneError } from '../../event-loop/caller-gone.ts'
import { answerYielding, atEndOfCall, pauseOfQuery } from '../../event-loop/query.ts'

/**
 * Runs functions on one fleet, each after the end of the preceding function, because a function can write tentative claims to the fleet and
 * then yield.
 */
export interface OwnFleet {
  work<Answer>(use: (fleet: Fleet) => Steps<Answer>): Promise<Answer>
  /** Runs a short synchronous read. */
  read<Answer>(use: (fleet: Fleet) => Answer): Promise<Answer>
}

/**
 * `fleet` is called at the first use. No other code may use the fleet that `fleet` returns. `giveBack` is called with the fleet when the
 * present call is answered; later uses then throw CallerGoneError.
 */
export function createOwnFleet(fleet: () => Fleet | Promise<Fleet>, giveBack?: (fleet: Fleet) => void): OwnFleet {
  let made: Promise<Fleet> | undefined
  let isEnded = false
  let last: Promise<unknown> = Promise.resolve()
  // A fleet is copied at once. One call can need many copies, so each copy begins in a turn with time left.
  const make = async (): Promise<Fleet> => {
    await pauseOfQuery()
    return fleet()
  }
  const inTurn = <Answer>(use: (fleet: Fleet) => Answer | Promise<Answer>): Promise<Answer> => {
    const answer = last.then(async () => {
      if (isEnded) throw new CallerGoneError()
      made ??= make()
      return use(await made)
    })
    last = answer.catch(() => undefined)
    return answer
  }
  if (giveBack !== undefined)
    atEndOfCall(() => {
      // functions that were already waiting end before the fleet is given back
      void last.then(() => {
        isEnded = true
        // if the fleet could not be made, the calls that use it have received the error
        made?.then(giveBack, () => undefined)
      })
    })
  return { work: (use) => inTurn((own) => answerYielding(use(own))), read: inTurn }
}
