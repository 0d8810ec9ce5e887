import type { Caller } from '../../auth/caller.ts'
import type { EndOfCall } from '../../event-loop/call-end.ts'
import type { Answer } from './limits/answer-size.ts'

/** What is known about a call before its document is read. */
export interface Call {
  readonly caller: Caller
  readonly requestId: string
  readonly answer: Answer
  /** Aborted when the response ends or the caller disconnects. */
  readonly over: EndOfCall
  /** Called when the whole answer is known and the caller only has to read it. Not called for a stream. */
  isToBeRead(): void
  /**
   * Runs the work on one of several operations of the body as a call of its own: with its own id of the request, its own answer, and its own
   * end if the caller disconnects or the answer becomes too large.
   */
  duringOperation<Result>(index: number, work: (call: Call) => Result): Result
}
