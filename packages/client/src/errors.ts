/**
 * Thrown if the service could not be reached or did not answer in time. `mayHaveHappened` returns true if it is possible that the call took
 * effect.
 */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError'
}

/**
 * An answer with which the service refused a call that claims resources. It is the `cause` of UnknownOutcomeError if an earlier attempt of
 * the call got no answer, because that attempt can still claim after the refusal.
 */
export class RefusedError extends Error {
  override readonly name = 'RefusedError'
  readonly answer: Refusal

  constructor(answer: Refusal) {
    super(answer.message ?? `the call was refused with ${answer.__typename}`)
    this.answer = answer
  }
}

/** An answer that is no placement, such as NoValidHost. */
export interface Refusal {
  readonly __typename: string
  readonly message?: string
}

/**
 * Thrown if a call that claims resources ended without a usable answer. The service can have claimed resources nevertheless. A repeated
 * call with this idempotency key gets the answer that did not arrive, or claims resources if nothing was claimed yet. `abandon` releases
 * everything that was claimed under the key. `cause` is the error that ended the call.
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

/** Thrown if the function that provides the API key failed, or if the key cannot be sent. The service did not execute the call. */
export class KeySourceError extends Error {
  override readonly name = 'KeySourceError'

  constructor(cause: unknown) {
    super(`no usable API key: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}

/** Thrown if the response is not a GraphQL answer, for example because the URL is wrong or a proxy sent an error page. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError'
  readonly status: number
  /** The delay in the header Retry-After, in milliseconds. Undefined if the response has no such header. */
  readonly retryAfterMs: number | undefined

  constructor(message: string, status: number, retryAfterMs?: number) {
    super(message)
    this.status = status
    this.retryAfterMs = retryAfterMs
  }
}

/**
 * One of the top-level `errors` of an answer. Such an error means that the call was wrong or the service failed. Expected failures are in
 * the data.
 */
export interface Fault {
  readonly message: string
  readonly path?: readonly (string | number)[]
  readonly extensions?: {
    readonly code?: string
    readonly requestId?: string
    /** True if the same call can succeed later. */
    readonly retryable?: boolean
    /** The least time to wait before a retry, in milliseconds. */
    readonly retryAfterMs?: number
    /** All problems of the input. The error has the message of the first problem. */
    readonly issues?: readonly { readonly path: readonly string[]; readonly message: string }[]
  }
}

/** Thrown if the service answered with top-level errors. `code` is the code of the first error. */
export class FaultError extends Error {
  override readonly name = 'FaultError'
  readonly status: number
  readonly faults: readonly Fault[]
  readonly code: string | undefined
  /** The least time to wait before a retry, in milliseconds. Undefined if neither the errors nor the header Retry-After state a time. */
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

/** Codes of errors that occur before a connection is established. After such an error, nothing was sent. Browsers do not report codes. */
const NOT_CONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])

/**
 * Returns true if it is possible that a call took effect although it failed with this error. Returns false if the call was never sent, or
 * was refused before the service executed it.
 */
export function mayHaveHappened(error: unknown): boolean {
  if (error instanceof FaultError || error instanceof ProtocolError)
    return error.status < 400 || error.status === 408 || error.status >= 500
  if (error instanceof KeySourceError) return false
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if ('code' in cause && NOT_CONNECTED.has(String(cause.code))) return false
  return true
}

/** HTTP statuses with which a proxy reports that the service is unavailable or busy. A retry can then succeed. */
const PASSING_STATUSES = new Set([408, 425, 429, 502, 503, 504])

/** HTTP statuses with which a proxy reports that it got no answer from the service. */
const ENDPOINT_STATUSES = new Set([408, 502, 503, 504])
/** Codes with which a replica reports that it cannot serve now. */
const ENDPOINT_CODES = new Set(['UNAVAILABLE', 'DEADLINE_EXCEEDED'])

/** Returns true if the error shows that the endpoint does not work at present, so that another endpoint should be called. */
export function isOfEndpoint(error: unknown): boolean {
  if (error instanceof ProtocolError) return ENDPOINT_STATUSES.has(error.status)
  if (error instanceof FaultError) return error.code !== undefined && ENDPOINT_CODES.has(error.code)
  return error instanceof UnreachableError
}

/** Returns the least time to wait before a retry, in milliseconds. Undefined if a retry would fail in the same way. */
export function retryAfter(error: unknown): number | undefined {
  if (error instanceof UnreachableError) return 0
  if (error instanceof ProtocolError) return PASSING_STATUSES.has(error.status) ? (error.retryAfterMs ?? 0) : undefined
  if (!(error instanceof FaultError)) return undefined
  return error.faults.every(({ extensions }) => extensions?.retryable === true) ? (error.retryAfterMs ?? 0) : undefined
}
