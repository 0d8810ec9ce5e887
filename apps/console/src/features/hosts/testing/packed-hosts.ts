import { type ReportedField, reportedFields } from '@gantt/scheduler-core/query'
import type { FleetColumn, PackedHosts } from '../fleet-store.ts'

/** A host for tests. Fields that a test does not need are omitted. */
export interface TestHost {
  readonly ordinal: number
  readonly name: string
  readonly node?: string
  readonly formerNames?: readonly string[]
  readonly state?: string
  readonly status?: string
  readonly az?: string
  readonly aggregates?: readonly string[]
  readonly traits?: readonly string[]
  readonly reported?: Readonly<Partial<Record<ReportedField['name'], string>>>
  readonly memFreeMib?: number
  /** The used memory in per cent. Without `memFreeMib`, the host has 100 MiB of memory. */
  readonly memUsed?: number
  readonly cpuFree?: number
  readonly gpuFreeMilli?: number
  readonly claims?: number
  /** The time of the last report, milliseconds since 1970. 0, the default, means never. */
  readonly reportedAt?: number
}

/** Packs hosts like the service: with dictionaries of this answer only, and little-endian columns in base64. */
export function packHosts(hosts: readonly TestHost[]): PackedHosts {
  const texts = (column: FleetColumn, values: readonly string[]) => {
    const distinct = [...new Set(values)]
    return {
      dictionary: { column, values: distinct, sets: null },
      column: { name: column, elementType: 'U16' as const, data: base64(Uint16Array.from(values, (value) => distinct.indexOf(value))) },
    }
  }
  const sets = (column: FleetColumn, lists: readonly (readonly string[])[]) => {
    const distinct = [...new Set(lists.flat())]
    const keys = [...new Set(lists.map((list) => list.join()))]
    const all = keys.map((key) => (key === '' ? [] : key.split(',').map((value) => distinct.indexOf(value))))
    return {
      dictionary: { column, values: distinct, sets: all },
      column: { name: column, elementType: 'U8' as const, data: base64(Uint8Array.from(lists, (list) => keys.indexOf(list.join()))) },
    }
  }
  const numbers = (column: FleetColumn, values: readonly number[]) => ({
    name: column,
    elementType: 'F64' as const,
    data: base64(Float64Array.from(values)),
  })
  const ofTexts = [
    texts(
      'STATE',
      hosts.map(({ state = 'UP' }) => state),
    ),
    texts(
      'STATUS',
      hosts.map(({ status = 'ENABLED' }) => status),
    ),
    texts(
      'AZ',
      hosts.map(({ az = 'az1' }) => az),
    ),
    sets(
      'AGGREGATES',
      hosts.map(({ aggregates = [] }) => aggregates),
    ),
    sets(
      'TRAITS',
      hosts.map(({ traits = [] }) => traits),
    ),
    ...reportedFields.map(({ name, column }) =>
      sets(
        column,
        hosts.map(({ reported = {} }) => [reported[name] ?? []].flat()),
      ),
    ),
  ]
  return {
    ordinals: base64(Uint32Array.from(hosts, ({ ordinal }) => ordinal)),
    names: hosts.map(({ name }) => name),
    otherNodes: hosts.flatMap(({ ordinal, node }) => (node === undefined ? [] : [{ ordinal, node }])),
    renamed: hosts.flatMap(({ ordinal, formerNames }) => (formerNames === undefined ? [] : [{ ordinal, names: formerNames }])),
    dictionaries: ofTexts.map(({ dictionary }) => dictionary),
    columns: [
      ...ofTexts.map(({ column }) => column),
      numbers(
        'MEM_FREE_MIB',
        hosts.map(({ memUsed, memFreeMib = memUsed === undefined ? 0 : 100 - memUsed }) => memFreeMib),
      ),
      numbers(
        'MEM_TOTAL_MIB',
        hosts.map(({ memUsed, memFreeMib }) =>
          memUsed === undefined ? 0 : memFreeMib === undefined ? 100 : (100 * memFreeMib) / (100 - memUsed),
        ),
      ),
      numbers(
        'CPU_FREE',
        hosts.map(({ cpuFree = 0 }) => cpuFree),
      ),
      numbers(
        'GPU_FREE_MILLI',
        hosts.map(({ gpuFreeMilli = 0 }) => gpuFreeMilli),
      ),
      numbers(
        'CLAIMS',
        hosts.map(({ claims = 0 }) => claims),
      ),
      numbers(
        'REPORTED_AT',
        hosts.map(({ reportedAt = 0 }) => reportedAt),
      ),
    ],
  }
}

const base64 = (values: Uint8Array | Uint16Array | Uint32Array | Float64Array): string =>
  btoa(String.fromCharCode(...new Uint8Array(values.buffer, values.byteOffset, values.byteLength)))
