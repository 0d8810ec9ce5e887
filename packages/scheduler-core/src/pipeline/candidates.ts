import { type Fact, fromRequest } from '../evidence.ts'
import type { Filter, PreparedFilter } from '../filters/filter.ts'
import type { HostIndex } from '../fleet/columns.ts'
import { type HostRecord, hostKey } from '../fleet/hosts.ts'
import { membershipsOf, reportOf } from '../fleet/sources.ts'
import type { RequestSpec } from '../request/request-spec.ts'

/**
 * The hosts that the request lets in at all: not ignored; forced or requested if it names any; in the aggregates it
 * names. Run before the profile's filters, as in Nova's host manager, whatever the profile says.
 */
export const candidatesFilter: Filter = {
  name: 'Candidates',
  description: 'The request names the host, or names none, and does not exclude it.',
  reads: [],
  readsHostOnly: true,
  prepare(request, fleet) {
    const checks = [ignored(request), forced(request), forbidden(request), ...memberships(request)].filter((check) => check !== undefined)
    if (checks.length === 0) return undefined
    const refusing = (host: HostIndex) => {
      const record = fleet.hosts.get(host)
      return checks.find((check) => !check.passes(record))
    }
    return {
      passes: (host) => refusing(host) === undefined,
      reason: (host) => refusing(host)?.reason ?? { code: 'host.excluded' },
      facts(host) {
        const record = fleet.hosts.get(host)
        return checks.filter((check) => !check.passes(record)).map((check) => factOf(check, record))
      },
    }
  },
}

interface Check {
  passes(host: { readonly host: string; readonly node: string; readonly aggregates: readonly string[] }): boolean
  readonly reason: ReturnType<PreparedFilter['reason']>
  /** The field of the request that names hosts or aggregates. */
  readonly field: string
  /** What of the host is looked at: its name, or its aggregates. */
  readonly looksAt: 'name' | 'aggregates'
}

const factOf = ({ reason: { subject, need }, field, looksAt }: Check, record: HostRecord): Fact => ({
  subject: subject ?? (looksAt === 'name' ? 'host' : 'aggregates'),
  ...(need !== undefined && { required: need }),
  actual: looksAt === 'name' ? hostKey(record) : record.aggregates.slice(0, 5).join(', ') || 'none',
  requiredFrom: fromRequest(field),
  actualFrom: looksAt === 'name' ? reportOf(record) : membershipsOf(record),
})

function ignored({ ignoreHosts }: RequestSpec): Check | undefined {
  if (ignoreHosts.length === 0) return undefined
  const names = new Set(ignoreHosts)
  return {
    passes: ({ host }) => !names.has(host),
    reason: { code: 'host.excluded', subject: 'ignoreHosts' },
    field: 'ignoreHosts',
    looksAt: 'name',
  }
}

function forced({ forceHosts, forceNodes, requestedDestination }: RequestSpec): Check | undefined {
  const hosts = new Set([...forceHosts, ...(requestedDestination?.host ? [requestedDestination.host] : [])])
  const nodes = new Set([...forceNodes, ...(requestedDestination?.node ? [requestedDestination.node] : [])])
  if (hosts.size === 0 && nodes.size === 0) return undefined
  return {
    passes: ({ host, node }) => (hosts.size === 0 || hosts.has(host)) && (nodes.size === 0 || nodes.has(node)),
    reason: { code: 'host.not_requested', need: [...hosts, ...nodes].slice(0, 5).join(', ') },
    field: [
      ...(forceHosts.length > 0 ? ['forceHosts'] : []),
      ...(forceNodes.length > 0 ? ['forceNodes'] : []),
      ...(requestedDestination?.host || requestedDestination?.node ? ['requestedDestination'] : []),
    ].join(' and '),
    looksAt: 'name',
  }
}

/** One check per list of aggregates: the host must be in at least one of each list. */
function memberships({ requestedDestination, requestedResources }: RequestSpec): Check[] {
  return [
    { wanted: requestedDestination?.aggregates ?? [], field: 'requestedDestination.aggregates' },
    ...requestedResources.map(({ memberOf }, i) => ({ wanted: memberOf, field: `requestedResources.${i}.memberOf` })),
  ]
    .filter(({ wanted }) => wanted.length > 0)
    .map(({ wanted, field }) => ({
      passes: ({ aggregates }) => wanted.some((uuid) => aggregates.includes(uuid)),
      reason: { code: 'aggregate.not_member', need: wanted.slice(0, 5).join(', ') },
      field,
      looksAt: 'aggregates',
    }))
}

function forbidden({ requestedDestination }: RequestSpec): Check | undefined {
  const unwanted = requestedDestination?.forbiddenAggregates ?? []
  if (unwanted.length === 0) return undefined
  return {
    passes: ({ aggregates }) => !unwanted.some((uuid) => aggregates.includes(uuid)),
    reason: { code: 'host.excluded', subject: 'forbiddenAggregates' },
    field: 'requestedDestination.forbiddenAggregates',
    looksAt: 'aggregates',
  }
}
