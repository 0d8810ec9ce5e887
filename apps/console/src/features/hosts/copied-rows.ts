import { toldFields } from '@gantt/scheduler-core/query'
import { csvOf as csvOfFields, fieldsShown, type RowField } from '../../lib/csv.ts'
import type { TableColumn } from '../../ui/table.tsx'
import type { HostRow } from './host-row.ts'

/** The rows of the list as text for elsewhere. */
export interface CopiedHosts {
  readonly rows: readonly HostRow[]
  /** The columns that are shown. */
  readonly columns: readonly Pick<TableColumn<HostRow>, 'key' | 'value'>[]
  /** The moment, where that is not now. */
  readonly at?: string | undefined
}

/** Rows under a heading, safe to open as a sheet. */
export const csvOf = (copied: CopiedHosts): string => csvOfFields(fieldsOf(copied), copied.rows)

export const jsonOf = (copied: CopiedHosts): string =>
  JSON.stringify(
    copied.rows.map((row) => Object.fromEntries(fieldsOf(copied).map(([name, read]) => [name, read(row)]))),
    null,
    2,
  )

/** Rows of the past say so, and what a decision said of each stands at the end. */
function fieldsOf({ columns, at }: CopiedHosts): readonly RowField<HostRow>[] {
  const shown = fieldsShown(
    fields,
    columns.map(({ key }) => key),
  )
  const said = columns.filter(({ key }) => key === 'verdict').map(({ key, value }): RowField<HostRow> => [key, value])
  const moment: readonly RowField<HostRow>[] = at === undefined ? [] : [['at', () => at]]
  return [...shown, ...said, ...moment]
}

/** What a copy has of each host, with the units in the names. */
const fields: readonly RowField<HostRow>[] = [
  ['host', ({ host }) => host],
  ['node', ({ node }) => node],
  ['availabilityZone', ({ az }) => az],
  ['state', ({ state }) => state],
  ['status', ({ status }) => status],
  ['vcpus', ({ cpuTotal }) => cpuTotal],
  ['vcpusFree', ({ cpuFree }) => cpuFree],
  ['cpuUsedPercent', ({ cpuUsed }) => rounded(cpuUsed)],
  ['memoryFreeMib', ({ memFreeMib }) => memFreeMib],
  ['memoryUsedPercent', ({ memUsed }) => rounded(memUsed)],
  ['diskFreeGib', ({ diskFreeGib }) => diskFreeGib],
  ['diskUsedPercent', ({ diskUsed }) => rounded(diskUsed)],
  ['gpus', ({ gpuCount }) => gpuCount],
  ['gpusFree', ({ gpuFree }) => gpuFree],
  ['claims', ({ claims }) => claims],
  ['instances', ({ instances }) => instances],
  ['reportedAt', ({ reportedMs }) => (reportedMs === 0 ? null : new Date(reportedMs).toISOString())],
  ['aggregates', ({ aggregates }) => aggregates.join(', '), 'agg'],
  ['traits', ({ traits }) => traits.join(', '), 'trait'],
  ...toldFields.map(({ name }): RowField<HostRow> => {
    const heading = name.replace(/\.(.)/, (_dot, letter: string) => letter.toUpperCase())
    return [heading, ({ reported }) => reported[name] ?? null, name]
  }),
]

const rounded = (percent: number): number => Number(percent.toFixed(2))
