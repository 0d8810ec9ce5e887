import type { Filter } from '../contracts/filter.ts'
import { keptByMover } from '../kinds/index.ts'
import type { ResourceKind } from '../kinds/kind.ts'
import type { Grants } from '../records/grants.ts'

/** Creates the filter for a resource kind. It passes hosts with enough resources of this kind for the request. */
export const fitFilter = <Ask, Grant>(kind: ResourceKind<Ask, Grant>): Filter => ({
  ...kind.filter,
  ...(kind.isShared !== true && { readsHostOnly: true }),
  prepare(request, { hosts }) {
    const ask = kind.isThere?.(hosts) === false ? undefined : kind.ask(request)
    if (ask === undefined) return undefined
    return {
      passes: kind.prepareCanGive?.(hosts, ask) ?? ((host) => kind.canGive(hosts, host, ask)),
      reason: (host) => ({ ...kind.reason(hosts, host, ask), ...keptByMover(hosts, host, kind.name as keyof Grants) }),
      facts: (host) => kind.facts(hosts, host, ask, request),
      havers: () => kind.havers?.(hosts, ask),
    }
  },
})
