import type { RequestSpec } from '../../request/request-spec.ts'
import type { NovaRetry } from '../objects/request.ts'
import { NovaError } from '../text/nova-error.ts'
import { novaRequestOf } from './own-request.ts'

/** The nodes that Nova has already tried for the instance, by its request (`retry.hosts`); none for a request of another form. */
export function triedHosts(spec: RequestSpec): NovaRetry['hosts'] {
  if (spec.nova === null) return []
  try {
    return novaRequestOf(spec).retry?.hosts ?? []
  } catch (error) {
    // The decision reports a value that Nova's objects refuse.
    if (error instanceof NovaError) return []
    throw error
  }
}
