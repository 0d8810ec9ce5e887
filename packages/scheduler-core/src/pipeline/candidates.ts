import { type Fact, fromRequest } from '../evidence.ts'
import type { Admits, Filter, PreparedFilter } from '../filters/filter.ts'
import type { HostIndex } from '../fleet/columns.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { type HostRecord, hostKey } from '../fleet/hosts.ts'
import { membershipsOf, reportOf } from '../fleet/sources.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import { shortList } from '../short-list.ts'

/** The first filter of every decision. */
export interface CandidatesFilter extends Filter {
  /**
   * The hosts that a request names, each once, in order of index: no other passes, so that no other need be asked. Undefined: it names none.
   * No part of a profile can say such a thing: every host is asked of those that are left.
   */
  named?(request: RequestSpec, fleet: Fleet): readonly HostIndex[] | undefined
}

/** By names and aggregates. */
export const namedHosts: Admits = {
  by: 'place',
  which({ forceHosts, forceNodes, ignoreHosts, requestedDestination, requestedResources }) {
    const names = [...namesOf(forceHosts, requestedDestination?.host), ...namesOf(forceNodes, requestedDestination?.node)]
    const { aggregates = [], forbiddenAggregates = [] } = requestedDestination ?? {}
    const lists = [aggregates, ...requestedResources.map(({ memberOf }) => memberOf)].filter((list) => list.length > 0)
    return [
      ...(names.length === 0 ? [] : [`named ${shortList(names)}`]),
      ...lists.map((list) => `in ${list.length === 1 ? 'aggregate' : 'one of the aggregates'} ${shortList(list)}`),
      ...(forbiddenAggregates.length === 0 ? [] : [`outside of ${shortList(forbiddenAggregates)}`]),
      ...(ignoreHosts.length === 0 ? [] : [`other than ${shortList(ignoreHosts)}`]),
    ].join(', ')
  },
}

/**
 * The hosts that the request lets in at all: not ignored; forced or requested if it names any; in the aggregates it
 * names. Run before the profile's filters, as in Nova's host manager, whatever the profile says.
 */
export const candidatesFilter: CandidatesFilter = {
  name: 'Candidates',
  description: 'The request names the host, or names none, and does not exclude it.',
  admits: namedHosts,
  reads: [],
  readsHostOnly: true,
  prepare(request, fleet) {
    const checks = [ignored(request, fleet), forced(request, fleet), forbidden(request, fleet), ...memberships(request, fleet)].filter(
      (check) => check !== undefined,
    )
    const [only] = checks
    if (only === undefined) return undefined
    const refusing = (host: HostIndex) => checks.find((check) => !check.passes(host))
    return {
      passes: checks.length === 1 ? only.passes : (host) => refusing(host) === undefined,
      reason: (host) => refusing(host)?.reason ?? { code: 'host.excluded' },
      facts(host) {
        const record = fleet.hosts.get(host)
        return checks.filter((check) => !check.passes(host)).map((check) => factOf(check, record))
      },
    }
  },
  named({ forceHosts, requestedDestination }, fleet) {
    const names = namesOf(forceHosts, requestedDestination?.host)
    return names.size === 0 ? undefined : named(fleet, names)
  },
}

interface Check {
  /** Asked of every host: a look at a column, wherever that will do. */
  readonly passes: (host: HostIndex) => boolean
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

/** All nodes of these host names, in order of index. */
const named = ({ hosts }: Fleet, names: Iterable<string>): HostIndex[] =>
  Array.from(new Set(names), (name) => hosts.nodesOf(name))
    .flat()
    .sort((a, b) => a - b)

const namesOf = (forced: readonly string[], requested: string | null | undefined): ReadonlySet<string> =>
  new Set(requested ? [...forced, requested] : forced)

function ignored({ ignoreHosts }: RequestSpec, fleet: Fleet): Check | undefined {
  if (ignoreHosts.length === 0) return undefined
  const isNamed = new Uint8Array(fleet.hosts.count)
  for (const host of named(fleet, ignoreHosts)) isNamed[host] = 1
  return {
    passes: (host) => isNamed[host] !== 1,
    reason: { code: 'host.excluded', subject: 'ignoreHosts' },
    field: 'ignoreHosts',
    looksAt: 'name',
  }
}

function forced({ forceHosts, forceNodes, requestedDestination }: RequestSpec, fleet: Fleet): Check | undefined {
  const hosts = namesOf(forceHosts, requestedDestination?.host)
  const nodes = namesOf(forceNodes, requestedDestination?.node)
  if (hosts.size === 0 && nodes.size === 0) return undefined
  const isNamed = hosts.size === 0 ? undefined : new Set(named(fleet, hosts))
  return {
    passes: (host) => (isNamed === undefined || isNamed.has(host)) && (nodes.size === 0 || nodes.has(fleet.hosts.get(host).node)),
    reason: { code: 'host.not_requested', need: [...new Set([...hosts, ...nodes])].slice(0, 5).join(', ') },
    field: [
      ...(forceHosts.length > 0 ? ['forceHosts'] : []),
      ...(forceNodes.length > 0 ? ['forceNodes'] : []),
      ...(requestedDestination?.host || requestedDestination?.node ? ['requestedDestination'] : []),
    ].join(' and '),
    looksAt: 'name',
  }
}

/** Whether a host is in at least one of these aggregates. */
function inAnyOf({ aggregates }: Fleet, uuids: readonly string[]): (host: HostIndex) => boolean {
  const columns = uuids.map((uuid) => aggregates.members(uuid))
  const [only] = columns
  if (only !== undefined && columns.length === 1) return (host) => only[host] === 1
  return (host) => columns.some((column) => column[host] === 1)
}

/** One check per list of aggregates: the host must be in at least one of each list. */
function memberships({ requestedDestination, requestedResources }: RequestSpec, fleet: Fleet): Check[] {
  return [
    { wanted: requestedDestination?.aggregates ?? [], field: 'requestedDestination.aggregates' },
    ...requestedResources.map(({ memberOf }, i) => ({ wanted: memberOf, field: `requestedResources.${i}.memberOf` })),
  ]
    .filter(({ wanted }) => wanted.length > 0)
    .map(({ wanted, field }) => ({
      passes: inAnyOf(fleet, wanted),
      reason: { code: 'aggregate.not_member', need: wanted.slice(0, 5).join(', ') },
      field,
      looksAt: 'aggregates',
    }))
}

function forbidden({ requestedDestination }: RequestSpec, fleet: Fleet): Check | undefined {
  const unwanted = requestedDestination?.forbiddenAggregates ?? []
  if (unwanted.length === 0) return undefined
  const isIn = inAnyOf(fleet, unwanted)
  return {
    passes: (host) => !isIn(host),
    reason: { code: 'host.excluded', subject: 'forbiddenAggregates' },
    field: 'requestedDestination.forbiddenAggregates',
    looksAt: 'aggregates',
  }
}
