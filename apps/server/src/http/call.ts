import type { Caller } from '../auth/caller.ts'
import type { Answer } from './answer-size.ts'

/** What the HTTP server knows of a call before its document is read. */
export interface Call {
  readonly caller: Caller
  readonly requestId: string
  readonly answer: Answer
}
