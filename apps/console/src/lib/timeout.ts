import { UnreachableError } from '@gantt/client'

/** Whether a request was ended because no answer came in time. */
export const isTimeout = (error: unknown): boolean =>
  error instanceof UnreachableError && error.cause instanceof DOMException && error.cause.name === 'TimeoutError'
