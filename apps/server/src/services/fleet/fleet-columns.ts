import { atOnce, type Fleet, type HostRecord, type Steps, utilisationOf, type ZoneUse } from '@gantt/scheduler-core'
import { byField, type ColumnField, columnFields, type ReportedField } from '@gantt/scheduler-core/query'
import { filterYielding } from '../../event-loop/lists.ts'
import { answerYielding } from '../../event-loop/query.ts'
import type { Replica } from '../../replica/replica.ts'
import { InputFault } from '../calls/outcome.ts'
import { narrow, type PackedArray } from '../calls/packed.ts'
import { compileHostQuery } from '../host/host-query.ts'
import type { HostView } from '../host/host-view.ts'

/** A column of the API: a value that can be read for all hosts in one call. */
export type FleetColumn = ColumnField['column']
export const fleetColumns: readonly FleetColumn[] = columnFields.map(({ column }) => column)

export interface ColumnData {
  readonly name: FleetColumn
  readonly data: PackedArray
}

/**
 * The values behind the numbers of a column. If `sets` is null, each element of the column is an index into `values`, otherwise an index
 * into `sets`.
 */
export interface ColumnDictionary {
  readonly column: FleetColumn
  readonly values: readonly string[]
  /** Each set is a list of indexes into `values`. */
  readonly sets: readonly (readonly number[])[] | null
}

/** A host whose node name differs from its host name. */
export interface OtherNode {
  readonly ordinal: number
  readonly node: string
}

/** A replaced host, with its earlier host names. */
export interface RenamedHost {
  readonly ordinal: number
  readonly names: readonly string[]
}

/** The values of several hosts as columns. Element i of every list belongs to the host with ordinal `ordinals[i]`. */
export interface HostColumnsView {
  readonly ordinals: Uint32Array
  readonly names: readonly string[]
  readonly otherNodes: readonly OtherNode[]
  readonly renamed: readonly RenamedHost[]
  readonly dictionaries: readonly ColumnDictionary[]
  readonly columns: readonly ColumnData[]
}

export interface FleetColumnsView extends HostColumnsView {
  readonly asOf: number
  /** Store time, milliseconds since 1970. */
  readonly at: number
}

/** Reads the hosts of this replica as columns, for maps and long tables. */
export interface FleetReader {
  readonly asOf: number
  /** Store time (the database's clock) of the fleet's last entry, in milliseconds since 1970; 0 before the first entry. */
  readonly at: number
  readonly hostCount: number
  /** The resource usage of each zone, sorted by zone name. */
  totals(): Promise<readonly ZoneUse[]>
  columns(names: readonly FleetColumn[], query: string | null | undefined): Promise<FleetColumnsView>
}

/** `now` returns the time up to which ages in a query are computed, in milliseconds since 1970. */
export function createFleetReader(source: Pick<Replica, 'fleet'>, now: () => number = Date.now): FleetReader {
  return {
    get asOf() {
      return source.fleet.place.revision
    },
    get at() {
      return source.fleet.now
    },
    get hostCount() {
      return source.fleet.hosts.presentCount
    },
    totals: () => answerYielding(utilisationOf(source.fleet)),
    async columns(names, query) {
      const { fleet } = source
      const isAsked = compileHostQuery(query, ['columns', 'query'], now)
      const view = viewer(fleet)
      checkNames(names, ['columns', 'names'])
      const records = await filterYielding(fleet.hosts.present, (record) => isAsked(view(record)))
      return { ...(await answerYielding(readColumns(fleet, records, names))), asOf: fleet.place.revision, at: fleet.now }
    },
  }
}

/** This many hosts are read between two yields. */
const READ_AT_ONCE = 256

/** Checks that there is at least one column, without duplicates. Throws InputFault. */
export function checkNames(names: readonly FleetColumn[], path: readonly string[]): readonly FleetColumn[] {
  if (names.length === 0 || new Set(names).size < names.length) throw InputFault.at(path, names, 'at least one column, without duplicates')
  return names
}

/** The names and columns of some hosts. */
export const columnsOf = (fleet: Fleet, records: readonly HostRecord[], names: readonly FleetColumn[]): HostColumnsView =>
  atOnce(readColumns(fleet, records, names))

