import { Link } from '@tanstack/react-router'
import { serviceNow } from '../../lib/clock.ts'
import { formatCount, formatDuration, formatGib, formatMib } from '../../lib/format.ts'
import { PercentMeter } from '../../ui/meter.tsx'
import type { TableColumn } from '../../ui/table.tsx'
import { Age } from './age.tsx'
import { type HostRow, labelOf } from './host-row.ts'
import { HostState } from './host-state.tsx'

/** The columns of the list; keys are fields of the filter grammar, so that a sort reads like a filter. */
export const hostColumns: readonly TableColumn<HostRow>[] = [
  {
    key: 'host',
    label: 'Host',
    width: 'minmax(140px, 2fr)',
    sortable: true,
    value: labelOf,
    cell: (row) => <HostLink host={row.host} node={row.node} />,
  },
  { key: 'az', label: 'Zone', width: 'minmax(64px, 1fr)', sortable: true, value: ({ az }) => az },
  {
    key: 'state',
    label: 'State, status',
    width: 'minmax(150px, 1fr)',
    sortable: true,
    value: ({ state, status }) => `${state} ${status}`,
    cell: (row) => <HostState state={row.state} status={row.status} />,
  },
  {
    key: 'cpu.used',
    label: 'CPU used',
    width: 'minmax(108px, 1fr)',
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
    width: 'minmax(122px, 1fr)',
    sortable: true,
    sortsDescending: true,
    value: ({ memUsed }) => rounded(memUsed),
    cell: ({ memUsed, memFreeMib }) => <PercentMeter percent={memUsed} title={`${formatCount(memFreeMib)} MiB free`} />,
  },
  {
    key: 'mem.free',
    label: 'Memory free',
    width: '116px',
    align: 'right',
    sortable: true,
    sortsDescending: true,
    value: ({ memFreeMib }) => memFreeMib,
    cell: ({ memFreeMib }) => <span title={`${formatCount(memFreeMib)} MiB`}>{formatMib(memFreeMib)}</span>,
  },
  {
    key: 'disk.used',
    label: 'Disk used',
    width: 'minmax(108px, 1fr)',
    sortable: true,
    sortsDescending: true,
    value: ({ diskUsed }) => rounded(diskUsed),
    cell: ({ diskUsed, diskFreeGib }) => <PercentMeter percent={diskUsed} title={`${formatGib(diskFreeGib)} free`} />,
  },
  {
    key: 'gpu.free',
    label: 'GPU free',
    width: '88px',
    align: 'right',
    sortable: true,
    sortsDescending: true,
    value: ({ gpuFree }) => gpuFree,
    cell: ({ gpuFree, gpuCount }) => (gpuCount === 0 ? '–' : `${formatCount(gpuFree)} of ${gpuCount}`),
  },
  count('claims', 'Claims', ({ claims }) => claims),
  count('instances', 'Instances', ({ instances }) => instances),
  {
    key: 'age',
    label: 'Report',
    width: '76px',
    align: 'right',
    sortable: true,
    sortsDescending: true,
    value: ({ reportedMs }) => (reportedMs === 0 ? 'never' : formatDuration(Math.max(0, serviceNow() - reportedMs))),
    cell: ({ reportedMs }) => <Age atMs={reportedMs} />,
  },
]

/** The name as a link; the row is opened by its own keys, so the link is no stop of its own. */
function HostLink({ host, node }: { readonly host: string; readonly node: string }) {
  return (
    <Link to="/hosts/$host" params={{ host }} search={host === node ? {} : { node }} tabIndex={-1} preload={false} className="host-link">
      {labelOf({ host, node })}
    </Link>
  )
}

function count(key: string, label: string, value: (row: HostRow) => number): TableColumn<HostRow> {
  return {
    key,
    label,
    width: '92px',
    align: 'right',
    sortable: true,
    sortsDescending: true,
    value,
    cell: (row) => formatCount(value(row)),
  }
}

const rounded = (percent: number): number => Number(percent.toFixed(2))
