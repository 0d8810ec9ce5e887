import type { Timers } from '../timers.ts'
import { UnavailableError } from './placement.ts'
import type { Waiting, Work } from './work.ts'

/** Calls that may wait: beyond, the next are refused at once. */
const MAX_WAITING = 20_000

/** Calls that wait to become part of an entry, in the order in which they will. */
export interface CallQueue {
  /** Oldest first; whoever builds an entry takes from the front. */
  readonly works: Work[]
  /** Adds a call and answers it: with its outcome, or with UnavailableError at its deadline or when too many wait. */
  add<Outcome, Item extends Work>(arrived: number, deadlineMs: number, create: (waiting: Waiting<Outcome>) => Item): Promise<Outcome>
  /** Back to the front, in the same order: what is to be decided again comes before what is new. */
  putBack(works: readonly Work[]): void
  failAll(error: UnavailableError): void
}

export function createCallQueue(timers: Timers): CallQueue {
  const works: Work[] = []
  return {
    works,
    add<Outcome, Item extends Work>(arrived: number, deadlineMs: number, create: (waiting: Waiting<Outcome>) => Item) {
      if (works.length >= MAX_WAITING)
        return Promise.reject(new UnavailableError('store', `${MAX_WAITING} calls wait already; nothing was done, try again later`))
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
          // what is on its way already may still count; what only waits is dropped
          item.abandoned = true
          const waiting = works.indexOf(item)
          if (waiting >= 0) works.splice(waiting, 1)
          reject(new UnavailableError('deadline', `no answer within ${deadlineMs} ms; ask again with the same key to learn the outcome`))
        })
        works.push(item)
      })
    },
    putBack(again) {
      works.unshift(...again)
    },
    failAll(error) {
      for (const work of works.splice(0)) work.fail(error)
    },
  }
}
