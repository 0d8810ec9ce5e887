import type { Caller } from '../../auth/caller.ts'
import type { Answer } from './limits/answer-size.ts'

/** The data of a call that the HTTP server knows before the document is read. */
export interface Call {
  readonly caller: Caller
  readonly requestId: string
  readonly answer: Answer
  /** Aborted once the response is over, whether it was read or not. */
  readonly over: AbortSignal
}