/** The generator that `columnsOf` runs. The fleet must not be written until the generator ends. */
export function* readColumns(fleet: Fleet, records: readonly HostRecord[], names: readonly FleetColumn[]): Steps<HostColumnsView> {
  const ordinals = new Uint32Array(records.length)
  const columns = names.map((name) => ({ name, ...createColumn(name, records.length) }))
  const view = viewer(fleet)
  // reads host by host instead of column by column, because finding a host takes longer than reading a value
  for (let i = 0; i < records.length; i++) {
    if (i % READ_AT_ONCE === READ_AT_ONCE - 1) yield
    const record = records[i] as HostRecord
    const host = view(record)
    ordinals[i] = record.index
    for (const { data, read } of columns) data[i] = read(host)
  }
  const packed: ColumnData[] = []
  for (const { name, data } of columns) {
    packed.push({ name, data: narrow(data) })
    if (data.length >= READ_AT_ONCE) yield
  }
  return {
    ordinals,
    names: records.map(({ host }) => host),
    otherNodes: otherNodesOf(records),
    renamed: renamedOf(records),
    dictionaries: columns.flatMap(({ name, dictionary }) => (dictionary === undefined ? [] : [{ column: name, ...dictionary }])),
    columns: packed,
  }
}

export const otherNodesOf = (records: readonly HostRecord[]): OtherNode[] =>
  records.filter(({ host, node }) => node !== host).map(({ index, node }) => ({ ordinal: index, node }))

const renamedOf = (records: readonly HostRecord[]): RenamedHost[] =>
  records
    .filter(({ formerNames }) => formerNames.length > 0)
    .map(({ index, formerNames }) => ({ ordinal: index, names: [...new Set(formerNames.map(({ host }) => host))] }))

/**
 * Returns a function that returns the same view object for every host, because creating an object for each host takes longer than reading a
 * value. The view of a host is valid until the next call.
 */
function viewer(fleet: Fleet): (record: HostRecord) => HostView {
  let view: { readonly fleet: Fleet; record: HostRecord } | undefined
  return (record) => {
    view ??= { fleet, record }
    view.record = record
    return view
  }
}

interface Reader {
  readonly read: (host: HostView) => number
  /** The dictionary grows as hosts are read. */
  readonly dictionary?: Omit<ColumnDictionary, 'column'>
}

const fieldsByColumn = byField(columnFields, 'column', (field): ColumnField => field)

/** Creates an empty column and a function that adds the value of a host. */
function createColumn(name: FleetColumn, length: number): Reader & { readonly data: Uint32Array | Float64Array } {
  const field = fieldsByColumn[name]
  switch (field.holds) {
    case 'number':
      return { data: new Float64Array(length), read: field.read }
    case 'code':
      return { data: new Uint32Array(length), ...readCodes(field.read) }
    case 'set':
      return { data: new Uint32Array(length), ...('isReported' in field ? readReported(field) : readSets(field.read)) }
  }
}

/**
 * Reads a value that not every host reports. The value is stored as a set with one element, or as the empty set if the host does not report
 * it.
 */
function readReported({ read: readValue }: ReportedField): Required<Reader> {
  const { values, codeOf } = createCodes()
  const sets: (readonly number[])[] = []
  const indexes = new Map<string | number | null, number>()
  return {
    read(host) {
      const value = readValue(host)
      const known = indexes.get(value)
      if (known !== undefined) return known
      const index = sets.push(value === null ? [] : [codeOf(String(value))]) - 1
      indexes.set(value, index)
      return index
    },
    dictionary: { values, sets },
  }
}

/** Assigns a code to each distinct value, in the order of first use. */
function readCodes(textOf: (host: HostView) => string): Required<Reader> {
  const { values, codeOf } = createCodes()
  return { read: (host) => codeOf(textOf(host)), dictionary: { values, sets: null } }
}

/** A node of a prefix tree. A node represents all sets that begin with the same codes. The codes of a set are in ascending order. */
interface Branch {
  readonly next: Map<number, Branch>
  /** The index of the set that ends at this node. */
  index: number | undefined
}

/**
 * Stores each distinct set once, because hosts of a rack have the same traits. Finding a known set allocates no memory. A set object that
 * several hosts share is read only once.
 */
function readSets(itemsOf: (host: HostView) => readonly string[] | ReadonlySet<string>): Required<Reader> {
  const { values, codeOf } = createCodes()
  const sets: (readonly number[])[] = []
  const root: Branch = { next: new Map(), index: undefined }
  const shared = new Map<ReadonlySet<string>, number>()
  const set: number[] = []
  const indexOf = (items: Iterable<string>): number => {
    set.length = 0
    for (const item of items) set.push(codeOf(item))
    set.sort(ascending)
    let branch = root
    for (const code of set) {
      let next = branch.next.get(code)
      if (next === undefined) {
        next = { next: new Map(), index: undefined }
        branch.next.set(code, next)
      }
      branch = next
    }
    branch.index ??= sets.push([...set]) - 1
    return branch.index
  }
  const read = (host: HostView): number => {
    const items = itemsOf(host)
    // only `Set` objects are shared between hosts; each host has its own array
    if (!(items instanceof Set)) return indexOf(items)
    const known = shared.get(items)
    if (known !== undefined) return known
    const index = indexOf(items)
    shared.set(items, index)
    return index
  }
  return { read, dictionary: { values, sets } }
}

const ascending = (a: number, b: number): number => a - b

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
