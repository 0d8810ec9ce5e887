import { atOnce, type Fleet, type HostRecord, utilisationOf, type ZoneUse } from '@gantt/scheduler-core'
import { ofEachTold, type ToldField, toldFields } from '@gantt/scheduler-core/query'
import { filterInPieces } from '../replica/in-pieces.ts'
import { answerInPieces } from '../replica/question.ts'
import type { Replica } from '../replica/replica.ts'
import {
  aggregateNamesIn,
  claimCountOf,
  compileHostQuery,
  freeOf,
  gpuFreeMilliOf,
  instancesOf,
  totalOf,
  usedPercentOf,
} from './host-query.ts'
import { type HostView, stateOf, statusOf } from './host-view.ts'
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
  'MEM_TOTAL_MIB',
  'MEM_FREE_MIB',
  'MEM_USED_PCT',
  'DISK_TOTAL_GIB',
  'DISK_FREE_GIB',
  'DISK_USED_PCT',
  'GPU_COUNT',
  'GPU_FREE_MILLI',
  'CLAIMS',
  'INSTANCES',
  'REPORTED_AT',
  ...toldFields.map(({ column }) => column),
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

/** A host that was replaced, and the host names that it had before. */
export interface RenamedHost {
  readonly ordinal: number
  readonly names: readonly string[]
}

/** Some hosts, column by column; everything in the order of `ordinals`. */
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

/** The hosts of this replica as columns, for maps and long tables. */
export interface FleetReader {
  readonly asOf: number
  /** Store time of that state, milliseconds since 1970; 0 before the first entry. */
  readonly at: number
  readonly hostCount: number
  /** How full each zone is, by name. */
  totals(): Promise<readonly ZoneUse[]>
  columns(names: readonly FleetColumn[], query: string | null | undefined): Promise<FleetColumnsView>
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
      return source.fleet.hosts.presentCount
    },
    totals: () => answerInPieces(utilisationOf(source.fleet)),
    async columns(names, query) {
      const { fleet } = source
      const isAsked = compileHostQuery(query, ['columns', 'query'], now)
      const view = viewer(fleet)
      checkNames(names, ['columns', 'names'])
      const records = await filterInPieces(fleet.hosts.present, (record) => isAsked(view(record)))
      return { ...(await answerInPieces(readColumns(fleet, records, names))), asOf: fleet.place.revision, at: fleet.now }
    },
  }
}

/** Hosts that are read between two pauses. */
const PIECE = 256

/** At least one column, none twice. Throws InputFault. */
export function checkNames(names: readonly FleetColumn[], path: readonly string[]): readonly FleetColumn[] {
  if (names.length === 0 || new Set(names).size < names.length) throw InputFault.at(path, names, 'at least one column, each once')
  return names
}

/** Names and columns of some hosts. */
export const columnsOf = (fleet: Fleet, records: readonly HostRecord[], names: readonly FleetColumn[]): HostColumnsView =>
  atOnce(readColumns(fleet, records, names))

/** The same, with pauses, during which nobody may write the fleet. */
function* readColumns(fleet: Fleet, records: readonly HostRecord[], names: readonly FleetColumn[]): Generator<undefined, HostColumnsView> {
  const ordinals = new Uint32Array(records.length)
  const columns = names.map((name) => ({ name, ...createColumn(name, fleet, records.length) }))
  const view = viewer(fleet)
  // host by host, not column by column: to come to a host takes longer than to read it
  for (let i = 0; i < records.length; i++) {
    if (i % PIECE === PIECE - 1) yield
    const record = records[i] as HostRecord
    const host = view(record)
    ordinals[i] = record.index
    for (const { data, read } of columns) data[i] = read(host)
  }
  return {
    ordinals,
    names: records.map(({ host }) => host),
    otherNodes: otherNodesOf(records),
    renamed: renamedOf(records),
    dictionaries: columns.flatMap(({ name, dictionary }) => (dictionary === undefined ? [] : [{ column: name, ...dictionary }])),
    columns: columns.map(({ name, data }) => ({ name, data: narrow(data) })),
  }
}

export const otherNodesOf = (records: readonly HostRecord[]): OtherNode[] =>
  records.filter(({ host, node }) => node !== host).map(({ index, node }) => ({ ordinal: index, node }))

const renamedOf = (records: readonly HostRecord[]): RenamedHost[] =>
  records
    .filter(({ formerNames }) => formerNames.length > 0)
    .map(({ index, formerNames }) => ({ ordinal: index, names: [...new Set(formerNames.map(({ host }) => host))] }))

/** One view that goes from host to host, good until the next: one for each host would be more work than what is read. */
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
  /** Grows as hosts are read. */
  readonly dictionary?: Omit<ColumnDictionary, 'column'>
}

/** A column that is yet to be filled, and how. */
const createColumn = (name: FleetColumn, fleet: Fleet, length: number): Reader & { readonly data: Uint32Array | Float64Array } =>
  isNumber(name)
    ? { data: new Float64Array(length), read: numberReaders[name] }
    : { data: new Uint32Array(length), ...codeReaders[name](fleet) }

