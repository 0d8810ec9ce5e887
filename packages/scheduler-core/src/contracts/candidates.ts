import type { Fleet } from '../fleet/fleet.ts'
import { type HostRecord, hostKey } from '../hosts/hosts.ts'
import { membershipsOf, reportOf } from '../hosts/sources.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import { type Fact, fromRequest } from '../text/evidence.ts'
import type { PreparedFilter } from '../text/prepared-filter.ts'
import type { Reason } from '../text/reason.ts'
import { shortList } from '../text/short-list.ts'
import type { HostIndex } from '../values/host-index.ts'
import { NAMED_BY_ALL, PLACEMENT_RULES } from '../values/levels.ts'
import { builtIn } from './built-in.ts'
import type { Admits, CandidatesFilter } from './filter.ts'

/** How Nova's rules admit hosts by name. A host must be in every list of names of the request. */
export const namedHosts: Admits = {
  by: 'place',
  which(request) {
    // a destination with a node and no host is looked up by Placement's rules, so it is not named here
    const named = request.requestedDestination?.host ? request : { ...request, requestedDestination: null }
    return [...whichNamed(named, true), ...whichOthers(request)].join(', ')
  },
}

/** How a request admits hosts by name, by cell and by aggregate. */
const namedPlaces: Admits = {
  by: 'place',
  which: (request, fleet) =>
    [...whichNamed(request, fleet.featureLevel >= NAMED_BY_ALL), ...whichPlaces(request), ...whichOthers(request)].join(', '),
}

/** Describes the named hosts. If `isByAll` is true, a host must be in all lists of names, otherwise in at least one list. */
function whichNamed(request: RequestSpec, isByAll: boolean): readonly string[] {
  const lists = nameListsOf(request)
  if (lists.length === 0) return []
  return [`named ${isByAll && lists.length > 1 ? namesAndFields(lists) : shortList([...new Set(lists.flatMap(namesOf))])}`]
}

/** The names in one field of a request: names of hosts, of nodes, or both. */
interface NameList {
  readonly field: 'forceHosts' | 'forceNodes' | 'requestedDestination'
  readonly hosts: readonly string[]
  readonly nodes: readonly string[]
}

export function nameListsOf({ forceHosts, forceNodes, requestedDestination }: RequestSpec): NameList[] {
  const { host, node } = requestedDestination ?? {}
  const lists: readonly NameList[] = [
    { field: 'forceHosts', hosts: forceHosts, nodes: [] },
    { field: 'forceNodes', hosts: [], nodes: forceNodes },
    { field: 'requestedDestination', hosts: host ? [host] : [], nodes: node ? [node] : [] },
  ]
  return lists.filter((list) => namesOf(list).length > 0)
}

/** Describes one list of names as a condition of the request. */
export const singleOf = ({ field, ...names }: Omit<NameList, 'field'> & { readonly field: string }) =>
  ({ which: `named ${shortList(namesOf(names))} by ${field}`, isNames: true }) as const

export const whichIgnored = (ignoreHosts: readonly string[]): string => `other than ${shortList(ignoreHosts)}`

/** The names in a list, each once. A node usually has the name of its host. */
export const namesOf = ({ hosts, nodes }: Pick<NameList, 'hosts' | 'nodes'>): string[] => [...new Set([...hosts, ...nodes])]

const namesAndFields = (lists: readonly NameList[]): string =>
  lists.map((list) => `${shortList(namesOf(list))} by ${list.field}`).join(' and ')

/** Describes the excluded hosts. If the request names hosts, only the excluded hosts among these are listed. */
function whichOthers(request: RequestSpec): readonly string[] {
  const { ignoreHosts } = request
  const names = nameListsOf(request).flatMap(namesOf)
  if (names.length === 0) return ignoreHosts.length === 0 ? [] : [whichIgnored(ignoreHosts)]
  const both = ignoreHosts.filter((name) => names.includes(name))
  if (both.length === 0) return []
  return [`that ignoreHosts does not exclude${both.length === names.length ? '' : ` (${shortList(both)})`}`]
}

