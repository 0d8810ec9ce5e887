import type { Caller } from '../auth/caller.ts'
import type { Services } from '../services/services.ts'

/** What resolvers see beside their arguments. */
export interface Context extends Services {
  readonly caller: Caller
  /** In every answer and every log line of the call. */
  readonly requestId: string
}
