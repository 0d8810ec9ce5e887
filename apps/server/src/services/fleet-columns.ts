import { type Fleet, type HostRecord, utilisationOf, type ZoneUse } from '@gantt/scheduler-core'
import type { Replica } from '../replica/replica.ts'
import {
  aggregateNamesOf,
  claimCountOf,
  compileHostQuery,
  freeOf,
  gpuFreeMilliOf,
  instancesOf,
  totalOf,
  usedPercentOf,
} from './host-query.ts'
import { type HostView, stateOf, statusOf, viewHost } from './host-view.ts'
import { InputFault } from './outcome.ts'
import { narrow, type PackedArray } from './packed.ts'

/** What can be read of all hosts at once. */
export const fleetColumns = [
  'STATE',
  'STATUS',
  'AZ',
  'AGGREGATES',
  'TRAITS',
  'CPU_TOTAL',
  'CPU_FREE',
  'CPU_USED_PCT',
  'MEM_FREE_MIB',
  'MEM_USED_PCT',
  'DISK_FREE_GIB',
  'DISK_USED_PCT',
  'GPU_COUNT',
  'GPU_FREE_MILLI',
  'CLAIMS',
  'INSTANCES',
  'REPORTED_AT',
] as const
export type FleetColumn = (typeof fleetColumns)[number]

export interface ColumnData {
  readonly name: FleetColumn
  readonly data: PackedArray
}

/** What the numbers of a column stand for: an element is an index into `sets` where there are any, else into `values`. */
export interface ColumnDictionary {
  readonly column: FleetColumn
  readonly values: readonly string[]
  /** Each a list of indexes into `values`. */
  readonly sets: readonly (readonly number[])[] | null
}

/** A host whose node has a name of its own. */
export interface OtherNode {
  readonly ordinal: number
  readonly node: string
}

/** Some hosts, column by column; everything in the order of `ordinals`. */
export interface HostColumnsView {
  readonly ordinals: Uint32Array
  readonly names: readonly string[]
  readonly otherNodes: readonly OtherNode[]
  readonly dictionaries: readonly ColumnDictionary[]
  readonly columns: readonly ColumnData[]
}

export interface FleetColumnsView extends HostColumnsView {
  readonly asOf: number
  /** Store time, milliseconds since 1970. */
  readonly at: number
}

/** The hosts of this replica as columns, for maps and long tables. */
export interface FleetReader {
  readonly asOf: number
  /** Store time of that state, milliseconds since 1970; 0 before the first entry. */
  readonly at: number
  readonly hostCount: number
  /** How full each zone is, by name. */
  totals(): readonly ZoneUse[]
  columns(names: readonly FleetColumn[], query: string | null | undefined): FleetColumnsView
}

/** `now`: to what ages in a query are counted, milliseconds since 1970. */
export function createFleetReader(source: Pick<Replica, 'fleet'>, now: () => number = Date.now): FleetReader {
  return {
    get asOf() {
      return source.fleet.place.revision
    },
    get at() {
      return source.fleet.now
    },
    get hostCount() {
      return source.fleet.hosts.count
    },
    totals: () => utilisationOf(source.fleet),
    columns(names, query) {
      const { fleet } = source
      const isAsked = compileHostQuery(query, ['columns', 'query'], now)
      const views = fleet.hosts.records.map((record) => viewHost(fleet, record)).filter(isAsked)
      return { ...columnsOf(views, checkNames(names, ['columns', 'names'])), asOf: fleet.place.revision, at: fleet.now }
    },
  }
}

/** At least one column, none twice. Throws InputFault. */
export function checkNames(names: readonly FleetColumn[], path: readonly string[]): readonly FleetColumn[] {
  if (names.length === 0 || new Set(names).size < names.length) throw InputFault.at(path, names, 'at least one column, each once')
  return names
}

