import { toCsv } from '../../lib/csv.ts'
import { quoteForShell } from '../../lib/shell.ts'
import type { HostRow } from './host-row.ts'

/** The list as text for elsewhere; `filter` is the text of the filter grammar, `at` the moment, where that is not now. */

export const queryTextOf = (filter: string, at?: string): string => `query Hosts($after: String) {
  hosts(first: 500, after: $after${filter === '' ? '' : `, query: ${JSON.stringify(filter)}`}${at === undefined ? '' : `, at: ${JSON.stringify(at)}`}) {
    totalCount
    nodes {
      name node availabilityZone state status lastReportAt
      capacity { resourceClass capacity used claimed free }
    }
    pageInfo { hasNextPage endCursor }
  }
}`

/** A command line that asks the same; the key comes from the environment, never from a page. */
export function curlOf(origin: string, filter: string, at?: string): string {
  const body = JSON.stringify({ query: queryTextOf(filter, at).replace(/\s+/g, ' ') })
  return `curl -s ${origin}/graphql -H "authorization: Bearer $GANTT_KEY" -H 'content-type: application/json' -d ${quoteForShell(body)}`
}

export const cliLineOf = (filter: string, at?: string): string =>
  `gantt hosts --all${filter === '' ? '' : ` --query ${quoteForShell(filter)}`}${at === undefined ? '' : ` --at ${quoteForShell(at)}`}`

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
