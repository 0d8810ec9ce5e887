import { graphql, type ResultOf } from '@gantt/client'
import { type HostField, type HostFieldName, hostFields, type ReportedField, usedPercent } from '@gantt/scheduler-core/query'
import { InvalidArgumentError } from 'commander'
import { printHost } from '../../options/host-name.ts'
import { age, decimal, mib } from '../../output/format.ts'
import type { Column } from '../../output/table.ts'
import { freeOf, USAGE } from './usage.ts'

/** The GraphQL fields for the columns that a list shows without `--columns`. */
export const LISTED_HOST = graphql(
  `fragment ListedHost on Host {
  name node hasOtherNodes availabilityZone status state lastReportAt capacity { ...Usage }
  claims(first: 1, states: [RESERVED, CONFIRMED, MATERIALISED]) { totalCount }
}`,
  [USAGE],
)

/** Further GraphQL fields, which only columns outside of the default need. */
export const MORE_OF_HOST = graphql(`fragment MoreOfHost on Host {
  aggregates(first: 20) { totalCount nodes { name } }
  traits runningVms gpus { freeMilli } told { field value }
}`)

export type ListedHost = ResultOf<typeof LISTED_HOST> & Partial<ResultOf<typeof MORE_OF_HOST>>

type Cell = (host: ListedHost, nowMs: number) => string

const NONE = '-'

/** The columns of a list without `--columns`. */
export const defaultColumns: readonly HostFieldName[] = ['host', 'az', 'status', 'cpu.free', 'mem.free', 'disk.free', 'claims', 'age']

/** Fields that are neither reported nor an amount of a resource class. `cells` has a function for each of them. */
type OwnField = Exclude<HostFieldName, ReportedField['name'] | AmountField['name']>
type AmountField = Extract<HostField, { readonly order: { readonly resourceClass: string } }>

const isAmount = (field: HostField): field is AmountField => 'order' in field && 'resourceClass' in field.order

const cells: Readonly<Record<OwnField, Cell>> = {
  host: ({ name, node, hasOtherNodes }) => printHost(name, node, hasOtherNodes),
  node: ({ node }) => node,
  az: ({ availabilityZone }) => availabilityZone,
  agg: aggregatesOf,
  state: ({ state }) => state,
  status: statusOf,
  trait: ({ traits }) => traits?.join(', ') || NONE,
  'gpu.count': ({ gpus = [] }) => String(gpus.length),
  'gpu.free': ({ gpus = [] }) => decimal(gpus.reduce((sum, { freeMilli }) => sum + freeMilli, 0) / 1_000),
  claims: ({ claims }) => String(claims.totalCount),
  instances: ({ runningVms }) => String(runningVms ?? NONE),
  age: ({ lastReportAt }, nowMs) => age(lastReportAt, nowMs).replace(' min', 'm').replace(' ', ''),
}

function aggregatesOf({ aggregates }: ListedHost): string {
  if (aggregates === undefined || aggregates.totalCount === 0) return NONE
  const { nodes, totalCount } = aggregates
  const names = nodes.map(({ name }) => name).join(', ')
  return totalCount === nodes.length ? names : `${names} and ${totalCount - nodes.length} more`
}

/**
 * State and status of a host. The state comes first, because the end of the cell can be cut, and a host that is down accepts no instances,
 * whatever its status.
 */
function statusOf({ state, status }: ListedHost): string {
  if (state === 'UP') return status
  return status === 'ENABLED' ? state : `${state} ${status}`
}

/** Headings and truncation of the columns that differ from the default. */
const special: Readonly<Partial<Record<HostFieldName, Partial<Column>>>> = {
  host: { head: 'name', cut: 'middle', least: 12, key: true },
  az: { head: 'zone', cut: 'middle', least: 6 },
  status: { cut: 'end', least: 7 },
  'cpu.free': { head: 'vcpu' },
  'mem.free': { head: 'memory' },
  'disk.free': { head: 'disk' },
}

/** A column of the table of hosts: its heading and layout, and the function that returns the text of a host's cell. */
export interface PrintedColumn {
  readonly column: Column
  readonly cell: Cell
}

export const columnsOf = (names: readonly HostFieldName[]): readonly PrintedColumn[] =>
  names.flatMap((name) => hostFields.filter((field) => field.name === name)).map(printed)

function printed(field: HostField): PrintedColumn {
  const layout = field.kind === 'number' ? ({ align: 'right' } as const) : ({ cut: 'end', least: 8 } as const)
  return { column: { head: field.name, ...layout, ...special[field.name] }, cell: cellOf(field) }
}

function cellOf(field: HostField): Cell {
  if ('isReported' in field) return ({ told: reported = [] }) => reported.find((one) => one.field === field.name)?.value ?? NONE
  if (!isAmount(field)) return cells[field.name]
  const { field: order, resourceClass } = field.order
  return ({ capacity }) => {
    if (order === 'FREE') return freeOf(capacity, resourceClass)
    const usage = capacity.find((one) => one.resourceClass === resourceClass)
    if (usage === undefined) return NONE
    if (order === 'USED_PERCENT') return percent(usage.capacity, usage.free)
    return inUnit(usage.capacity, field.unit)
  }
}

const percent = (capacity: number, free: number): string => `${decimal(Math.round(10 * usedPercent(capacity, free)) / 10)} %`

function inUnit(amount: number, unit: string): string {
  if (unit === 'MiB') return mib(amount)
  return unit === 'GiB' ? mib(amount * 1_024) : String(amount)
}

/** Parses an option with names of columns, separated by commas. */
export function columnsFrom(text: string): readonly HostFieldName[] {
  const names = text.split(',').filter((name) => name !== '')
  const found = names.flatMap((name) => hostFields.filter((field) => field.name === name).map((field) => field.name))
  const unknown = names.find((name) => !hostFields.some((field) => field.name === name))
  if (unknown !== undefined)
    throw new InvalidArgumentError(
      `Hosts have no field ${JSON.stringify(unknown)}; they have ${hostFields.map(({ name }) => name).join(', ')}.`,
    )
  if (found.length === 0) throw new InvalidArgumentError('It must name a field.')
  return [...new Set(found)]
}
