import { UnreachableError } from '@gantt/client'

/** True if a request was aborted because no answer arrived in time. */
export const isTimeout = (error: unknown): boolean =>
  error instanceof UnreachableError && error.cause instanceof DOMException && error.cause.name === 'TimeoutError'
