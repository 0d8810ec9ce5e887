import type { Caller } from '../auth/caller.ts'

/** What the HTTP server knows of a call before its document is read. */
export interface Call {
  readonly caller: Caller
  readonly requestId: string
}
