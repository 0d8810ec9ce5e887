import { showUnseen } from '@gantt/scheduler-core'
import { GraphQLError } from 'graphql'
import { outageOf } from '../../db/outage.ts'
import { UnreadableDecisionError } from '../../db/tables/decisions.ts'
import { CallerGoneError } from '../../event-loop/query.ts'
import { TooManyWhatIfQueriesError } from '../../event-loop/slots.ts'
import { RetriesExhaustedError } from '../../replica/propose/retries.ts'
import { FeatureLevelError } from '../../replica/watch/feature-level.ts'
import { fault, isFault } from '../../schema/types/faults.ts'
import { InputFault } from '../../services/calls/outcome.ts'
import { TooManyStreamsError } from '../../services/watch/watch.ts'
import { EntryTooLargeError, StoreUnavailableError } from '../../sync/synchronizer.ts'
import { UnavailableError } from '../../unavailable.ts'

/**
 * An error in the form for callers. Errors of this service are returned unchanged, other known errors are converted, and all remaining
 * errors become INTERNAL.
 */
export function toFault(error: unknown): GraphQLError {
  if (isFault(error)) return error
  const cause = error instanceof GraphQLError ? error.originalError : error
  const at = error instanceof GraphQLError ? error : undefined
  if (isFault(cause)) return located(cause, at)
  if (cause instanceof InputFault) {
    const [first] = cause.issues
    const detail = first ? { path: first.path, rule: first.code, found: first.actual, allowed: first.expected } : {}
    const answer = fault('GRAPHQL_VALIDATION_FAILED', cause.message, detail)
    answer.extensions.issues = cause.issues.slice(0, 50).map(({ code: rule, path, message, actual, expected }) => ({
      ...{ path: path.map((key) => showUnseen(key)), rule, message: showUnseen(message) },
      ...{ found: showUnseen(actual), allowed: showUnseen(expected) },
    }))
    return located(answer, at)
  }
  if (cause instanceof UnavailableError && cause.reason === 'went_back')
    return located(fault('STORE_WENT_BACK', sentence(cause.message)), at)
  if (cause instanceof UnavailableError)
    return located(
      fault(cause.reason === 'deadline' ? 'DEADLINE_EXCEEDED' : 'UNAVAILABLE', sentence(cause.message), { retryAfterMs: 1_000 }),
      at,
    )
  if (cause instanceof RetriesExhaustedError) {
    const detail = { rule: cause.rule, found: `${cause.attempts} attempts`, retryAfterMs: 1_000 }
    return located(fault('RETRIES_EXHAUSTED', sentence(cause.message), detail), at)
  }
  if (cause instanceof CallerGoneError) return located(fault('UNAVAILABLE', sentence(cause.message)), at)
  if (cause instanceof EntryTooLargeError) return located(fault('ENTRY_TOO_LARGE', sentence(cause.message)), at)
  if (cause instanceof FeatureLevelError) {
    const { replica, reads, needs } = cause
    return located(fault('FEATURE_LEVEL', sentence(cause.message), { replica, reads, needs, retryAfterMs: 10_000 }), at)
  }
  if (cause instanceof UnreadableDecisionError) return located(fault('RECORD_UNREADABLE', sentence(cause.message)), at)
  if (cause instanceof StoreUnavailableError || outageOf(cause) !== undefined)
    return located(
      fault('UNAVAILABLE', 'The database does not answer, so that reads from its tables fail at present.', { retryAfterMs: 1_000 }),
      at,
    )
  if (cause instanceof TooManyWhatIfQueriesError) {
    const detail = { rule: 'limit.key_questions', found: String(cause.found), allowed: `at most ${cause.most}`, retryAfterMs: 1_000 }
    return located(fault('RATE_LIMITED', sentence(cause.message), detail), at)
  }
  if (cause instanceof TooManyStreamsError) return located(fault('RATE_LIMITED', sentence(cause.message), { retryAfterMs: 5_000 }), at)
  // errors of the document itself have no cause
  if (at !== undefined && cause === undefined && !(at.extensions.unexpected === true))
    return located(fault('GRAPHQL_VALIDATION_FAILED', shorten(at.message)), at)
  const defect = located(fault('INTERNAL', 'The service failed to answer. Its log has the reason, with the request id.'), at)
  defects.set(defect, cause ?? error)
  return defect
}

/** The original error behind each error that callers get as INTERNAL. */
const defects = new WeakMap<GraphQLError, unknown>()

/** The reason of an error of the service itself, for operators; undefined for every other error. */
export function defectBehind(error: GraphQLError): string | undefined {
  if (error.extensions.code !== 'INTERNAL') return undefined
  const cause = defects.get(error) ?? error
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`

export const shorten = (text: string, most = 300): string => (text.length > most ? `${text.slice(0, most - 3)}...` : text)

/** The same error, with its position in the answer. */
function located(error: GraphQLError, at: GraphQLError | undefined): GraphQLError {
  if (at === undefined) return error
  const { nodes, path } = at
  return new GraphQLError(error.message, { ...(nodes ? { nodes } : {}), ...(path ? { path } : {}), extensions: error.extensions })
}