/** Names and columns of some hosts. */
export function columnsOf(views: readonly HostView[], names: readonly FleetColumn[]): HostColumnsView {
  const dictionaries: ColumnDictionary[] = []
  const columns = names.map((name): ColumnData => {
    const { data, dictionary } = readColumn(name, views)
    if (dictionary !== undefined) dictionaries.push({ column: name, ...dictionary })
    return { name, data }
  })
  return {
    ordinals: fill(new Uint32Array(views.length), views, ({ record }) => record.index),
    names: views.map(({ record }) => record.host),
    otherNodes: otherNodesOf(views.map(({ record }) => record)),
    dictionaries,
    columns,
  }
}

export const otherNodesOf = (records: readonly HostRecord[]): OtherNode[] =>
  records.filter(({ host, node }) => node !== host).map(({ index, node }) => ({ ordinal: index, node }))

type Coded = { readonly data: PackedArray; readonly dictionary?: Omit<ColumnDictionary, 'column'> }

function readColumn(name: FleetColumn, views: readonly HostView[]): Coded {
  switch (name) {
    case 'STATE':
      return codeValues(views.map(stateOf))
    case 'STATUS':
      return codeValues(views.map(statusOf))
    case 'AZ':
      return codeValues(views.map(({ record }) => record.zone))
    case 'AGGREGATES':
      return codeSets(views.map(aggregateNamesOf))
    case 'TRAITS':
      return codeSets(views.map(({ record }) => [...record.traits]))
    default:
      return { data: narrow(fill(new Float64Array(views.length), views, numberReaders[name])) }
  }
}

/** What the numbers of a host are, where a column has them as they are. */
const numberReaders: Readonly<
  Record<Exclude<FleetColumn, 'STATE' | 'STATUS' | 'AZ' | 'AGGREGATES' | 'TRAITS'>, (view: HostView) => number>
> = {
  CPU_TOTAL: (view) => totalOf(view, 'VCPU'),
  CPU_FREE: (view) => freeOf(view, 'VCPU'),
  CPU_USED_PCT: (view) => usedPercentOf(view, 'VCPU'),
  MEM_FREE_MIB: (view) => freeOf(view, 'MEMORY_MB'),
  MEM_USED_PCT: (view) => usedPercentOf(view, 'MEMORY_MB'),
  DISK_FREE_GIB: (view) => freeOf(view, 'DISK_GB'),
  DISK_USED_PCT: (view) => usedPercentOf(view, 'DISK_GB'),
  GPU_COUNT: ({ record }) => record.gpus.length,
  GPU_FREE_MILLI: gpuFreeMilliOf,
  CLAIMS: claimCountOf,
  INSTANCES: instancesOf,
  REPORTED_AT: ({ record }) => record.reportedAt,
}

/** By a plain loop: `from` walks an iterator, which takes several times as long. */
function fill<Column extends PackedArray>(column: Column, views: readonly HostView[], read: (view: HostView) => number): Column {
  for (let i = 0; i < views.length; i++) column[i] = read(views[i] as HostView)
  return column
}

/** Each value once, in the order of first use. */
function codeValues(found: readonly string[]): Coded {
  const { values, codeOf } = createCodes()
  return { data: narrow(found.map(codeOf)), dictionary: { values, sets: null } }
}

/** Each set once: hosts of a rack have the same traits. */
function codeSets(found: readonly (readonly string[])[]): Coded {
  const { values, codeOf } = createCodes()
  const sets: (readonly number[])[] = []
  const known = new Map<string, number>()
  const data = found.map((set) => {
    const codes = set.map(codeOf).sort((a, b) => a - b)
    const key = codes.join()
    const place = known.get(key)
    if (place !== undefined) return place
    known.set(key, sets.length)
    return sets.push(codes) - 1
  })
  return { data: narrow(data), dictionary: { values, sets } }
}

function createCodes() {
  const values: string[] = []
  const codes = new Map<string, number>()
  const codeOf = (value: string): number => {
    const known = codes.get(value)
    if (known !== undefined) return known
    codes.set(value, values.length)
    return values.push(value) - 1
  }
  return { values, codeOf }
}

/** The hosts at some ordinals of a fleet. */
export const viewsAt = (fleet: Fleet, ordinals: Iterable<number>): HostView[] =>
  [...ordinals]
    .sort((a, b) => a - b)
    .flatMap((ordinal) => fleet.hosts.records[ordinal] ?? [])
    .map((record) => viewHost(fleet, record))
