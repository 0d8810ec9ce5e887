/**
 * Thrown if a call was not answered in time, or if the store is unavailable. The call may have taken effect. A call with the same
 * idempotency key returns the outcome.
 */
export class UnavailableError extends Error {
  override readonly name = 'UnavailableError'
  /** `went_back`: the store lacks entries that this replica knows to be durable, so the replica refuses all writes. */
  readonly reason: 'deadline' | 'store' | 'went_back' | 'closing'

  constructor(reason: UnavailableError['reason'], message: string) {
    super(message)
    this.reason = reason
  }
}
