import type { Caller } from '../auth/caller.ts'
import type { EndOfCall } from '../event-loop/call-end.ts'
import type { FleetAt } from '../services/moments/moments.ts'
import type { Services } from '../services/services.ts'
import type { AnswerSize } from './types/answer-size.ts'

/** The context that every resolver gets in addition to its arguments. */
export interface Context extends Services {
  readonly caller: Caller
  /** The fleets that this call reads. */
  readonly fleetAt: FleetAt
  /** The id of the call. The answer and the log lines of the call contain this id. */
  readonly requestId: string
  /** Adds up the size of the answer, and stops the call if the answer is too large. */
  readonly answer: AnswerSize
  /** Aborted when the response ends or the caller disconnects. */
  readonly over: EndOfCall
}
