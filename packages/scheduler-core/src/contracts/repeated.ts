import type { DecisionRecord } from '../records/decision.ts'
import { mustLeave } from '../request/intent.ts'
import { requestAt } from '../request/members.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import { builtIn } from './built-in.ts'
import { restated } from './restated.ts'

/** The data of a recorded decision that shows which hosts the service added to its request. */
export interface Recorded extends Pick<DecisionRecord, 'intent' | 'source'> {
  /** All names that the host of the claim `source` has had. Undefined if the claim is no longer known. */
  readonly sourceNames?: readonly string[] | undefined
}

/** The host that the instance of a recorded decision had to leave. It is the last of `ignoreHosts`. Undefined for all other decisions. */
export const hostLeft = ({ ignoreHosts }: Pick<RequestSpec, 'ignoreHosts'>, recorded: Recorded): string | undefined =>
  mustLeave(recorded.intent ?? 'CREATE') && hasAdded(ignoreHosts, recorded) ? ignoreHosts.at(-1) : undefined

/**
 * True if the service added the last of the hosts to ignore. Moves and further attempts add the host of the claim `source`, but a further
 * attempt does not if the host has several nodes.
 */
function hasAdded(ignoreHosts: readonly string[], { intent = 'CREATE', source, sourceNames }: Recorded): boolean {
  const last = ignoreHosts.at(-1)
  if (source === undefined || last === undefined) return false
  return sourceNames === undefined ? mustLeave(intent) : intent !== 'RESIZE' && intent !== 'REBUILD' && sourceNames.includes(last)
}

/** The request, reduced to one instance and without the hosts that it requires. Instances of one request can have different sizes. */
export function requestOfOne(request: RequestSpec, index: number, instance: string | null): RequestSpec {
  const own = requestAt(request, Math.max(0, index))
  return restated(own, {
    numInstances: 1,
    instanceUuids: instance === null ? [] : [instance],
    forceHosts: [],
    forceNodes: [],
    requestedDestination: own.requestedDestination && { ...own.requestedDestination, host: null, node: null },
  })
}

/**
 * The request of a recorded decision, for a later move of one of its instances. What belonged to the recorded attempt alone is left out, as
 * Nova does not store it with an instance: the required hosts, the hosts that were tried, the host that the instance left, and the hosts on
 * which the members of its server group were then.
 */
export function repeatedRequest(request: RequestSpec, recorded: Recorded, index: number, instance: string | null): RequestSpec {
  const own = requestOfOne(request, index, instance)
  const { instanceGroup } = own
  const repeated = restated(own, {
    ignoreHosts: keptIgnored(own, recorded),
    instanceGroup: instanceGroup && { ...instanceGroup, hosts: [] },
  })
  return repeated.nova === null ? repeated : builtIn().documents.withoutTried(repeated)
}

/**
 * The hosts to ignore that the caller of a recorded decision named for the instance. Nova names hosts to ignore only for one operation, so a
 * request in Nova's form has none.
 */
function keptIgnored({ ignoreHosts, nova }: RequestSpec, recorded: Recorded): readonly string[] {
  if (nova !== null) return []
  return hasAdded(ignoreHosts, recorded) ? ignoreHosts.slice(0, -1) : ignoreHosts
}
