import {
  type FieldHolding,
  first,
  type HostField,
  type HostFieldName,
  hostFields,
  isHostSort,
  type ReportedField,
} from '@gantt/scheduler-core/query'
import { Link } from '@tanstack/react-router'
import { formatCount, formatDuration, formatGib, formatMib } from '../../../lib/format.ts'
import { hostLabel, type ShownHost } from '../../../lib/host-label.ts'
import { shownNow } from '../../../lib/service/clock.ts'
import { Age } from '../../../ui/age.tsx'
import { PercentMeter } from '../../../ui/chart/meter.tsx'
import type { TableColumn } from '../../../ui/table/table.tsx'
import { type HostRow, keyOf } from '../host-row.ts'
import { HostState } from '../host-state.tsx'
import type { Verdicts } from '../map/verdicts.ts'
import { inWords, NONE } from './select-hosts.ts'

/** The title of a cell has at most this many characters. */
const MAX_TITLE_LENGTH = 1_000

/** The default columns, in their order. Every other field is an optional column. */
const shownAtFirst: readonly HostFieldName[] = [
  ...(['host', 'az', 'state', 'cpu.used', 'mem.used', 'mem.free', 'disk.used', 'gpu.free', 'claims', 'instances', 'age'] as const),
]

/** Fields that are shown in the column of another field. */
const withinOthers: readonly HostFieldName[] = ['node', 'status', 'gpu.count']

/** The properties of single columns that differ from the defaults for the type of their values. */
const special: Readonly<Partial<Record<HostFieldName, Partial<TableColumn<HostRow>>>>> = {
  host: {
    width: 'minmax(112px, 2fr)',
    value: hostLabel,
    cell: (row) => <HostLink host={row.host} node={row.node} />,
  },
  az: { width: 'minmax(52px, 1fr)' },
  state: {
    label: 'State, status',
    width: 'minmax(146px, 1.4fr)',
    value: ({ texts }) => `${texts.state} ${texts.status}`,
    cell: ({ texts }) => (
      <span title={`${texts.state} ${texts.status}`.toLowerCase()}>
        <HostState state={texts.state} status={texts.status} />
      </span>
    ),
  },
  agg: { label: 'Aggregates' },
  trait: { label: 'Traits' },
  'cpu.used': {
    cell: ({ numbers }) => (
      <PercentMeter
        percent={numbers['cpu.used']}
        title={`${formatCount(numbers['cpu.free'])} of ${formatCount(numbers['cpu.total'])} vCPUs free`}
      />
    ),
  },
  'mem.used': {
    cell: ({ numbers }) => <PercentMeter percent={numbers['mem.used']} title={`${formatCount(numbers['mem.free'])} MiB free`} />,
  },
  'disk.used': {
    cell: ({ numbers }) => <PercentMeter percent={numbers['disk.used']} title={`${formatGib(numbers['disk.free'])} free`} />,
  },
  'gpu.free': {
    width: 'minmax(56px, 0.5fr)',
    cell: ({ numbers }) => (numbers['gpu.count'] === 0 ? '–' : `${formatCount(numbers['gpu.free'])} of ${numbers['gpu.count']}`),
  },
  instances: { width: 'minmax(84px, 0.4fr)' },
  age: { width: 'minmax(64px, 0.4fr)' },
}

/**
 * The columns of the list. Their keys are field names of the filter grammar, so that `sort` in the URL uses the same names as the filter.
 */
export const hostColumns: readonly TableColumn<HostRow>[] = first(hostFields, shownAtFirst)
  .filter(({ name }) => !withinOthers.includes(name))
  .map((field) => ({
    ...{ key: field.name, label: field.label },
    ...(isHostSort({ key: field.name, descending: false }) && { sortable: true }),
    ...columnOf(field),
    ...special[field.name],
    ...(!shownAtFirst.includes(field.name) && { isExtra: true }),
  }))

