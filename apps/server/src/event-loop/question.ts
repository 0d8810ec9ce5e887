import { AsyncLocalStorage } from 'node:async_hooks'
import { type Turns, turns } from './pauses.ts'

/** The caller disconnected before the answer was complete. */
export class CallerGoneError extends Error {
  override readonly name = 'CallerGoneError'

  constructor() {
    super('the caller went away before the answer was ready')
  }
}

/** The signal of the present call. It is aborted when the caller has disconnected. */
const calls = new AsyncLocalStorage<AbortSignal | undefined>()

/** Runs the work of a call. Its queries end when `gone` is aborted. */
export const duringCall = <Result>(gone: AbortSignal, work: () => Result): Result => calls.run(gone, work)

/**
 * Runs work that several callers wait for, or that continues after the call that started it. The work does not end when a caller
 * disconnects.
 */
export const outsideOfCalls = <Result>(work: () => Result): Result => calls.run(undefined, work)

/** Throws CallerGoneError if the caller of the present call has disconnected. */
export function assertAsked(): void {
  if (calls.getStore()?.aborted === true) throw new CallerGoneError()
}

/**
 * Called between two steps of a query. Returns a promise that the query must await if it is time to yield, otherwise undefined. Throws
 * CallerGoneError if the caller has disconnected; the promise can also reject with this error.
 */
export function pauseOfQuestion({ pause }: Turns = turns): Promise<void> | undefined {
  assertAsked()
  return pause()?.then(assertAsked)
}

/**
 * Answers a query step by step. When the query yields, other calls are answered. If the caller disconnects, the query ends with
 * CallerGoneError when it yields next. Work that other callers also wait for uses `inPieces`.
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
    // ends the generator, so that its finally blocks run
    work.return(undefined as never)
    throw error
  }
}
