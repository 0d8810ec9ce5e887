import type { Place } from '@gantt/scheduler-core'
import { StoreUnavailableError, type Synchronizer } from '../sync/synchronizer.ts'
import type { Timers } from '../timers.ts'
import type { Batch } from './batch.ts'
import type { UnavailableError } from './placement.ts'
import type { Work } from './work.ts'

/** An answer, and the place in the log that it rests on. */
export interface HeldAnswer {
  readonly place: Place
  answer(): void
  fail(error: UnavailableError): void
  /** What is to be done again when the place is lost, and the batch that it came of. */
  readonly work?: Work
  readonly batch?: Batch
}

/** Answers that wait until what they rest on survives any crash of the store, in the order of their places. */
export interface HeldAnswers {
  /** Answers at once where the place is durable already. */
  hold(held: HeldAnswer): void
  /** Asks the store again for what still waits. */
  retry(): void
  /** Takes out all answers behind a revision: what they rest on is lost. */
  takeBehind(revision: number): readonly HeldAnswer[]
  readonly count: number
  failAll(error: UnavailableError): void
}

/** How long a flush that failed is not tried again. */
const RETRY_MS = 50

/** `onFailed` is called when a flush failed, `onEmpty` when nothing waits any more. */
export function createHeldAnswers(
  store: Pick<Synchronizer, 'durable' | 'durableRevision'>,
  timers: Timers,
  { onFailed, onEmpty }: { onFailed(): void; onEmpty(): void },
): HeldAnswers {
  let waiting: HeldAnswer[] = []
  let isFlushing = false
  const isDurable = ({ place }: HeldAnswer): boolean => place.revision <= store.durableRevision()

  const answerDurable = (): void => {
    const end = waiting.findIndex((held) => !isDurable(held))
    const durable = end < 0 ? waiting.splice(0) : waiting.splice(0, end)
    for (const held of durable) held.answer()
    if (durable.length > 0 && waiting.length === 0) onEmpty()
  }

  const flush = (): void => {
    const last = waiting.at(-1)
    if (last === undefined || isFlushing) return
    isFlushing = true
    store.durable(last.place).then(
      () => {
        isFlushing = false
        answerDurable()
        flush()
      },
      (error: unknown) => {
        // whether the store went back, or cannot be reached, is told by the next look at it
        const pause = error instanceof StoreUnavailableError ? RETRY_MS : 0
        timers.after(pause, () => {
          isFlushing = false
          onFailed()
        })
      },
    )
  }

  return {
    hold(held) {
      if (waiting.length === 0 && isDurable(held)) return held.answer()
      waiting.push(held)
      flush()
    },
    retry() {
      answerDurable()
      flush()
    },
    takeBehind(revision) {
      const lost = waiting.filter(({ place }) => place.revision > revision)
      waiting = waiting.filter(({ place }) => place.revision <= revision)
      return lost
    },
    get count() {
      return waiting.length
    },
    failAll(error) {
      for (const { fail } of waiting.splice(0)) fail(error)
    },
  }
}