/** Describes the Nova cell and the aggregates that the request requires, and the aggregates that it forbids. */
export function whichPlaces(request: RequestSpec): readonly string[] {
  const { requestedDestination, requestedResources } = request
  const asked = cellAskedBy(request)
  const { aggregates = [], forbiddenAggregates = [] } = requestedDestination ?? {}
  const lists = [aggregates, ...requestedResources.map(({ memberOf }) => memberOf)].filter((list) => list.length > 0)
  return [
    ...(asked === undefined ? [] : [`in cell ${asked}`]),
    ...lists.map(inListed),
    ...(forbiddenAggregates.length === 0 ? [] : [outsideOf(forbiddenAggregates)]),
  ]
}

const inListed = (aggregates: readonly string[]): string =>
  `in ${aggregates.length === 1 ? 'aggregate' : 'one of the aggregates'} ${shortList(aggregates)}`

const outsideOf = (aggregates: readonly string[]): string => `outside of ${shortList(aggregates)}`

/**
 * Passes the hosts that the request admits by name, cell and aggregate. If the request names hosts, only these pass. Ignored hosts do not
 * pass. This filter runs before the profile's filters under every profile, like Nova's host manager.
 */
export const candidatesFilter: CandidatesFilter = {
  name: 'Candidates',
  description: 'The request lists the host or lists no hosts, and does not exclude the host.',
  admits: namedPlaces,
  reads: [],
  readsHostOnly: true,
  prepare(request, fleet) {
    const names = namedBy(request, fleet)
    const aggregates = memberships(request, fleet)
    const checks = [ignored(request, fleet), ...names, cell(request, fleet), forbidden(request, fleet), ...aggregates]
    return preparedOf(checks, fleet, [...names, ...aggregates])
  },
  named(request, fleet) {
    const lists = nameListsOf(request).flatMap(({ hosts }) => (hosts.length === 0 ? [] : [hosts]))
    const [first, ...others] = lists
    if (first === undefined) return undefined
    if (fleet.featureLevel < NAMED_BY_ALL) return named(fleet, lists.flat())
    return named(
      fleet,
      first.filter((name) => others.every((list) => list.includes(name))),
    )
  },
}

/**
 * Combines checks into a filter. A host passes if it passes all checks. Undefined if there is no check. `allowing` are the checks that list
 * hosts or aggregates. If no host is in all of their lists, every refusal by one of them has the reason host.none_common.
 */
export function preparedOf(
  given: readonly (Check | undefined)[],
  fleet: Fleet,
  allowing: readonly Allowing[] = [],
): PreparedFilter | undefined {
  const checks = given.filter((check) => check !== undefined)
  const [only] = checks
  if (only === undefined) return undefined
  const refusing = (host: HostIndex) => checks.find((check) => !check.passes(host))
  // computed when a reason is first requested
  let noneCommon: Reason | null | undefined
  const reasonOf = (check: Check): Reason => {
    if (!allowing.includes(check)) return check.reason
    if (noneCommon === undefined) noneCommon = reasonOfNoneCommon(allowing, fleet)
    return noneCommon ?? check.reason
  }
  const reasonAt = (host: HostIndex): Reason | undefined => {
    const check = refusing(host)
    return check && reasonOf(check)
  }
  const singles = checks.map((check) => ({ ...check, reasonAt: () => reasonOf(check) }))
  return {
    // conditions that exclude hosts are listed last
    each: () => [
      ...singles.filter(({ isExclusion }) => isExclusion !== true),
      ...singles.filter(({ isExclusion }) => isExclusion === true),
    ],
    passes: checks.length === 1 ? only.passes : (host) => refusing(host) === undefined,
    ...(checks.every(({ exceptions }) => exceptions !== undefined) && {
      exceptions: () => checks.flatMap(({ exceptions = [] }) => exceptions),
    }),
    reason: (host) => reasonAt(host) ?? { code: 'host.excluded' },
    facts(host) {
      const record = fleet.hosts.get(host)
      const reason = reasonAt(host)
      const fields = allowing.map(({ field }) => field).join(' and ')
      return [
        ...(reason !== undefined && reason === noneCommon ? [factOf({ reason, field: fields, looksAt: 'name' }, record)] : []),
        ...checks.filter((check) => !check.passes(host)).map((check) => factOf(check, record)),
      ]
    },
  }
}

