import type { Caller } from '../../auth/caller.ts'
import type { Answer } from './limits/answer-size.ts'

/** What is known about a call before its document is read. */
export interface Call {
  readonly caller: Caller
  readonly requestId: string
  readonly answer: Answer
  /** Aborted when the response ends or the caller disconnects. */
  readonly over: AbortSignal
  /** Called when the whole answer is known and the caller only has to read it. Not called for a stream. */
  isToBeRead(): void
}
