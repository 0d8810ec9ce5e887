/** The caller disconnected before the answer was complete. */
export class CallerGoneError extends Error {
  override readonly name = 'CallerGoneError'

  constructor() {
    super('the caller went away before the answer was ready')
  }
}
