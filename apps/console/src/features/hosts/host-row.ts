import { ofEachTold, type ToldName } from '@gantt/scheduler-core/query'
import type { CodeColumn, FleetStore, NumberColumn, SetColumn } from './fleet-store.ts'

/** One host of the list, read from the columns: only for rows in sight, and for copies. */
export interface HostRow {
  readonly host: string
  readonly node: string
  readonly az: string
  readonly aggregates: readonly string[]
  readonly traits: readonly string[]
  /** What it shows the machine; undefined: not reported. */
  readonly reported: Readonly<Record<ToldName, string | undefined>>
  readonly state: string
  readonly status: string
  readonly cpuTotal: number
  readonly cpuFree: number
  readonly cpuUsed: number
  readonly memFreeMib: number
  readonly memUsed: number
  readonly diskFreeGib: number
  readonly diskUsed: number
  readonly gpuCount: number
  readonly gpuFree: number
  readonly claims: number
  readonly instances: number
  /** The service's time, milliseconds since 1970; 0: never. */
  readonly reportedMs: number
}

export function readHost(store: FleetStore, ordinal: number): HostRow {
  const number = (column: NumberColumn): number => store.numbers(column)[ordinal] ?? 0
  const text = (column: CodeColumn): string => store.dictionary(column).values[store.codes(column)[ordinal] ?? 0] ?? ''
  const texts = (column: SetColumn): readonly string[] => store.sets(column).texts[store.codes(column)[ordinal] ?? 0] ?? []
  return {
    host: store.nameOf(ordinal),
    node: store.nodeOf(ordinal),
    az: text('AZ'),
    aggregates: texts('AGGREGATES'),
    traits: texts('TRAITS'),
    reported: ofEachTold('name', ({ column }) => texts(column)[0]),
    state: text('STATE'),
    status: text('STATUS'),
    cpuTotal: number('CPU_TOTAL'),
    cpuFree: number('CPU_FREE'),
    cpuUsed: number('CPU_USED_PCT'),
    memFreeMib: number('MEM_FREE_MIB'),
    memUsed: number('MEM_USED_PCT'),
    diskFreeGib: number('DISK_FREE_GIB'),
    diskUsed: number('DISK_USED_PCT'),
    gpuCount: number('GPU_COUNT'),
    gpuFree: number('GPU_FREE_MILLI') / 1_000,
    claims: number('CLAIMS'),
    instances: number('INSTANCES'),
    reportedMs: number('REPORTED_AT'),
  }
}

/** Host, and node where it has a name of its own. */
export const labelOf = ({ host, node }: { readonly host: string; readonly node: string }): string =>
  host === node ? host : `${host}/${node}`

/** A host as people type it: HOST or HOST/NODE, as `labelOf` prints it. */
export function readHostName(text: string): { readonly host: string; readonly node?: string } {
  const slash = text.indexOf('/')
  return slash <= 0 || slash === text.length - 1 ? { host: text } : { host: text.slice(0, slash), node: text.slice(slash + 1) }
}
