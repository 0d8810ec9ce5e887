import { type Fact, fromRequest } from '../evidence.ts'
import type { Admits, Filter, Reason } from '../filters/filter.ts'
import type { HostIndex } from '../fleet/columns.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { type HostRecord, hostKey } from '../fleet/hosts.ts'
import { NAMED_BY_ALL } from '../fleet/levels.ts'
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
  which: (request, fleet) => whichNamed(request, fleet.featureLevel >= NAMED_BY_ALL),
}

/** Which hosts a request is about, in words. Where several of its lists name hosts, they are those that all of them name, or those that any does. */
export function whichNamed(request: RequestSpec, isByAll: boolean): string {
  const { ignoreHosts, requestedDestination, requestedResources } = request
  const lists = nameListsOf(request)
  const named = isByAll && lists.length > 1 ? namesAndFields(lists) : shortList([...new Set(lists.flatMap(namesOf))])
  const { aggregates = [], forbiddenAggregates = [] } = requestedDestination ?? {}
  const among = [aggregates, ...requestedResources.map(({ memberOf }) => memberOf)].filter((list) => list.length > 0)
  return [
    ...(lists.length === 0 ? [] : [`named ${named}`]),
    ...among.map((list) => `in ${list.length === 1 ? 'aggregate' : 'one of the aggregates'} ${shortList(list)}`),
    ...(forbiddenAggregates.length === 0 ? [] : [`outside of ${shortList(forbiddenAggregates)}`]),
    ...(ignoreHosts.length === 0 ? [] : [`other than ${shortList(ignoreHosts)}`]),
  ].join(', ')
}

/** Names that one field of a request allows: hosts, nodes, or both. */
interface NameList {
  readonly field: string
  readonly hosts: readonly string[]
  readonly nodes: readonly string[]
}

function nameListsOf({ forceHosts, forceNodes, requestedDestination }: RequestSpec): NameList[] {
  const { host, node } = requestedDestination ?? {}
  return [
    { field: 'forceHosts', hosts: forceHosts, nodes: [] },
    { field: 'forceNodes', hosts: [], nodes: forceNodes },
    { field: 'requestedDestination', hosts: host ? [host] : [], nodes: node ? [node] : [] },
  ].filter((list) => namesOf(list).length > 0)
}

/** Each once: a node is mostly called as its host. */
const namesOf = ({ hosts, nodes }: Pick<NameList, 'hosts' | 'nodes'>): string[] => [...new Set([...hosts, ...nodes])]

const namesAndFields = (lists: readonly NameList[]): string =>
  lists.map((list) => `${shortList(namesOf(list))} by ${list.field}`).join(' and ')

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
    const names = namedBy(request, fleet)
    const aggregates = memberships(request, fleet)
    const allowing = [...names, ...aggregates]
    const checks = [ignored(request, fleet), ...names, forbidden(request, fleet), ...aggregates].filter((check) => check !== undefined)
    const [only] = checks
    if (only === undefined) return undefined
    const refusing = (host: HostIndex) => checks.find((check) => !check.passes(host))
    // looked up when the first reason is asked for
    let noneCommon: Reason | null | undefined
    const reasonAt = (host: HostIndex): Reason | undefined => {
      const check = refusing(host)
      if (check === undefined || !allowing.includes(check)) return check?.reason
      if (noneCommon === undefined) noneCommon = reasonOfNoneCommon(allowing, fleet)
      return noneCommon ?? check.reason
    }
    return {
      passes: checks.length === 1 ? only.passes : (host) => refusing(host) === undefined,
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

interface Check {
  /** Asked of every host: a look at a column, wherever that will do. */
  readonly passes: (host: HostIndex) => boolean
  readonly reason: Reason
  /** The field of the request that names hosts or aggregates. */
  readonly field: string
  /** What of the host is looked at: its name, or its aggregates. */
  readonly looksAt: 'name' | 'aggregates'
}

const factOf = ({ reason: { subject, need }, field, looksAt }: Omit<Check, 'passes'>, record: HostRecord): Fact => ({
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

/** One check per field that names hosts or nodes. Below NAMED_BY_ALL forced and requested names are taken together. */
function namedBy(request: RequestSpec, fleet: Fleet): Check[] {
  const lists = nameListsOf(request)
  if (fleet.featureLevel >= NAMED_BY_ALL || lists.length < 2) return lists.map((list) => nameCheck(list, fleet))
  const fields = lists.map(({ field }) => field).join(' and ')
  return [nameCheck({ field: fields, hosts: lists.flatMap(({ hosts }) => hosts), nodes: lists.flatMap(({ nodes }) => nodes) }, fleet)]
}

function nameCheck({ field, hosts, nodes }: NameList, fleet: Fleet): Check {
  const isNamed = hosts.length === 0 ? undefined : new Set(named(fleet, hosts))
  const isNode = new Set(nodes)
  return {
    passes: (host) => (isNamed === undefined || isNamed.has(host)) && (nodes.length === 0 || isNode.has(fleet.hosts.get(host).node)),
    reason: { code: 'host.not_requested', need: namesOf({ hosts, nodes }).slice(0, 5).join(', ') },
    field,
    looksAt: 'name',
  }
}

/** Where no host is in all of several lists, that is the reason on every host, and no list alone. */
function reasonOfNoneCommon(allowing: readonly Check[], fleet: Fleet): Reason | null {
  if (fleet.featureLevel < NAMED_BY_ALL || allowing.length < 2) return null
  if (fleet.hosts.presentIndexes.some((index) => allowing.every(({ passes }) => passes(index as HostIndex)))) return null
  return {
    code: 'host.none_common',
    subject: 'host',
    need: allowing.map(({ reason, field }) => `${reason.need} by ${field}`).join(' and '),
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
