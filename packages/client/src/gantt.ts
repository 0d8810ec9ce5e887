import { type Calls, createCalls } from './call.ts'
import { type Client, type ClientOptions, clientOf } from './client.ts'
import { systemClock } from './clock.ts'
import { type Explanation, explainDecision, type WhyNot, type WhyNotInput, whyNot } from './documents/explaining.ts'
import { createHedging } from './endpoints/hedging.ts'
import { createEvents, type Events } from './events.ts'
import { createPlace, type Place } from './place/place.ts'
import { createPlacements, type Placements } from './placement.ts'
import { createReports, type Reports } from './reports.ts'
import { type CallOptions, createRetry, type Surroundings } from './retry.ts'
import { createTransport } from './transport.ts'

export interface GanttOptions extends Omit<ClientOptions, 'deadlineMs'>, Surroundings, Omit<CallOptions, 'signal'> {
  /**
   * Must be true if the key is bound to a project. Such a key may not read alternates, weights, limits, availability zones or reasons.
   * The client then does not request these fields, and they are empty or null in answers. With such a key, the service refuses `claim`,
   * reports, explanations and streams.
   */
  readonly isForProject?: boolean
  /**
   * If false, no call is sent twice because it is slow. Otherwise, if there are several endpoints, a call with an idempotency key that takes
   * longer than 95 % of the last 100 calls of its kind is also sent to another endpoint, with the same key. Of any twenty such calls in a
   * row at most one is sent twice.
   */
  readonly isHedging?: boolean
}

/** The interface of a placement service. */
export interface Gantt extends Placements, Reports {
  readonly place: Place
  /**
   * Explains a decision for one instance. `instance` is the index of this instance in the request. The default is the instance that was
   * not placed, or the first instance if all were placed.
   */
  explain(decisionId: string, instance?: number, options?: CallOptions): Promise<Explanation>
  /** Explains why a host was not selected for a decision, or would not be selected for a request. */
  whyNot(input: WhyNotInput, options?: CallOptions): Promise<WhyNot>
  readonly events: Events
  /**
   * Sends any query, and retries it until it is answered or its deadline has passed. `graphql` of this package creates the typed document.
   */
  readonly query: Calls['ask']
  /** The client that sends any call once, without retries. */
  readonly client: Client
}

/**
 * Creates the interface of a service. The calls are typed, and are retried if a retry is safe. The interface works in Node and in browsers.
 */
export function createGantt({
  clock = systemClock,
  random,
  deadlineMs,
  attemptMs,
  isForProject,
  isHedging = true,
  ...options
}: GanttOptions): Gantt {
  const transport = createTransport(options, clock)
  const surroundings = { clock, ...(random && { random }) }
  const defaults = { ...(deadlineMs !== undefined && { deadlineMs }), ...(attemptMs !== undefined && { attemptMs }) }
  const hedging = isHedging ? createHedging() : undefined
  const calls = createCalls({ transport, retry: createRetry(surroundings), clock, hedging, defaults })
  const placements = createPlacements(calls, isForProject)
  return {
    ...placements,
    ...createReports(calls),
    place: createPlace(placements, clock),
    explain: async (id, instance, how) => (await calls.ask(explainDecision, { id, instance: instance ?? null }, how)).explainPlacement,
    whyNot: async (input, how) => (await calls.ask(whyNot, { input }, how)).whyNot,
    events: createEvents(transport, surroundings),
    query: calls.ask,
    client: clientOf(transport),
  }
}
