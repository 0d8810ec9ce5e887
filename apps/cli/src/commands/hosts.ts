import { type HostOrder, type HostSortTerm, hostFields, hostOrdersOf, hostSorts, isHostSort, parseSort } from '@gantt/scheduler-core/query'
import { type Command, InvalidArgumentError } from 'commander'
import { type ConnectionFlags, connect } from './connection.ts'
import { CommandFailure, EXIT } from './failure.ts'
import { age } from './format.ts'
import { printHost } from './host-name.ts'
import { type MomentFlags, nowOf, type PastState, pastLines, stateAt, withMoment } from './moment.ts'
import { oneOf, wholeNumber } from './options.ts'
import { type Result, run, withExamples, withService } from './output.ts'
import { DEFAULT_FIRST, PAGE_INFO, type Page, readPages, tally } from './pages.ts'
import { fieldsHelp, queryOf } from './query.ts'
import { toTable } from './table.ts'
import { freeOf, USAGE, type Usage } from './usage.ts'

/** What may be asked of a host's status. */
export const HOST_STATUSES = ['ENABLED', 'DISABLED', 'DRAINING', 'MAINTENANCE'] as const

export type HostStatus = (typeof HOST_STATUSES)[number]

interface Flags extends ConnectionFlags, MomentFlags {
  readonly zone?: string
  readonly status?: HostStatus
  readonly name?: string
  readonly query?: string
  readonly sort?: readonly HostSortTerm[]
  readonly first: number
  readonly all?: true
  readonly gone?: true
  readonly json?: true
}

interface HostRow {
  readonly name: string
  readonly node: string
  readonly availabilityZone: string
  readonly status: HostStatus
  readonly state: 'UP' | 'SUSPECT' | 'DOWN'
  readonly lastReportAt: string | null
  readonly capacity: readonly Usage[]
  readonly claims: { readonly totalCount: number }
}

const HOSTS = `query Hosts($first: Int!, $after: String, $filter: HostFilter, $query: String, $order: [HostOrder!]!, $at: Moment) {
  hosts(first: $first, after: $after, filter: $filter, query: $query, at: $at, orderBy: $order) {
    ${PAGE_INFO}
    nodes {
      name node hasOtherNodes availabilityZone status state lastReportAt capacity { ${USAGE} }
      claims(first: 1, states: [RESERVED, CONFIRMED, MATERIALISED]) { totalCount }
    }
  }
}`

/** `gantt hosts`: the fleet as the service sees it now. */
export function addHosts(program: Command): void {
  const command = withMoment(program.command('hosts'))
    .description('list hosts: what is free of what they may give, overcommit included')
    .option('--zone <zone>', 'only of this availability zone', notEmpty)
    .option('--status <status>', `only with this status: ${HOST_STATUSES.join(', ')}`, oneOf(HOST_STATUSES))
    .option('--name <text>', 'only with this part in the name', notEmpty)
    .option('--query <terms>', `only those of which these terms hold; ${fieldsHelp(hostFields)}`, queryOf(hostFields))
    .option('--sort <fields>', `by these, not by name; "-" before one for the largest first: ${hostSorts.join(', ')}`, sortOf)
    .option('--first <n>', 'at most so many', wholeNumber(1, 100_000), DEFAULT_FIRST)
    .option('--all', 'every one')
    .option('--gone', 'those that were forgotten: when, and why')
    .action((flags: Flags) => run(flags, () => (flags.gone ? listGone(flags) : listHosts(flags))))
  withExamples(withService(command), [
    ['gantt hosts --zone az1 --status DISABLED', 'hosts of a zone that take nothing new'],
    ["gantt hosts --query 'az:az1,az2 mem.free>=64GiB -trait:HW_GPU*'", 'where room is left'],
    ['gantt hosts --sort az,-mem.free --first 20', 'by zone, the most free memory first'],
    ['gantt hosts --at -15m', 'as they were a quarter of an hour ago'],
    ['gantt hosts --gone --name rack1', 'which hosts of a rack were forgotten'],
    ['gantt hosts --all --json | jq -r ".hosts[].name"', 'every name'],
  ])
}

async function listHosts({ zone, status, name, query, sort, first, all, ...flags }: Flags): Promise<Result> {
  const client = connect(flags)
  const past = await stateAt(client, flags)
  const filter = {
    ...(zone === undefined ? {} : { availabilityZone: { eq: zone } }),
    ...(status === undefined ? {} : { status }),
    ...(name === undefined ? {} : { name: { contains: name } }),
  }
  const order: readonly HostOrder[] = hostOrdersOf(sort ?? BY_NAME)
  const { items: hosts, totalCount } = await readPages(all ? Number.POSITIVE_INFINITY : first, async (size, after) => {
    const answer = await client.request<{ hosts: Page<HostRow> }>(HOSTS, { first: size, after, filter, query, order, at: past?.revision })
    return answer.hosts
  })
  const lines = toLines(hosts, totalCount, query !== undefined || Object.keys(filter).length > 0, past)
  return { lines: [...pastLines(past), ...lines], json: { ...(past !== null && { asOf: past }), totalCount, hosts } }
}

