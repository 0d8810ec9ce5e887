import { AsyncLocalStorage } from 'node:async_hooks'
import { type Turns, turns } from './pieces.ts'

/** The caller went away before the answer was there: nobody waits for it any more. */
export class CallerGoneError extends Error {
  override readonly name = 'CallerGoneError'

  constructor() {
    super('the caller went away before the answer was there')
  }
}

/** The call that is being answered: aborted once nobody waits for its answer. */
const calls = new AsyncLocalStorage<AbortSignal>()

/** Does what a call asks; questions of it end once `gone` is aborted. */
export const duringCall = <Result>(gone: AbortSignal, work: () => Result): Result => calls.run(gone, work)

/** Throws CallerGoneError where the call that is being answered has no caller any more. */
export function assertAsked(): void {
  if (calls.getStore()?.aborted === true) throw new CallerGoneError()
}

/** To be called between two steps of a question: what to wait for, if anything. Throws CallerGoneError, also from the wait. */
export function pauseOfQuestion({ pause }: Turns = turns): Promise<void> | undefined {
  assertAsked()
  return pause()?.then(assertAsked)
}

/**
 * Answers a question step by step: other calls are answered at its pauses, and it ends, with CallerGoneError, at the first one after its
 * caller went away. Work that others wait for too is not a question: see `inPieces`.
 */
export async function answerInPieces<Result>(work: Generator<void, Result>, shared: Turns = turns): Promise<Result> {
  try {
    for (;;) {
      const step = work.next()
      if (step.done) return step.value
      const pause = pauseOfQuestion(shared)
      if (pause !== undefined) await pause
    }
  } catch (error) {
    // what it holds is given back
    work.return(undefined as never)
    throw error
  }
}
