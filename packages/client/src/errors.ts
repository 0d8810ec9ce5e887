/** The service could not be reached, or did not answer within the deadline. What was asked may have happened. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError'
}

/** The answer is no GraphQL answer: a proxy's page, a wrong address, a broken body. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError'
  readonly status: number

  constructor(message: string, status: number) {
    super(message)
    this.status = status
  }
}

/** One of the top-level `errors` of an answer: a fault of the caller's document or of the service, never an expected end. */
export interface Fault {
  readonly message: string
  readonly path?: readonly (string | number)[]
  readonly extensions?: {
    readonly code?: string
    readonly requestId?: string
    readonly retryable?: boolean
    /** Everything that is wrong with the input; the message is that of the first. */
    readonly issues?: readonly { readonly path: readonly string[]; readonly message: string }[]
  }
}

/** The service answered with top-level errors. `code` is that of the first, for callers that decide by it. */
export class FaultError extends Error {
  override readonly name = 'FaultError'
  readonly status: number
  readonly faults: readonly Fault[]
  readonly code: string | undefined

  constructor(faults: readonly Fault[], status: number) {
    super(
      faults.map(({ message, extensions }) => (extensions?.code === undefined ? message : `${message} (${extensions.code})`)).join('; '),
    )
    this.faults = faults
    this.status = status
    this.code = faults[0]?.extensions?.code
  }
}