/** A check with a list of names or aggregates that a host must be in. */
type Allowing = Pick<Check, 'passes' | 'reason' | 'field'>

export interface Check {
  /** Describes the hosts that pass. The text follows the word "hosts", such as "in cell c1". */
  readonly which: string
  /** Present if the check compares names of hosts. */
  readonly isNames?: true
  /** Called for every host, so it must be fast, such as reading a column. */
  readonly passes: (host: HostIndex) => boolean
  readonly reason: Reason
  /** The field of the request that has the condition. */
  readonly field: string
  /** Present if the check excludes hosts instead of selecting them. */
  readonly isExclusion?: true
  /** Present if only these hosts can fail the check. */
  readonly exceptions?: readonly HostIndex[]
  /** The property of the host that the check reads. */
  readonly looksAt: 'name' | 'aggregates' | 'cell'
}

const factOf = ({ reason: { subject, need }, field, looksAt }: Pick<Check, 'reason' | 'field' | 'looksAt'>, record: HostRecord): Fact => ({
  subject: subject ?? subjects[looksAt],
  ...(need !== undefined && { required: need }),
  actual: looksAt === 'name' ? hostKey(record) : looksAt === 'cell' ? cellOf(record) : record.aggregates.slice(0, 5).join(', ') || 'none',
  requiredFrom: fromRequest(field),
  actualFrom: looksAt === 'aggregates' ? membershipsOf(record) : reportOf(record),
})

const subjects = { name: 'host', aggregates: 'aggregates', cell: 'cell' } as const

/** The indexes of all nodes with these host names, in ascending order. */
const named = ({ hosts }: Fleet, names: Iterable<string>): HostIndex[] =>
  Array.from(new Set(names), (name) => hosts.nodesOf(name))
    .flat()
    .sort((a, b) => a - b)

function ignored({ ignoreHosts }: RequestSpec, fleet: Fleet): Check | undefined {
  if (ignoreHosts.length === 0) return undefined
  const exceptions = named(fleet, ignoreHosts)
  const isNamed = new Set(exceptions)
  return {
    which: whichIgnored(ignoreHosts),
    isExclusion: true,
    exceptions,
    passes: (host) => !isNamed.has(host),
    reason: { code: 'host.excluded', subject: 'ignoreHosts' },
    field: 'ignoreHosts',
    looksAt: 'name',
  }
}

/** One check for each field that names hosts or nodes. Below feature level NAMED_BY_ALL, all names are combined into one check. */
function namedBy(request: RequestSpec, fleet: Fleet): Check[] {
  const lists = nameListsOf(request)
  if (fleet.featureLevel >= NAMED_BY_ALL || lists.length < 2) return lists.map((list) => nameCheck(list, fleet))
  const fields = lists.map(({ field }) => field).join(' and ')
  return [nameCheck({ field: fields, hosts: lists.flatMap(({ hosts }) => hosts), nodes: lists.flatMap(({ nodes }) => nodes) }, fleet)]
}

