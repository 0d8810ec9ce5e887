import type { Timers } from '../../timers.ts'
import { UnavailableError } from '../../unavailable.ts'
import type { Waiting, Work } from './work.ts'

/** At most this many calls wait. Further calls are refused at once. */
const MAX_WAITING = 20_000

/** Calls that wait to become part of an entry, in order. */
export interface CallQueue {
  /** The waiting calls, oldest first. When the next entry is built, calls are removed from the front. */
  readonly works: Work[]
  /** Adds a call and resolves with its outcome. Rejects with UnavailableError after the deadline, or at once if too many calls wait. */
  add<Outcome, Item extends Work>(arrived: number, deadlineMs: number, create: (waiting: Waiting<Outcome>) => Item): Promise<Outcome>
  /** Returns calls to the front in the same order, so that they come before new ones. */
  requeue(works: readonly Work[]): void
  failAll(error: UnavailableError): void
}

export function createCallQueue(timers: Timers): CallQueue {
  const works: Work[] = []
  return {
    works,
    add<Outcome, Item extends Work>(arrived: number, deadlineMs: number, create: (waiting: Waiting<Outcome>) => Item) {
      if (works.length >= MAX_WAITING)
        return Promise.reject(
          new UnavailableError('store', `${MAX_WAITING} calls are already waiting; nothing was done, send the call again later`),
        )
      return new Promise<Outcome>((resolve, reject) => {
        const item = create({
          arrived,
          abandoned: false,
          settle(outcome) {
            cancel()
            resolve(outcome)
          },
          fail(error) {
            cancel()
            reject(error)
          },
        })
        const cancel = timers.after(deadlineMs, () => {
          // a call in flight can still take effect, but a waiting call is dropped
          item.abandoned = true
          const waiting = works.indexOf(item)
          if (waiting >= 0) works.splice(waiting, 1)
          reject(
            new UnavailableError(
              'deadline',
              `no answer within ${deadlineMs} ms; send the call again with the same key to learn the outcome`,
            ),
          )
        })
        works.push(item)
      })
    },
    requeue(again) {
      works.unshift(...again)
    },
    failAll(error) {
      for (const work of works.splice(0)) work.fail(error)
    },
  }
}
