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

/** Runs work that several callers wait for, or that continues after the call that started it. It does not end when a caller disconnects. */
export const outsideOfCalls = <Result>(work: () => Result): Result => calls.run(undefined, work)

/** Throws CallerGoneError if the caller of the present call has disconnected. */
export function assertAsked(): void {
  if (calls.getStore()?.aborted === true) throw new CallerGoneError()
}

/** Called between two steps of a query. Returns a promise to await if a pause is due. Throws CallerGoneError, also from the promise. */
export function pauseOfQuestion({ pause }: Turns = turns): Promise<void> | undefined {
  assertAsked()
  return pause()?.then(assertAsked)
}

/**
 * Answers a query step by step. Other calls are answered at its pauses, and it ends with CallerGoneError at the first pause after its
 * caller disconnected. Work that other callers also wait for uses `inPieces`.
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
    // releases what the work holds
    work.return(undefined as never)
    throw error
  }
}
