import { graphql } from '@gantt/client'
import {
  type HostFieldName,
  type HostOrder,
  type HostSortTerm,
  hostFields,
  hostOrdersOf,
  hostSorts,
  isHostSort,
  parseSort,
} from '@gantt/scheduler-core/query'
import { type Command, InvalidArgumentError } from 'commander'
import { type ConnectionFlags, connect } from '../../call/connection.ts'
import { CommandFailure, EXIT } from '../../call/failure.ts'
import { DEFAULT_FIRST, readPages, tally } from '../../call/pages.ts'
import { printHost } from '../../options/host-name.ts'
import { type MomentFlags, nowOf, type PastState, pastLines, stateAt, withMoment } from '../../options/moment.ts'
import { fieldsHelp, queryOf } from '../../options/query.ts'
import { oneOf, wholeNumber } from '../../options/values.ts'
import { age } from '../../output/format.ts'
import { type Result, run, withExamples, withService } from '../../output/output.ts'
import { toTable, wrap } from '../../output/table.ts'
import { columnsFrom, columnsOf, defaultColumns, LISTED_HOST, type ListedHost, MORE_OF_HOST } from './host-columns.ts'

/** All statuses that operators can give a host. */
export const HOST_STATUSES = ['ENABLED', 'DISABLED', 'DRAINING', 'MAINTENANCE'] as const

export type HostStatus = (typeof HOST_STATUSES)[number]

interface Flags extends ConnectionFlags, MomentFlags {
  readonly zone?: string
  readonly status?: HostStatus
  readonly name?: string
  readonly query?: string
  readonly sort?: readonly HostSortTerm[]
  readonly columns?: readonly HostFieldName[]
  readonly first: number
  readonly all?: true
  readonly gone?: true
  readonly json?: true
}

const HOSTS = graphql(
  `query Hosts($first: Int!, $after: String, $filter: HostFilter, $query: String, $order: [HostOrder!]!, $at: Moment) {
  hosts(first: $first, after: $after, filter: $filter, query: $query, at: $at, orderBy: $order) {
    totalCount pageInfo { hasNextPage endCursor } nodes { ...ListedHost }
  }
}`,
  [LISTED_HOST],
)

const HOSTS_IN_FULL = graphql(
  `query HostsInFull($first: Int!, $after: String, $filter: HostFilter, $query: String, $order: [HostOrder!]!, $at: Moment) {
  hosts(first: $first, after: $after, filter: $filter, query: $query, at: $at, orderBy: $order) {
    totalCount pageInfo { hasNextPage endCursor } nodes { ...ListedHost ...MoreOfHost }
  }
}`,
  [LISTED_HOST, MORE_OF_HOST],
)

/**
 * One call reads this many hosts if columns outside of the default are shown. The additional columns contain lists, which raise the cost of
 * the call.
 */
const PAGE_IN_FULL = 100

/** `gantt hosts`: the list of hosts. */
export function addHosts(program: Command): void {
  const command = withMoment(program.command('hosts'))
    .description('list hosts with their free capacity, overcommit included')
    .option('--zone <zone>', 'only hosts in this availability zone', notEmpty)
    .option('--status <status>', `only hosts with this status: ${HOST_STATUSES.join(', ')}`, oneOf(HOST_STATUSES))
    .option('--name <text>', 'only hosts with this text in the name', notEmpty)
    .option('--query <terms>', `list only rows that match these terms; ${fieldsHelp(hostFields)}`, queryOf(hostFields))
    .option('--sort <fields>', `order by these fields; "-" before a field for descending order: ${hostSorts.join(', ')}`, sortOf)
    .option(
      '--columns <fields>',
      `show these fields, which are listed under --query; if not given, ${defaultColumns.join(',')}`,
      columnsFrom,
    )
    .option('--first <n>', 'list at most this many rows', wholeNumber(1, 100_000), DEFAULT_FIRST)
    .option('--all', 'list all rows')
    .option('--gone', 'list forgotten hosts, with the time and the reason')
    .action((flags: Flags) => run(flags, () => (flags.gone ? listGone(flags) : listHosts(flags))))
  withExamples(withService(command), [
    ['gantt hosts --zone az1 --status DISABLED', 'list the disabled hosts of a zone'],
    ["gantt hosts --query 'az:az1,az2 mem.free>=64GiB -trait:HW_GPU*'", 'find hosts by several terms'],
    ['gantt hosts --sort az,-mem.free --first 20', 'order hosts by zone, then by free memory, largest first'],
    ['gantt hosts --columns host,mem.used,cpu.model', 'choose the columns'],
    ['gantt hosts --at -15m', 'list the hosts as they were 15 minutes ago'],
    ['gantt hosts --gone --name rack1', 'list the forgotten hosts of a rack'],
    ['gantt hosts --all --json | jq -r ".hosts[].name"', 'print the names of all hosts'],
  ])
}