/** What the numbers of a host are, where a column has them as they are. */
const numberReaders = {
  CPU_TOTAL: (host: HostView) => totalOf(host, 'VCPU'),
  CPU_FREE: (host: HostView) => freeOf(host, 'VCPU'),
  CPU_USED_PCT: (host: HostView) => usedPercentOf(host, 'VCPU'),
  MEM_TOTAL_MIB: (host: HostView) => totalOf(host, 'MEMORY_MB'),
  MEM_FREE_MIB: (host: HostView) => freeOf(host, 'MEMORY_MB'),
  MEM_USED_PCT: (host: HostView) => usedPercentOf(host, 'MEMORY_MB'),
  DISK_TOTAL_GIB: (host: HostView) => totalOf(host, 'DISK_GB'),
  DISK_FREE_GIB: (host: HostView) => freeOf(host, 'DISK_GB'),
  DISK_USED_PCT: (host: HostView) => usedPercentOf(host, 'DISK_GB'),
  GPU_COUNT: ({ record }: HostView) => record.gpus.length,
  GPU_FREE_MILLI: gpuFreeMilliOf,
  CLAIMS: claimCountOf,
  INSTANCES: instancesOf,
  REPORTED_AT: ({ record }: HostView) => record.reportedAt,
} as const

const isNumber = (name: FleetColumn): name is keyof typeof numberReaders => name in numberReaders

/** Of the other columns, the texts. */
const codeReaders: Readonly<Record<Exclude<FleetColumn, keyof typeof numberReaders>, (fleet: Fleet) => Required<Reader>>> = {
  STATE: () => readCodes(stateOf),
  STATUS: () => readCodes(statusOf),
  AZ: () => readCodes(({ record }) => record.zone),
  AGGREGATES: (fleet) => readSets(({ record }) => record.aggregates, aggregateNamesIn(fleet)),
  TRAITS: readTraits,
  ...ofEachTold('column', (field) => () => readTold(field)),
}

/** Hosts share their sets of traits, so most are found by what they are, without a look into them. */
function readTraits(): Required<Reader> {
  const { read, dictionary } = readSets(
    ({ record }) => record.traits,
    (trait) => trait,
  )
  const places = new Map<ReadonlySet<string>, number>()
  return {
    read(host) {
      const { traits } = host.record
      const known = places.get(traits)
      if (known !== undefined) return known
      const place = read(host)
      places.set(traits, place)
      return place
    },
    dictionary,
  }
}

/** Sets of the one value that a host tells, or of none. */
function readTold({ tell }: ToldField): Required<Reader> {
  const { values, codeOf } = createCodes()
  const sets: (readonly number[])[] = []
  const places = new Map<string | number | null, number>()
  return {
    read({ record }) {
      const told = tell(record.stats)
      const known = places.get(told)
      if (known !== undefined) return known
      const place = sets.push(told === null ? [] : [codeOf(String(told))]) - 1
      places.set(told, place)
      return place
    },
    dictionary: { values, sets },
  }
}

/** Each value once, in the order of first use. */
function readCodes(textOf: (host: HostView) => string): Required<Reader> {
  const { values, codeOf } = createCodes()
  return { read: (host) => codeOf(textOf(host)), dictionary: { values, sets: null } }
}

/** Sets that begin with the same codes, in ascending order. */
interface Branch {
  readonly next: Map<number, Branch>
  /** The place of the set that ends here. */
  place: number | undefined
}

/** Each set once: hosts of a rack have the same traits. A set that was seen before is found without making anything. */
function readSets(itemsOf: (host: HostView) => Iterable<string>, textOf: (item: string) => string): Required<Reader> {
  const { values, codeOf } = createCodes()
  const codes = new Map<string, number>()
  const sets: (readonly number[])[] = []
  const root: Branch = { next: new Map(), place: undefined }
  const set: number[] = []
  const read = (host: HostView): number => {
    set.length = 0
    for (const item of itemsOf(host)) {
      let code = codes.get(item)
      if (code === undefined) {
        code = codeOf(textOf(item))
        codes.set(item, code)
      }
      set.push(code)
    }
    set.sort(ascending)
    let branch = root
    for (const code of set) {
      let next = branch.next.get(code)
      if (next === undefined) {
        next = { next: new Map(), place: undefined }
        branch.next.set(code, next)
      }
      branch = next
    }
    branch.place ??= sets.push([...set]) - 1
    return branch.place
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

/** The hosts at some ordinals of a fleet that are there. */
export const recordsAt = (fleet: Fleet, ordinals: Iterable<number>): HostRecord[] =>
  [...ordinals].sort(ascending).flatMap((ordinal) => {
    const record = fleet.hosts.records[ordinal]
    return record === undefined || record.gone !== null ? [] : [record]
  })

/** Those of some ordinals whose hosts have left the fleet. */
export const leftAt = (fleet: Fleet, ordinals: Iterable<number>): number[] =>
  [...ordinals].sort(ascending).filter((ordinal) => fleet.hosts.columns.gone[ordinal] === 1)