/** The column of a field, by the type of its values. */
function columnOf(field: HostField): Pick<TableColumn<HostRow>, 'width' | 'value'> & Partial<TableColumn<HostRow>> {
  if (!('column' in field)) return { width: 'minmax(112px, 2fr)', value: (row) => row[field.name] }
  switch (field.holds) {
    case 'code':
      return { width: 'minmax(90px, 1fr)', value: ({ texts }) => texts[field.name] }
    case 'set':
      return 'isReported' in field ? reported(field.name) : many(({ sets }) => sets[field.name])
    case 'number':
      return { sortsDescending: true, ...amount(field) }
  }
}

/** The column of an optional text. */
function reported(name: ReportedField['name']): Pick<TableColumn<HostRow>, 'width' | 'value' | 'cell'> {
  const textOf = ({ sets }: HostRow): string | undefined => sets[name][0]
  return {
    width: 'minmax(104px, 1fr)',
    value: (row) => textOf(row) ?? '',
    cell: (row) => <span title={inWords(textOf(row) ?? NONE)}>{inWords(textOf(row) ?? NONE)}</span>,
  }
}

/** Creates the column of a number in a unit. */
function amount({ name, unit }: FieldHolding<'number'>): Pick<TableColumn<HostRow>, 'width' | 'align' | 'value' | 'cell'> {
  const read = ({ numbers }: HostRow): number => numbers[name]
  switch (unit) {
    case '%':
      return { width: 'minmax(72px, 1fr)', value: (row) => rounded(read(row)), cell: (row) => <PercentMeter percent={read(row)} /> }
    case 'MiB':
      return {
        ...{ width: 'minmax(74px, 0.6fr)', align: 'right', value: read },
        cell: (row) => <span title={`${formatCount(read(row))} MiB`}>{formatMib(read(row))}</span>,
      }
    case 'GiB':
      return { width: 'minmax(76px, 0.6fr)', align: 'right', value: read, cell: (row) => formatGib(read(row)) }
    case 's':
      return {
        ...{ width: 'minmax(66px, 0.4fr)', align: 'right' },
        value: (row) => (read(row) === 0 ? 'never' : formatDuration(Math.max(0, shownNow() - read(row)))),
        cell: (row) => <Age atMs={read(row)} />,
      }
    case 'count':
      return { width: 'minmax(66px, 0.4fr)', align: 'right', value: read, cell: (row) => formatCount(read(row)) }
  }
}

/** The columns of the list with an additional column after the name: a decision's verdict on each host. */
export function withVerdicts({ groups, ofName }: Verdicts): readonly TableColumn<HostRow>[] {
  const value = (row: HostRow): string => groups[ofName(keyOf(row))]?.label ?? ''
  const column: TableColumn<HostRow> = {
    ...{ key: 'verdict', label: 'Verdict', width: 'minmax(110px, 1.6fr)', value },
    cell: (row) => <span title={value(row)}>{value(row)}</span>,
  }
  return hostColumns.flatMap((one, i) => (i === 0 ? [one, column] : [one]))
}

/** A cell with several texts in one line. Its title contains all of them, up to MAX_TITLE_LENGTH characters. */
function many(read: (row: HostRow) => readonly string[]): Pick<TableColumn<HostRow>, 'width' | 'value' | 'cell'> {
  const value = (row: HostRow): string => read(row).join(', ')
  return {
    ...{ width: 'minmax(120px, 1.4fr)', value },
    cell: (row) => <span title={value(row).slice(0, MAX_TITLE_LENGTH)}>{value(row).slice(0, MAX_TITLE_LENGTH)}</span>,
  }
}

/** The name as a link. It is not a tab stop, because the row itself can be opened with the keyboard. */
function HostLink({ host, node, hasOtherNodes }: ShownHost) {
  return (
    <Link to="/hosts/$host" params={{ host }} search={host === node ? {} : { node }} tabIndex={-1} preload={false} className="host-link">
      {hostLabel({ host, node, hasOtherNodes })}
    </Link>
  )
}

const rounded = (percent: number): number => Number(percent.toFixed(2))
