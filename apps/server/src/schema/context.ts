import type { Caller } from '../auth/caller.ts'
import type { FleetAt } from '../services/moments.ts'
import type { Services } from '../services/services.ts'
import type { AnswerSize } from './answer-size.ts'

/** What resolvers see beside their arguments. */
export interface Context extends Services {
  readonly caller: Caller
  /** Fleets that this call asks about. */
  readonly fleetAt: FleetAt
  /** In every answer and every log line of the call. */
  readonly requestId: string
  /** Counts how large the answer becomes. */
  readonly answer: AnswerSize
}
