import { AsyncLocalStorage } from 'node:async_hooks'
import { type Turns, turns } from './pauses.ts'

/** The caller disconnected before the answer was complete. */
export class CallerGoneError extends Error {
  override readonly name = 'CallerGoneError'

  constructor() {
    super('the caller went away before the answer was ready')
  }
}

/** The call that is being answered: aborted once its caller has disconnected. */
const calls = new AsyncLocalStorage<AbortSignal | undefined>()

/** Does what a call asks; questions of it end once `gone` is aborted. */
export const duringCall = <Result>(gone: AbortSignal, work: () => Result): Result => calls.run(gone, work)

/** Runs work that several callers wait for, or that continues after the call that started it, so that it does not end with a caller. */
export const outsideOfCalls = <Result>(work: () => Result): Result => calls.run(undefined, work)

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