interface GoneRow {
  readonly name: string
  readonly node: string
  readonly gone: { readonly at: string; readonly reason: string; readonly readmitted: boolean } | null
}

const GONE = `query GoneHosts($first: Int!, $after: String, $filter: HostFilter, $at: Moment) {
  hosts(first: $first, after: $after, gone: true, filter: $filter, at: $at, orderBy: [{ field: NAME }]) {
    ${PAGE_INFO}
    nodes { name node hasOtherNodes gone { at reason readmitted } }
  }
}`

/** What is left of forgotten hosts: no amounts, zones or claims, so that nothing of these chooses among them. */
async function listGone({ zone, status, name, query, sort, first, all, ...flags }: Flags): Promise<Result> {
  if ([zone, status, query, sort].some((flag) => flag !== undefined))
    throw new CommandFailure(EXIT.usage, 'of forgotten hosts the name is left: --gone goes with --name, --first, --all and --at')
  const client = connect(flags)
  const past = await stateAt(client, flags)
  const filter = name === undefined ? {} : { name: { contains: name } }
  const { items: hosts, totalCount } = await readPages(all ? Number.POSITIVE_INFINITY : first, async (size, after) => {
    const answer = await client.request<{ hosts: Page<GoneRow> }>(GONE, { first: size, after, filter, at: past?.revision })
    return answer.hosts
  })
  const rows = hosts.map((host) => [
    nameOf(host),
    host.gone === null ? '-' : `${age(host.gone.at, nowOf(past))} ago`,
    host.gone?.readmitted ? 'taken again' : 'refused',
    host.gone?.reason ?? '-',
  ])
  const lines =
    rows.length === 0
      ? ['No such host was forgotten.']
      : [...toTable(GONE_COLUMNS, rows), '', `${tally(hosts.length, totalCount, 'forgotten host')}.`]
  return { lines: [...pastLines(past), ...lines], json: { ...(past !== null && { asOf: past }), totalCount, hosts } }
}

const GONE_COLUMNS = [
  { head: 'name', cut: 'middle', least: 12, key: true },
  { head: 'forgotten' },
  { head: 'reports' },
  { head: 'why', cut: 'end', least: 10 },
] as const

function toLines(hosts: readonly HostRow[], totalCount: number, isFiltered: boolean, past: PastState | null): readonly string[] {
  if (totalCount === 0 && isFiltered) return ['No host is like that.']
  if (totalCount === 0 && past !== null) return ['No host had reported yet.']
  if (totalCount === 0) return ['No host has reported yet. The README shows how to report one.']
  const nowMs = nowOf(past)
  const rows = hosts.map((host) => [
    nameOf(host),
    host.availabilityZone,
    statusOf(host),
    freeOf(host.capacity, 'VCPU'),
    freeOf(host.capacity, 'MEMORY_MB'),
    freeOf(host.capacity, 'DISK_GB'),
    String(host.claims.totalCount),
    age(host.lastReportAt, nowMs).replace(' min', 'm').replace(' ', ''),
  ])
  return [...toTable(COLUMNS, rows), '', `Free of what may be given; age of the last report. ${tally(hosts.length, totalCount, 'host')}.`]
}

/** What is worse comes first: a host that is down takes nothing, whatever operators allow; and the end may be cut. */
function statusOf({ state, status }: HostRow): string {
  if (state === 'UP') return status
  return status === 'ENABLED' ? state : `${state} ${status}`
}

const COLUMNS = [
  { head: 'name', cut: 'middle', least: 12, key: true },
  { head: 'zone', cut: 'middle', least: 6 },
  { head: 'status', cut: 'end', least: 7 },
  { head: 'vcpu', align: 'right' },
  { head: 'memory', align: 'right' },
  { head: 'disk', align: 'right' },
  { head: 'claims', align: 'right' },
  { head: 'age', align: 'right' },
] as const

/** A host with one node has its name; the nodes of another are told apart. */
export const nameOf = ({ name, node, hasOtherNodes }: PrintedHost): string => printHost(name, node, hasOtherNodes)

export interface PrintedHost {
  readonly name: string
  readonly node: string
  /** Asked for wherever both names are (host-name.test.ts). */
  readonly hasOtherNodes?: boolean
}

const BY_NAME: readonly HostSortTerm[] = [{ key: 'host', descending: false }]

/** An option that is an order of hosts: fields with commas between. */
function sortOf(text: string): readonly HostSortTerm[] {
  const sort = parseSort(text)
  const known = sort.filter(isHostSort)
  const unknown = sort.find((term) => !isHostSort(term))
  if (unknown !== undefined) throw new InvalidArgumentError(`Hosts are not ordered by ${JSON.stringify(unknown.key)}.`)
  if (known.length === 0) throw new InvalidArgumentError('It must name a field.')
  return known
}

/** An option that narrows a list: an empty one would narrow nothing, or everything. */
export function notEmpty(text: string): string {
  if (text !== '') return text
  throw new InvalidArgumentError('It must not be empty.')
}
