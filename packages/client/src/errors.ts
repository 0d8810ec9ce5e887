/**
 * The error if the service could not be reached, or did not answer in time. `mayHaveHappened` returns whether the call may have taken
 * effect.
 */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError'
}

/**
 * The error if a call that claims resources ended without a usable answer, so that resources may be held. The same call with this
 * idempotency key gets the answer, and `abandon` releases everything that the key holds. `cause` is the error that ended the call.
 */
export class UnknownOutcomeError extends Error {
  override readonly name = 'UnknownOutcomeError'
  readonly idempotencyKey: string

  constructor(idempotencyKey: string, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause)
    super(`${why}; resources may be held under the idempotency key ${idempotencyKey}`, { cause })
    this.idempotencyKey = idempotencyKey
  }
}

/** The error if the function or promise that provides the key failed. Nothing was sent. */
export class KeySourceError extends Error {
  override readonly name = 'KeySourceError'

  constructor(cause: unknown) {
    super(`the key source failed: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}

/** The error if the response is not a GraphQL answer, for example because of a wrong URL, or because a proxy sent an error page. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError'
  readonly status: number
  /** The delay in the header Retry-After, in milliseconds. */
  readonly retryAfterMs: number | undefined

  constructor(message: string, status: number, retryAfterMs?: number) {
    super(message)
    this.status = status
    this.retryAfterMs = retryAfterMs
  }
}

/**
 * One of the top-level `errors` of an answer. It means an error in the caller's document or in the service, and never an expected failure.
 */
export interface Fault {
  readonly message: string
  readonly path?: readonly (string | number)[]
  readonly extensions?: {
    readonly code?: string
    readonly requestId?: string
    /** Whether the same call may succeed later. */
    readonly retryable?: boolean
    /** The shortest time before a retry, in milliseconds. */
    readonly retryAfterMs?: number
    /** All problems of the input. The message of the error is that of the first problem. */
    readonly issues?: readonly { readonly path: readonly string[]; readonly message: string }[]
  }
}

/**
 * The error if the service answered with top-level errors. `code` is the code of the first one, by which callers can distinguish errors.
 */
export class FaultError extends Error {
  override readonly name = 'FaultError'
  readonly status: number
  readonly faults: readonly Fault[]
  readonly code: string | undefined
  /** The shortest time before a retry, in milliseconds, from the errors or from the header Retry-After. */
  readonly retryAfterMs: number | undefined

  constructor(faults: readonly Fault[], status: number, retryAfterMs?: number) {
    super(
      faults.map(({ message, extensions }) => (extensions?.code === undefined ? message : `${message} (${extensions.code})`)).join('; '),
    )
    this.faults = faults
    this.status = status
    this.code = faults[0]?.extensions?.code
    const waits = [retryAfterMs, ...faults.map(({ extensions }) => extensions?.retryAfterMs)].filter((wait) => wait !== undefined)
    this.retryAfterMs = waits.length === 0 ? undefined : Math.max(...waits)
  }
}

/** Codes of errors before a connection was established. Browsers do not report codes. */
const NOT_CONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])

/**
 * Whether a call that failed with this error may have taken effect. Only a call that was never sent, or was refused unread, certainly has
 * not.
 */
export function mayHaveHappened(error: unknown): boolean {
  if (error instanceof FaultError || error instanceof ProtocolError)
    return error.status < 400 || error.status === 408 || error.status >= 500
  if (error instanceof KeySourceError) return false
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if ('code' in cause && NOT_CONNECTED.has(String(cause.code))) return false
  return true
}

/** HTTP statuses with which a proxy reports that its server is unavailable or busy. */
const PASSING_STATUSES = new Set([408, 425, 429, 502, 503, 504])

/** The shortest time in milliseconds before a retry; undefined if a retry would fail in the same way. */
export function retryAfter(error: unknown): number | undefined {
  if (error instanceof UnreachableError) return 0
  if (error instanceof ProtocolError) return PASSING_STATUSES.has(error.status) ? (error.retryAfterMs ?? 0) : undefined
  if (!(error instanceof FaultError)) return undefined
  return error.faults.every(({ extensions }) => extensions?.retryable === true) ? (error.retryAfterMs ?? 0) : undefined
}
