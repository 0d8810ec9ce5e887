import { type Fact, fromRequest } from '../evidence.ts'
import type { Admits, Filter, PreparedFilter } from '../filters/filter.ts'
import type { HostIndex } from '../fleet/columns.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { type HostRecord, hostKey } from '../fleet/hosts.ts'
import { PLACEMENT_RULES } from '../fleet/levels.ts'
import { membershipsOf, reportOf } from '../fleet/sources.ts'
import { novaRequestOf } from '../nova/own-request.ts'
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

/** By names. */
export const namedHosts: Admits = { by: 'place', which: (request) => [...whichNamed(request), ...whichOthers(request)].join(', ') }

/** By names, the cell and aggregates. */
const namedPlaces: Admits = {
  by: 'place',
  which: (request) => [...whichNamed(request), ...whichPlaces(request), ...whichOthers(request)].join(', '),
}

function whichNamed({ forceHosts, forceNodes, requestedDestination }: RequestSpec): readonly string[] {
  const names = [...namesOf(forceHosts, requestedDestination?.host), ...namesOf(forceNodes, requestedDestination?.node)]
  return names.length === 0 ? [] : [`named ${shortList(names)}`]
}

const whichOthers = ({ ignoreHosts }: RequestSpec): readonly string[] =>
  ignoreHosts.length === 0 ? [] : [`other than ${shortList(ignoreHosts)}`]

/** Those in the cell and in the aggregates that a request names, and outside of those that it shuns. */
export function whichPlaces(request: RequestSpec): readonly string[] {
  const { requestedDestination, requestedResources } = request
  const asked = cellAskedBy(request)
  const { aggregates = [], forbiddenAggregates = [] } = requestedDestination ?? {}
  const lists = [aggregates, ...requestedResources.map(({ memberOf }) => memberOf)].filter((list) => list.length > 0)
  return [
    ...(asked === undefined ? [] : [`in cell ${asked}`]),
    ...lists.map((list) => `in ${list.length === 1 ? 'aggregate' : 'one of the aggregates'} ${shortList(list)}`),
    ...(forbiddenAggregates.length === 0 ? [] : [`outside of ${shortList(forbiddenAggregates)}`]),
  ]
}

/**
 * The hosts that the request lets in at all: not ignored; forced or requested if it names any; in the aggregates it
 * names. Run before the profile's filters, as in Nova's host manager, whatever the profile says.
 */
export const candidatesFilter: CandidatesFilter = {
  name: 'Candidates',
  description: 'The request names the host, or names none, and does not exclude it.',
  admits: namedPlaces,
  reads: [],
  readsHostOnly: true,
  prepare(request, fleet) {
    return preparedOf([ignored(request, fleet), forced(request, fleet), cell(request, fleet), ...aggregateChecks(request, fleet)], fleet)
  },
  named({ forceHosts, requestedDestination }, fleet) {
    const names = namesOf(forceHosts, requestedDestination?.host)
    return names.size === 0 ? undefined : named(fleet, names)
  },
}

/** The aggregates that a request names or shuns. */
export const aggregateChecks = (request: RequestSpec, fleet: Fleet): readonly (Check | undefined)[] => [
  forbidden(request, fleet),
  ...memberships(request, fleet),
]

/** A filter of those checks that ask something: a host must pass all. Undefined: none does. */
export function preparedOf(given: readonly (Check | undefined)[], fleet: Fleet): PreparedFilter | undefined {
  const checks = given.filter((check) => check !== undefined)
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
}

export interface Check {
  /** Asked of every host: a look at a column, wherever that will do. */
  readonly passes: (host: HostIndex) => boolean
  readonly reason: ReturnType<PreparedFilter['reason']>
  /** The field of the request that names hosts or aggregates. */
  readonly field: string
  /** What of the host is looked at. */
  readonly looksAt: 'name' | 'aggregates' | 'cell'
}

const factOf = ({ reason: { subject, need }, field, looksAt }: Check, record: HostRecord): Fact => ({
  subject: subject ?? subjects[looksAt],
  ...(need !== undefined && { required: need }),
  actual: looksAt === 'name' ? hostKey(record) : looksAt === 'cell' ? cellOf(record) : record.aggregates.slice(0, 5).join(', ') || 'none',
  requiredFrom: fromRequest(field),
  actualFrom: looksAt === 'aggregates' ? membershipsOf(record) : reportOf(record),
})

const subjects = { name: 'host', aggregates: 'aggregates', cell: 'cell' } as const

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

/** Nova's cell that a request came with from Nova stays in: where nothing allows it to leave that. */
const cellAskedBy = (request: RequestSpec): string | undefined => {
  if (request.nova?.form !== 'RequestSpec') return undefined
  const { cellUuid, allowCrossCellMove } = novaRequestOf(request).requestedDestination ?? {}
  return cellUuid && allowCrossCellMove !== true ? cellUuid : undefined
}

/** Hosts of the cell that the request stays in. A host of which no cell was told is in none. */
export function cell(request: RequestSpec, { hosts, featureLevel }: Fleet): Check | undefined {
  const need = featureLevel < PLACEMENT_RULES ? undefined : cellAskedBy(request)
  if (need === undefined) return undefined
  return {
    passes: (host) => hosts.get(host).stats.nova?.cellUuid === need,
    reason: { code: 'cell.other', need },
    field: 'requestedDestination',
    looksAt: 'cell',
  }
}

const cellOf = ({ stats }: HostRecord): string => stats.nova?.cellUuid ?? 'none that was told'

/** Whether a host is in at least one of these aggregates. */
export function inAnyOf({ aggregates }: Fleet, uuids: readonly string[]): (host: HostIndex) => boolean {
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
