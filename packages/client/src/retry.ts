import { type Clock, systemClock } from './clock.ts'
import { retryAfter } from './errors.ts'

/** The time limits and the signal of a call that is retried. */
export interface CallOptions {
  /** The time limit in milliseconds for all attempts of a call, including pauses. The default is 30,000. */
  readonly deadlineMs?: number
  /**
   * The time limit of one attempt in milliseconds. It is never more than the time that remains until the deadline. The default is 12,000,
   * which is slightly more than the time after which the service itself ends a call.
   */
  readonly attemptMs?: number
  /** If this signal aborts, the call rejects with the signal's reason. */
  readonly signal?: AbortSignal
}

/** The sources of time and randomness. Tests replace them. */
export interface Surroundings {
  readonly clock?: Clock
  /** Returns a number from 0 to 1, like Math.random. */
  readonly random?: () => number
}

/** Wraps an answer after which the call must be retried. The answer is the result only if no time is left for a retry. */
export class AskAgain<Answer> {
  readonly answer: Answer
  readonly afterMs: number

  constructor(answer: Answer, afterMs: number) {
    this.answer = answer
    this.afterMs = afterMs
  }
}

/** The time limit and the signal of one attempt. */
export type Attempt = Required<Pick<CallOptions, 'deadlineMs'>> & Pick<CallOptions, 'signal'>

const DEADLINE_MS = 30_000
const ATTEMPT_MS = 12_000
const FIRST_PAUSE_MS = 100
const MAX_PAUSE_MS = 5_000

/**
 * Repeats an attempt. Returns the result, or throws the error, of the last attempt. `onFailure` is called with the error of each failed
 * attempt. `leastPauseMs` returns the least pause before the next attempt in milliseconds; its argument is the pause that the last attempt
 * requires, which applies if `leastPauseMs` is absent.
 */
export type Retry = <Answer>(
  options: CallOptions,
  attempt: (given: Attempt) => Promise<Answer | AskAgain<Answer>>,
  onFailure?: (error: unknown) => void,
  leastPauseMs?: (requiredMs: number) => number,
) => Promise<Answer>

/**
 * Creates a function that repeats attempts which are safe to repeat. An attempt is repeated if its answer requires a retry, if its error
 * is marked as temporary, or if there was no answer. There is no further attempt if the pause before it would last until the deadline.
 */
export function createRetry({ clock = systemClock, random = Math.random }: Surroundings): Retry {
  return async (options, attempt, onFailure, leastPauseMs = (requiredMs) => requiredMs) => {
    const { deadlineMs = DEADLINE_MS, attemptMs = ATTEMPT_MS, signal } = options
    const end = clock.now() + deadlineMs
    for (let failures = 0; ; failures++) {
      signal?.throwIfAborted()
      const given = { deadlineMs: Math.max(1, Math.min(attemptMs, end - clock.now())), ...(signal && { signal }) }
      const outcome = await settle(attempt(given))
      if ('error' in outcome) onFailure?.(outcome.error)
      if (outcome.afterMs === undefined) return unwrap(outcome)
      const pauseMs = leastPauseMs(outcome.afterMs) + pauseAfter(failures, random)
      if (clock.now() + pauseMs >= end) return unwrap(outcome)
      await clock.wait(pauseMs, signal)
    }
  }
}

/**
 * Returns a random pause in milliseconds, from 0 up to a bound that doubles with each failure (full jitter). Therefore, callers that failed
 * at the same time retry at different times.
 */
export const pauseAfter = (failures: number, random: () => number): number =>
  random() * Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures)

/** The outcome of an attempt, and the least pause before the next attempt. `afterMs` is undefined if there must be no further attempt. */
type Outcome<Answer> = ({ readonly answer: Answer } | { readonly error: unknown }) & { readonly afterMs: number | undefined }

async function settle<Answer>(attempt: Promise<Answer | AskAgain<Answer>>): Promise<Outcome<Answer>> {
  try {
    const answer = await attempt
    return answer instanceof AskAgain ? answer : { answer, afterMs: undefined }
  } catch (error) {
    return { error, afterMs: retryAfter(error) }
  }
}

function unwrap<Answer>(outcome: Outcome<Answer>): Answer {
  if ('error' in outcome) throw outcome.error
  return outcome.answer
}