function nameCheck({ field, hosts, nodes }: Omit<NameList, 'field'> & { readonly field: string }, fleet: Fleet): Check {
  const isNamed = hosts.length === 0 ? undefined : new Set(named(fleet, hosts))
  const isNode = new Set(nodes)
  return {
    ...singleOf({ field, hosts, nodes }),
    passes: (host) => (isNamed === undefined || isNamed.has(host)) && (nodes.length === 0 || isNode.has(fleet.hosts.get(host).node)),
    reason: { code: 'host.not_requested', need: namesOf({ hosts, nodes }).slice(0, 5).join(', ') },
    field,
    looksAt: 'name',
  }
}

/** If there are several lists and no host is in all of them, returns the reason host.none_common. Otherwise returns null. */
export function reasonOfNoneCommon(allowing: readonly Allowing[], fleet: Fleet): Reason | null {
  if (fleet.featureLevel < NAMED_BY_ALL || allowing.length < 2) return null
  if (fleet.hosts.presentIndexes.some((index) => allowing.every(({ passes }) => passes(index as HostIndex)))) return null
  return {
    code: 'host.none_common',
    subject: 'host',
    // the index in a field such as requestedResources.0.memberOf is left out, because the text has the content of the list
    need: allowing.map(({ reason, field }) => `${reason.need} by ${field.replace(/\.\d+\./, '.')}`).join(' and '),
  }
}

/** The Nova cell in which the instances of an imported request must be placed. Undefined if any Nova cell is allowed. */
const cellAskedBy = (request: RequestSpec): string | undefined => (request.nova === null ? undefined : builtIn().documents.cellOf(request))

/** Checks that a host is in the Nova cell of the request. A host that reports no Nova cell does not pass. */
export function cell(request: RequestSpec, { hosts, featureLevel }: Fleet): Check | undefined {
  const need = featureLevel < PLACEMENT_RULES ? undefined : cellAskedBy(request)
  if (need === undefined) return undefined
  return {
    which: `in cell ${need}`,
    passes: (host) => hosts.get(host).stats.nova?.cellUuid === need,
    reason: { code: 'cell.other', need },
    field: 'requestedDestination',
    looksAt: 'cell',
  }
}

const cellOf = ({ stats }: HostRecord): string => stats.nova?.cellUuid ?? 'none that was told'

/** Returns a function that returns true if a host is in at least one of these aggregates. */
export function inAnyOf({ aggregates }: Fleet, uuids: readonly string[]): (host: HostIndex) => boolean {
  const columns = uuids.map((uuid) => aggregates.members(uuid))
  const [only] = columns
  if (only !== undefined && columns.length === 1) return (host) => only[host] === 1
  return (host) => columns.some((column) => column[host] === 1)
}

/** One check for each list of aggregates in the request. A host must be in at least one aggregate of each list. */
export function memberships({ requestedDestination, requestedResources }: RequestSpec, fleet: Fleet): Check[] {
  return [
    { wanted: requestedDestination?.aggregates ?? [], field: 'requestedDestination.aggregates' },
    ...requestedResources.map(({ memberOf }, i) => ({ wanted: memberOf, field: `requestedResources.${i}.memberOf` })),
  ]
    .filter(({ wanted }) => wanted.length > 0)
    .map(({ wanted, field }) => ({
      which: inListed(wanted),
      passes: inAnyOf(fleet, wanted),
      reason: { code: 'aggregate.not_member', need: wanted.slice(0, 5).join(', ') },
      field,
      looksAt: 'aggregates',
    }))
}

/** Checks that a host is in none of the aggregates that the request forbids. */
export function forbidden({ requestedDestination }: RequestSpec, fleet: Fleet): Check | undefined {
  const unwanted = requestedDestination?.forbiddenAggregates ?? []
  if (unwanted.length === 0) return undefined
  const isIn = inAnyOf(fleet, unwanted)
  return {
    which: outsideOf(unwanted),
    isExclusion: true,
    passes: (host) => !isIn(host),
    reason: { code: 'host.excluded', subject: 'forbiddenAggregates' },
    field: 'requestedDestination.forbiddenAggregates',
    looksAt: 'aggregates',
  }
}
