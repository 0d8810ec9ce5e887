import { toCsv } from '../../lib/csv.ts'
import { quoteForShell } from '../../lib/shell.ts'
import type { HostRow } from './host-row.ts'

/** The list as text for elsewhere; `filter` is the text of the filter grammar. */

export const queryTextOf = (filter: string): string => `query Hosts($after: String) {
  hosts(first: 500, after: $after${filter === '' ? '' : `, query: ${JSON.stringify(filter)}`}) {
    totalCount
    nodes {
      name node availabilityZone state status lastReportAt
      capacity { resourceClass capacity used claimed free }
    }
    pageInfo { hasNextPage endCursor }
  }
}`

/** A command line that asks the same; the key comes from the environment, never from a page. */
export function curlOf(origin: string, filter: string): string {
  const body = JSON.stringify({ query: queryTextOf(filter).replace(/\s+/g, ' ') })
  return `curl -s ${origin}/graphql -H "authorization: Bearer $GANTT_KEY" -H 'content-type: application/json' -d ${quoteForShell(body)}`
}

export const cliLineOf = (filter: string): string =>
  filter === '' ? 'gantt hosts --all' : `gantt hosts --all --query ${quoteForShell(filter)}`

/** Rows under a heading, safe to open as a sheet. */
export const csvOf = (rows: readonly HostRow[]): string =>
  toCsv(
    fields.map(([name]) => name),
    rows.map((row) => fields.map(([, read]) => read(row))),
  )

export const jsonOf = (rows: readonly HostRow[]): string =>
  JSON.stringify(
    rows.map((row) => Object.fromEntries(fields.map(([name, read]) => [name, read(row)]))),
    null,
    2,
  )

/** The columns of a copy, with their units in their names. */
const fields: readonly (readonly [string, (row: HostRow) => string | number | null])[] = [
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
