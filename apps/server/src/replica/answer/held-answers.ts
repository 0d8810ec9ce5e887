import type { Place } from '@gantt/scheduler-core'
import { StoreUnavailableError, type Synchronizer } from '../../sync/synchronizer.ts'
import type { Timers } from '../../timers.ts'
import type { UnavailableError } from '../../unavailable.ts'
import type { Batch } from '../propose/batch.ts'
import type { Work } from '../propose/work.ts'

/** An answer, and the log position on which it depends. */
export interface HeldAnswer {
  readonly place: Place
  answer(): void
  fail(error: UnavailableError): void
  /** The call and its batch. If the store loses the entry of the batch, the call is decided again. */
  readonly work?: Work
  readonly batch?: Batch
}

/** Answers in the order of their log positions. Each waits until the entries on which it depends survive any crash of the store. */
export interface HeldAnswers {
  /** Sends an answer at once if its position is already durable. */
  hold(held: HeldAnswer): void
  /** Sends the answers that have become durable, and requests a flush of the store for the remaining ones. */
  retry(): void
  /** Removes and returns all answers that depend on entries after a revision, because the store lost these entries. */
  takeBehind(revision: number): readonly HeldAnswer[]
  readonly count: number
  failAll(error: UnavailableError): void
}

/** The pause after a failed flush, in milliseconds. */
const RETRY_MS = 50

/** `onFailed` is called when a flush failed, `onEmpty` when no answer waits any longer. */
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
        // the next read detects whether the store lost entries or does not answer
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
