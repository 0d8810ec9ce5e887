import type { Caller } from '../../auth/caller.ts'
import type { Answer } from './limits/answer-size.ts'

/** The data of a call that is known before the document is read. */
export interface Call {
  readonly caller: Caller
  readonly requestId: string
  readonly answer: Answer
  /** Aborted when the response ends or its caller disconnects. */
  readonly over: AbortSignal
}
