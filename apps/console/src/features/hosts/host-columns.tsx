import { toldFields } from '@gantt/scheduler-core/query'
import { Link } from '@tanstack/react-router'
import { shownNow } from '../../lib/clock.ts'
import { formatCount, formatDuration, formatGib, formatMib } from '../../lib/format.ts'
import { Age } from '../../ui/age.tsx'
import { PercentMeter } from '../../ui/meter.tsx'
import type { TableColumn } from '../../ui/table.tsx'
import { type HostRow, labelOf } from './host-row.ts'
import { HostState } from './host-state.tsx'
import { inWords, NONE } from './select-hosts.ts'
import type { Verdicts } from './verdicts.ts'

/** Characters of a title. */
const MOST_OF_TITLE = 1_000

/** The columns of the list; keys are fields of the filter grammar, so that a sort reads like a filter. */
export const hostColumns: readonly TableColumn<HostRow>[] = [
  {
    key: 'host',
    label: 'Host',
    width: 'minmax(112px, 2fr)',
    sortable: true,
    value: labelOf,
    cell: (row) => <HostLink host={row.host} node={row.node} />,
  },
  { key: 'az', label: 'Zone', width: 'minmax(48px, 1fr)', sortable: true, value: ({ az }) => az },
  {
    key: 'state',
    label: 'State, status',
    width: 'minmax(118px, 1.4fr)',
    sortable: true,
    value: ({ state, status }) => `${state} ${status}`,
    cell: (row) => (
      <span title={`${row.state} ${row.status}`.toLowerCase()}>
        <HostState state={row.state} status={row.status} />
      </span>
    ),
  },
  {
    key: 'cpu.used',
    label: 'CPU used',
    width: 'minmax(80px, 1fr)',
    sortable: true,
    sortsDescending: true,
    value: ({ cpuUsed }) => rounded(cpuUsed),
    cell: ({ cpuUsed, cpuFree, cpuTotal }) => (
      <PercentMeter percent={cpuUsed} title={`${formatCount(cpuFree)} of ${formatCount(cpuTotal)} vCPUs free`} />
    ),
  },
  {
    key: 'mem.used',
    label: 'Memory used',
    width: 'minmax(80px, 1fr)',
    sortable: true,
    sortsDescending: true,
    value: ({ memUsed }) => rounded(memUsed),
    cell: ({ memUsed, memFreeMib }) => <PercentMeter percent={memUsed} title={`${formatCount(memFreeMib)} MiB free`} />,
  },
  {
    key: 'mem.free',
    label: 'Memory free',
    width: 'minmax(76px, 0.6fr)',
    align: 'right',
    sortable: true,
    sortsDescending: true,
    value: ({ memFreeMib }) => memFreeMib,
    cell: ({ memFreeMib }) => <span title={`${formatCount(memFreeMib)} MiB`}>{formatMib(memFreeMib)}</span>,
  },
  {
    key: 'disk.used',
    label: 'Disk used',
    width: 'minmax(80px, 1fr)',
    sortable: true,
    sortsDescending: true,
    value: ({ diskUsed }) => rounded(diskUsed),
    cell: ({ diskUsed, diskFreeGib }) => <PercentMeter percent={diskUsed} title={`${formatGib(diskFreeGib)} free`} />,
  },
  {
    key: 'gpu.free',
    label: 'GPU free',
    width: 'minmax(60px, 0.5fr)',
    align: 'right',
    sortable: true,
    sortsDescending: true,
    value: ({ gpuFree }) => gpuFree,
    cell: ({ gpuFree, gpuCount }) => (gpuCount === 0 ? '–' : `${formatCount(gpuFree)} of ${gpuCount}`),
  },
  count('claims', 'Claims', 'minmax(66px, 0.4fr)', ({ claims }) => claims),
  count('instances', 'Instances', 'minmax(84px, 0.4fr)', ({ instances }) => instances),
  {
    key: 'age',
    label: 'Report',
    width: 'minmax(64px, 0.4fr)',
    align: 'right',
    sortable: true,
    sortsDescending: true,
    value: ({ reportedMs }) => (reportedMs === 0 ? 'never' : formatDuration(Math.max(0, shownNow() - reportedMs))),
    cell: ({ reportedMs }) => <Age atMs={reportedMs} />,
  },
  { ...count('cpu.free', 'CPU free', 'minmax(66px, 0.4fr)', ({ cpuFree }) => cpuFree), isExtra: true },
  { ...count('cpu.total', 'CPU total', 'minmax(66px, 0.4fr)', ({ cpuTotal }) => cpuTotal), isExtra: true },
  {
    ...count('disk.free', 'Disk free', 'minmax(76px, 0.6fr)', ({ diskFreeGib }) => diskFreeGib),
    cell: ({ diskFreeGib }) => formatGib(diskFreeGib),
    isExtra: true,
  },
  many('agg', 'Aggregates', ({ aggregates }) => aggregates),
  many('trait', 'Traits', ({ traits }) => traits),
  ...toldFields.map(
    ({ name, label }): TableColumn<HostRow> => ({
      ...{ key: name, label, width: 'minmax(90px, 1fr)', sortable: true, isExtra: true },
      value: ({ reported }) => reported[name] ?? '',
      cell: ({ reported }) => <span title={inWords(reported[name] ?? NONE)}>{inWords(reported[name] ?? NONE)}</span>,
    }),
  ),
]

/** The columns with what a decision said of each host, behind the name. */
export function withVerdicts({ groups, ofName }: Verdicts): readonly TableColumn<HostRow>[] {
  const value = (row: HostRow): string => groups[ofName(labelOf(row))]?.label ?? ''
  const column: TableColumn<HostRow> = {
    ...{ key: 'verdict', label: 'Verdict', width: 'minmax(110px, 1.6fr)', value },
    cell: (row) => <span title={value(row)}>{value(row)}</span>,
  }
  return hostColumns.flatMap((one, i) => (i === 0 ? [one, column] : [one]))
}

/** Texts in one line, whole in its title; long ones would be longer than a screen. */
function many(key: string, label: string, read: (row: HostRow) => readonly string[]): TableColumn<HostRow> {
  const value = (row: HostRow): string => read(row).join(', ')
  return {
    ...{ key, label, width: 'minmax(120px, 1.4fr)', isExtra: true, value },
    cell: (row) => <span title={value(row).slice(0, MOST_OF_TITLE)}>{value(row).slice(0, MOST_OF_TITLE)}</span>,
  }
}

/** The name as a link; the row is opened by its own keys, so the link is no stop of its own. */
function HostLink({ host, node }: { readonly host: string; readonly node: string }) {
  return (
    <Link to="/hosts/$host" params={{ host }} search={host === node ? {} : { node }} tabIndex={-1} preload={false} className="host-link">
      {labelOf({ host, node })}
    </Link>
  )
}

function count(key: string, label: string, width: string, value: (row: HostRow) => number): TableColumn<HostRow> {
  return {
    key,
    label,
    width,
    align: 'right',
    sortable: true,
    sortsDescending: true,
    value,
    cell: (row) => formatCount(value(row)),
  }
}

const rounded = (percent: number): number => Number(percent.toFixed(2))
