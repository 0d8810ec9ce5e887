import type { RequestSpec } from '../../request/request-spec.ts'
import type { NovaRetry } from '../objects/request.ts'
import { readableRequestOf } from './own-request.ts'

/**
 * The nodes that Nova has already tried for the instance (`retry.hosts`). Empty for a request that is not in Nova's form. For a request that
 * Nova cannot read no error is needed here, because the decision reports it.
 */
export const triedHosts = (spec: RequestSpec): NovaRetry['hosts'] =>
  spec.nova === null ? [] : (readableRequestOf(spec)?.retry?.hosts ?? [])
