import type { Filter } from '../contracts/filter.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { keptByMover } from '../kinds/index.ts'
import type { ResourceKind } from '../kinds/kind.ts'
import { factOf, prepareUnnamed, type Unsent, unsentOf } from '../namespace/unsent.ts'
import type { Grants } from '../records/grants.ts'
import { demandOf, type RequestSpec } from '../request/request-spec.ts'
import { fromRule } from '../text/evidence.ts'
import type { Reason } from '../text/reason.ts'
import { canonicalJson } from '../values/canonical-json.ts'
import type { HostIndex } from '../values/host-index.ts'
import { memoByObject } from '../values/memo.ts'

/** All that any resource kind reads of a request, as text. */
const resourcesAsked = memoByObject((request: RequestSpec) => {
  const { numaTopology, pciRequests, gpus } = request
  return canonicalJson([demandOf(request).amounts, numaTopology, pciRequests, gpus])
})

/** Creates the filter for a resource kind. It passes hosts with enough resources of this kind for the request. */
export const fitFilter = <Ask, Grant>(kind: ResourceKind<Ask, Grant>): Filter => ({
  ...kind.filter,
  ...(kind.isShared !== true && { readsHostOnly: true, cacheKey: resourcesAsked }),
  prepare(request, fleet) {
    const { hosts } = fleet
    const ask = kind.isThere?.(hosts) === false ? undefined : kind.ask(request)
    if (ask === undefined) return undefined
    const unstated = prepareUnstated(kind, fleet)
    const reasonOf = (host: HostIndex): Reason => kind.reason(hosts, host, ask)
    return {
      passes: kind.prepareCanGive?.(hosts, ask) ?? ((host) => kind.canGive(hosts, host, ask)),
      reason(host) {
        const reason = reasonOf(host)
        return { ...(unstated(host, reason)?.reason ?? reason), ...keptByMover(hosts, host, kind.name as keyof Grants) }
      },
      facts(host) {
        const facts = kind.facts(hosts, host, ask, request)
        const missing = kind.unstated === undefined ? undefined : unstated(host, reasonOf(host))
        return missing === undefined ? facts : [factOf(missing, fromRule(`${kind.filter.name} reads it`)), ...facts.slice(1)]
      },
      havers: () => kind.havers?.(hosts, ask),
    }
  },
})

/**
 * Returns a function that completes the reason of a kind, if no document states what the kind reads because a host does not send it.
 * Undefined for all other reasons.
 */
function prepareUnstated<Ask, Grant>(
  { unstated }: ResourceKind<Ask, Grant>,
  fleet: Fleet,
): (host: HostIndex, reason: Reason) => Unsent | undefined {
  if (unstated === undefined) return () => undefined
  const { code, namespace, keyOf } = unstated
  const ofUnnamed = prepareUnnamed(
    fleet,
    // a document of any age states the size of a pool
    (record) => (record.namespaces.has(namespace) ? undefined : unsentOf(fleet, record, namespace)),
    keyOf,
  )
  return (host, reason) => {
    if (reason.code !== code) return undefined
    const unnamed = { reason, from: fromRule(`no ${namespace} document states it`) }
    const found = ofUnnamed(fleet.hosts.get(host), unnamed)
    return found === unnamed ? undefined : found
  }
}
