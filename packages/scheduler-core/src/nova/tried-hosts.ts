import type { RequestSpec } from '../request/request-spec.ts'
import { NovaError } from './nova-error.ts'
import type { NovaRetry } from './objects/request.ts'
import { novaRequestOf } from './own-request.ts'

/** The nodes on which Nova has tried the instance before, as its request says (`retry.hosts`); none for a request of another form. */
export function triedHosts(spec: RequestSpec): NovaRetry['hosts'] {
  if (spec.nova === null) return []
  try {
    return novaRequestOf(spec).retry?.hosts ?? []
  } catch (error) {
    // a value that Nova's objects refuse is told by the decision
    if (error instanceof NovaError) return []
    throw error
  }
}
