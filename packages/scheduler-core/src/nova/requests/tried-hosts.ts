import type { RequestSpec } from '../../request/request-spec.ts'
import type { NovaRetry } from '../objects/request.ts'
import { NovaError } from '../text/nova-error.ts'
import { novaRequestOf } from './own-request.ts'

/** The nodes that Nova has already tried for the instance (`retry.hosts`). Empty for a request that is not in Nova's form. */
export function triedHosts(spec: RequestSpec): NovaRetry['hosts'] {
  if (spec.nova === null) return []
  try {
    return novaRequestOf(spec).retry?.hosts ?? []
  } catch (error) {
    // No error is needed here, because the decision reports a request that Nova cannot read.
    if (error instanceof NovaError) return []
    throw error
  }
}