async function listHosts({ zone, status, name, query, sort, columns, first, all, ...flags }: Flags): Promise<Result> {
  const client = connect(flags)
  const past = await stateAt(client, flags)
  const filter = {
    ...(zone === undefined ? {} : { availabilityZone: { eq: zone } }),
    ...(status === undefined ? {} : { status }),
    ...(name === undefined ? {} : { name: { contains: name } }),
  }
  const order: readonly HostOrder[] = hostOrdersOf(sort ?? BY_NAME)
  const { items: hosts, totalCount } = await readPages<ListedHost>(all ? Number.POSITIVE_INFINITY : first, async (size, after) => {
    const asked = { first: size, after, filter, query, order, at: past?.revision }
    if (columns === undefined) return (await client.request(HOSTS, asked)).hosts
    return (await client.request(HOSTS_IN_FULL, { ...asked, first: Math.min(size, PAGE_IN_FULL) })).hosts
  })
  const isFiltered = query !== undefined || Object.keys(filter).length > 0
  const lines = hosts.length === 0 ? [noHosts(isFiltered, past)] : toLines(hosts, totalCount, columns, past)
  return { lines: [...pastLines(past), ...lines], json: { ...(past !== null && { asOf: past }), totalCount, hosts } }
}

const GONE = graphql(`query GoneHosts($first: Int!, $after: String, $filter: HostFilter, $at: Moment) {
  hosts(first: $first, after: $after, gone: true, filter: $filter, at: $at, orderBy: [{ field: NAME }]) {
    totalCount pageInfo { hasNextPage endCursor }
    nodes { name node hasOtherNodes gone { at reason readmitted } }
  }
}`)

/** Lists forgotten hosts. They have no amounts, zones or claims, so options about these are refused. */
async function listGone({ zone, status, name, query, sort, columns, first, all, ...flags }: Flags): Promise<Result> {
  if ([zone, status, query, sort, columns].some((flag) => flag !== undefined))
    throw new CommandFailure(EXIT.usage, 'forgotten hosts have only a name: use --gone with --name, --first, --all and --at')
  const client = connect(flags)
  const past = await stateAt(client, flags)
  const filter = name === undefined ? {} : { name: { contains: name } }
  const { items: hosts, totalCount } = await readPages(all ? Number.POSITIVE_INFINITY : first, async (size, after) => {
    const answer = await client.request(GONE, { first: size, after, filter, at: past?.revision })
    return answer.hosts
  })
  const rows = hosts.map((host) => [
    nameOf(host),
    host.gone === null ? '-' : `${age(host.gone.at, nowOf(past))} ago`,
    host.gone?.readmitted ? 'accepted again' : 'refused',
    host.gone?.reason ?? '-',
  ])
  const lines =
    rows.length === 0
      ? ['No matching forgotten hosts.']
      : [...toTable(GONE_COLUMNS, rows), '', `${tally(hosts.length, totalCount, 'forgotten host')}.`]
  return { lines: [...pastLines(past), ...lines], json: { ...(past !== null && { asOf: past }), totalCount, hosts } }
}

const GONE_COLUMNS = [
  { head: 'name', cut: 'middle', least: 12, key: true },
  { head: 'forgotten' },
  { head: 'reports' },
  { head: 'why', cut: 'end', least: 10 },
] as const

function noHosts(isFiltered: boolean, past: PastState | null): string {
  if (isFiltered) return 'No matching hosts.'
  return past === null ? 'No host has reported yet. The README shows how to report one.' : 'No host had reported yet.'
}

function toLines(
  hosts: readonly ListedHost[],
  totalCount: number,
  names: readonly HostFieldName[] | undefined,
  past: PastState | null,
): readonly string[] {
  const columns = columnsOf(names ?? defaultColumns)
  const nowMs = nowOf(past)
  const table = toTable(
    columns.map(({ column }) => column),
    hosts.map((host) => columns.map(({ cell }) => cell(host, nowMs))),
  )
  const note = names === undefined ? 'Free part of the capacity; age of the last report. ' : ''
  return [...table, '', ...wrap(`${note}${tally(hosts.length, totalCount, 'host')}.`)]
}

/** The name of a host as commands print it: HOST, or HOST/NODE if the node has another name than the host, or is one of several nodes. */
export const nameOf = ({ name, node, hasOtherNodes }: PrintedHost): string => printHost(name, node, hasOtherNodes)

export interface PrintedHost {
  readonly name: string
  readonly node: string
  /** host-name.test.ts checks that every document that selects `name` and `node` also selects this field. */
  readonly hasOtherNodes?: boolean
}

const BY_NAME: readonly HostSortTerm[] = [{ key: 'host', descending: false }]

/** Parses an option that is a sort order of hosts: fields separated by commas. */
function sortOf(text: string): readonly HostSortTerm[] {
  const sort = parseSort(text)
  const known = sort.filter(isHostSort)
  const unknown = sort.find((term) => !isHostSort(term))
  if (unknown !== undefined) throw new InvalidArgumentError(`Hosts are not ordered by ${JSON.stringify(unknown.key)}.`)
  if (known.length === 0) throw new InvalidArgumentError('It must name a field.')
  return known
}

/** Parses the value of an option. An empty value is refused, because it is unclear whether it means nothing or everything. */
export function notEmpty(text: string): string {
  if (text !== '') return text
  throw new InvalidArgumentError('It must not be empty.')
}
