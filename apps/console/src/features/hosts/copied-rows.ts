import { toCsv } from '../../lib/csv.ts'
import type { HostRow } from './host-row.ts'

/** The rows of the list as text for elsewhere; `at` is the moment, where that is not now. */

/** Rows under a heading, safe to open as a sheet. */
export const csvOf = (rows: readonly HostRow[], at?: string): string => {
  const columns = fieldsAt(at)
  return toCsv(
    columns.map(([name]) => name),
    rows.map((row) => columns.map(([, read]) => read(row))),
  )
}

export const jsonOf = (rows: readonly HostRow[], at?: string): string =>
  JSON.stringify(
    rows.map((row) => Object.fromEntries(fieldsAt(at).map(([name, read]) => [name, read(row)]))),
    null,
    2,
  )

type Field = readonly [string, (row: HostRow) => string | number | null]

/** Rows of the past say so. */
const fieldsAt = (at: string | undefined): readonly Field[] => (at === undefined ? fields : [...fields, ['at', () => at]])

/** The columns of a copy, with their units in their names. */
const fields: readonly Field[] = [
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
]

const rounded = (percent: number): number => Number(percent.toFixed(2))
