import type { Caller } from '../auth/caller.ts'
import type { FleetAt } from '../services/moments/moments.ts'
import type { Services } from '../services/services.ts'
import type { AnswerSize } from './types/answer-size.ts'

/** The context of resolvers, in addition to their arguments. */
export interface Context extends Services {
  readonly caller: Caller
  /** The fleets that this call reads. */
  readonly fleetAt: FleetAt
  /** The id of the call, which its answer and its log lines contain. */
  readonly requestId: string
  /** Adds up the size of the answer, and stops the call if the answer is too large. */
  readonly answer: AnswerSize
  /** Aborted when the response ends or its caller disconnects. */
  readonly over: AbortSignal
}
