import { showUnseen } from '@gantt/scheduler-core'
import { GraphQLError } from 'graphql'

/** All values of `extensions.code`. docs/errors.md has a remedy for each. */
export const faultCodes = [
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'PERSISTED_DOCUMENT_NOT_FOUND',
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'RATE_LIMITED',
  'COST_EXCEEDED',
  'DEADLINE_EXCEEDED',
  'UNAVAILABLE',
  'STORE_WENT_BACK',
  'RETRIES_EXHAUSTED',
  'ENTRY_TOO_LARGE',
  'FEATURE_LEVEL',
  'RECORD_UNREADABLE',
  'INTERNAL',
] as const

export type FaultCode = (typeof faultCodes)[number]

const statusOf: Readonly<Record<FaultCode, number>> = {
  GRAPHQL_PARSE_FAILED: 400,
  GRAPHQL_VALIDATION_FAILED: 400,
  PERSISTED_DOCUMENT_NOT_FOUND: 404,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  RATE_LIMITED: 429,
  COST_EXCEEDED: 400,
  DEADLINE_EXCEEDED: 504,
  UNAVAILABLE: 503,
  STORE_WENT_BACK: 503,
  RETRIES_EXHAUSTED: 503,
  ENTRY_TOO_LARGE: 413,
  FEATURE_LEVEL: 503,
  RECORD_UNREADABLE: 500,
  INTERNAL: 500,
}

const retryable: ReadonlySet<FaultCode> = new Set<FaultCode>([
  'RATE_LIMITED',
  'DEADLINE_EXCEEDED',
  'UNAVAILABLE',
  'RETRIES_EXHAUSTED',
  'FEATURE_LEVEL',
])

/** Details of an error: its path in the call, the found value and the allowed values. */
export interface FaultDetail {
  readonly path?: readonly string[]
  readonly rule?: string
  readonly found?: string
  readonly allowed?: string
  readonly retryAfterMs?: number
  /**
   * The replica that prevents the call (`replica`), the feature level that the replica supports (`reads`), and the required feature level
   * (`needs`).
   */
  readonly replica?: string
  readonly reads?: number
  readonly needs?: number
  /** The HTTP status of the error. Absent: the HTTP status of the code. */
  readonly status?: number
}

/** A top-level error with displayable texts: an error in the caller's document or in the service, with its HTTP status. */
export function fault(code: FaultCode, message: string, { status, ...detail }: FaultDetail = {}): GraphQLError {
  return new GraphQLError(showUnseen(message), {
    extensions: { code, retryable: retryable.has(code), ...shownIn(detail), http: { status: status ?? statusOf[code] } },
  })
}

/** True if an error was created by `fault`. Such an error contains nothing that must be hidden from the caller. */
export const isFault = (error: unknown): error is GraphQLError =>
  error instanceof GraphQLError && typeof error.extensions.code === 'string' && error.extensions.code in statusOf

/** Escapes invisible characters in the details of an error, because they quote the caller's input. */
function shownIn(detail: FaultDetail): FaultDetail {
  const { path, found, allowed } = detail
  return {
    ...detail,
    ...(path && { path: path.map((key) => showUnseen(key)) }),
    ...(found !== undefined && { found: showUnseen(found) }),
    ...(allowed !== undefined && { allowed: showUnseen(allowed) }),
  }
}
