import { type ToldColumn, toldFields } from '@gantt/scheduler-core/query'
import { type Column, type ElementType, unpack } from '../../lib/packed.ts'
import { createDictionary, createSetDictionary, type Dictionary, type SetDictionary } from './dictionary.ts'

/** Columns of one text each, of few different ones. */
export const codeColumns = ['STATE', 'STATUS', 'AZ'] as const
/** Columns of many texts each, or of one that not every host reports. */
export const setColumns = ['AGGREGATES', 'TRAITS', ...toldFields.map(({ column }): ToldColumn => column)] as const
/** Columns of one number each, as they are asked for. */
const reportedColumns = [
  'CPU_TOTAL',
  'CPU_FREE',
  'MEM_TOTAL_MIB',
  'MEM_FREE_MIB',
  'DISK_TOTAL_GIB',
  'DISK_FREE_GIB',
  'GPU_COUNT',
  'GPU_FREE_MILLI',
  'CLAIMS',
  'INSTANCES',
  'REPORTED_AT',
] as const

/** What is worked out here of two others, as the service does: of a large fleet it would be half of all that is sent. */
const usedColumns = {
  CPU_USED_PCT: { total: 'CPU_TOTAL', free: 'CPU_FREE' },
  MEM_USED_PCT: { total: 'MEM_TOTAL_MIB', free: 'MEM_FREE_MIB' },
  DISK_USED_PCT: { total: 'DISK_TOTAL_GIB', free: 'DISK_FREE_GIB' },
} as const

type UsedColumn = keyof typeof usedColumns
const usedNames = Object.keys(usedColumns) as UsedColumn[]

export type CodeColumn = (typeof codeColumns)[number]
export type SetColumn = (typeof setColumns)[number]
export type NumberColumn = (typeof reportedColumns)[number] | UsedColumn
export type FleetColumn = CodeColumn | SetColumn | NumberColumn

const numberColumns: readonly NumberColumn[] = [...reportedColumns, ...usedNames]

/** What the service is asked for. */
export const askedColumns: readonly FleetColumn[] = [...codeColumns, ...setColumns, ...reportedColumns]

/** Hosts as they come over the wire, in `fleet.columns` and in each event of `fleetDeltas`. */
export interface PackedHosts {
  readonly ordinals: string
  readonly names: readonly string[]
  /** Ordinals of hosts that are not there any more; only in events. */
  readonly left?: readonly number[]
  readonly otherNodes: readonly { readonly ordinal: number; readonly node: string }[]
  /** Hosts that were replaced, with the host names that they had before. */
  readonly renamed: readonly { readonly ordinal: number; readonly names: readonly string[] }[]
  readonly dictionaries: readonly {
    readonly column: FleetColumn
    readonly values: readonly string[]
    readonly sets: readonly (readonly number[])[] | null
  }[]
  readonly columns: readonly { readonly name: FleetColumn; readonly elementType: ElementType; readonly data: string }[]
}

/**
 * Every host of the fleet as columns, by ordinal: its place in the order of first sight, which it never loses. What is read
 * from it holds until the next `apply`.
 */
export interface FleetStore {
  /** The hosts that are there, in the order of first sight. */
  readonly ordinals: Uint32Array
  /** Whether the host at an ordinal is there. */
  has(ordinal: number): boolean
  nameOf(ordinal: number): string
  /** The node's name: the host's own unless it has many. */
  nodeOf(ordinal: number): string
  numbers(column: NumberColumn): Float64Array
  codes(column: CodeColumn | SetColumn): Uint32Array
  dictionary(column: CodeColumn): Dictionary
  sets(column: SetColumn): SetDictionary
  /** Changes when hosts come, leave, or get other names. */
  readonly namesVersion: number
  /** Whether the hosts of an event are those that have their ordinals here: not so after a service began anew. */
  fits(hosts: Pick<PackedHosts, 'ordinals' | 'names' | 'renamed'>): boolean
  /** Whether each host of an earlier store that is still there has its ordinal here, too: then what is known by ordinals still holds. */
  hasOrdinalsOf(earlier: FleetStore): boolean
  /** Takes the hosts of an answer or an event; hosts that it does not name stay as they are. */
  apply(hosts: PackedHosts): void
}

export function createFleetStore(): FleetStore {
  const names: string[] = []
  const nodes = new Map<number, string>()
  /** Host names that replaced hosts had before. */
  const formerNames = new Map<number, readonly string[]>()
  const dictionaries = byColumn(codeColumns, createDictionary)
  const sets = byColumn(setColumns, createSetDictionary)
  const numbers = byColumn(numberColumns, () => new Float64Array(0))
  const codes = byColumn([...codeColumns, ...setColumns], () => new Uint32Array(0))
  let known = new Uint8Array(0)
  let ordinals = new Uint32Array(0)
  let namesVersion = 0

  /** Makes room for an ordinal; arrays double, so that a fleet that grows host by host is not copied host by host. */
  const makeRoom = (length: number): void => {
    if (length <= known.length) return
    const size = Math.max(length, known.length * 2, 64)
    known = grown(known, new Uint8Array(size))
    for (const column of numberColumns) numbers[column] = grown(numbers[column], new Float64Array(size))
    for (const column of [...codeColumns, ...setColumns]) codes[column] = grown(codes[column], new Uint32Array(size))
  }

  /** The event's numbers of texts as our own. */
  const toLocal = (hosts: PackedHosts, column: CodeColumn | SetColumn): readonly number[] => {
    const dictionary = hosts.dictionaries.find((one) => one.column === column)
    if (dictionary === undefined) return []
    const { values } = dictionary
    if (isSetColumn(column))
      return (dictionary.sets ?? []).map((set) => sets[column].codeOf(set.map((index) => textAt(values, index, column))))
    return values.map(dictionaries[column].codeOf)
  }

  const nameOf = (ordinal: number): string => names[ordinal] ?? ''
  const nodeOf = (ordinal: number): string => nodes.get(ordinal) ?? nameOf(ordinal)

  return {
    get ordinals() {
      return ordinals
    },
    get namesVersion() {
      return namesVersion
    },
    has: (ordinal) => known[ordinal] === 1,
    nameOf,
    nodeOf,
    numbers: (column) => numbers[column],
    codes: (column) => codes[column],
    dictionary: (column) => dictionaries[column],
    sets: (column) => sets[column],

    fits({ ordinals: packed, names: newNames, renamed }) {
      const before = new Map(renamed.map((host) => [host.ordinal, host.names]))
      return unpack(packed, 'U32').every(
        (ordinal, i) => known[ordinal] !== 1 || isSameHost(nameOf(ordinal), newNames[i] ?? '', before.get(ordinal)),
      )
    },

    hasOrdinalsOf: (earlier) =>
      earlier.ordinals.every((ordinal) => {
        if (known[ordinal] !== 1) return true
        const former = formerNames.get(ordinal)
        if (!isSameHost(earlier.nameOf(ordinal), nameOf(ordinal), former)) return false
        return former !== undefined || earlier.nodeOf(ordinal) === nodeOf(ordinal)
      }),

    apply(hosts) {
      const changed = unpack(hosts.ordinals, 'U32')
      const left = new Set(hosts.left?.filter((ordinal) => known[ordinal] === 1))
      if (left.size > 0) {
        for (const ordinal of left) known[ordinal] = 0
        ordinals = ordinals.filter((ordinal) => !left.has(ordinal))
        namesVersion++
      }
      if (changed.length === 0) return
      let last = 0
      for (const ordinal of changed) last = Math.max(last, ordinal)
      makeRoom(last + 1)

      const seenFirst: number[] = []
      let isRenamed = false
      changed.forEach((ordinal, i) => {
        const name = hosts.names[i] ?? ''
        if (known[ordinal] === 0) seenFirst.push(ordinal)
        else if (names[ordinal] !== name) isRenamed = true
        names[ordinal] = name
        known[ordinal] = 1
      })
      const otherNodes = new Map(hosts.otherNodes.map(({ ordinal, node }) => [ordinal, node]))
      for (const ordinal of changed) {
        const node = otherNodes.get(ordinal)
        if (node === nodes.get(ordinal)) continue
        isRenamed = true
        if (node === undefined) nodes.delete(ordinal)
        else nodes.set(ordinal, node)
      }
      for (const { ordinal, names: before } of hosts.renamed) formerNames.set(ordinal, before)
      if (seenFirst.length > 0) {
        ordinals = Uint32Array.from([...ordinals, ...seenFirst]).sort()
        isRenamed = true
      }
      if (isRenamed) namesVersion++

      for (const { name, elementType, data } of hosts.columns) {
        const column = unpack(data, elementType)
        if (isNumberColumn(name)) scatter(column, changed, numbers[name])
        else if (isSetColumn(name) || isCodeColumn(name)) {
          const local = toLocal(hosts, name)
          const target = codes[name]
          changed.forEach((ordinal, i) => {
            target[ordinal] = local[column[i] ?? 0] ?? 0
          })
        }
      }
      for (const name of usedNames) setUsed(changed, numbers[usedColumns[name].total], numbers[usedColumns[name].free], numbers[name])
    },
  }
}

/** Whether a host of an earlier name can be the one of a later name. */
const isSameHost = (earlier: string, later: string, former: readonly string[] | undefined): boolean =>
  earlier === later || former?.includes(earlier) === true

const isCodeColumn = (name: string): name is CodeColumn => codeColumns.some((column) => column === name)
export const isSetColumn = (name: string): name is SetColumn => setColumns.some((column) => column === name)
export const isNumberColumn = (name: string): name is NumberColumn => numberColumns.some((column) => column === name)

function byColumn<Name extends string, Value>(columns: readonly Name[], create: () => Value): Record<Name, Value> {
  return Object.fromEntries(columns.map((column) => [column, create()])) as Record<Name, Value>
}

function grown<Values extends Column>(from: Values, to: Values): Values {
  to.set(from)
  return to
}

function scatter(values: Column, ordinals: Column, target: Float64Array): void {
  for (let i = 0; i < ordinals.length; i++) target[ordinals[i] ?? 0] = values[i] ?? 0
}

/** Used and claimed as a share of what may be given, 0 to 100 and above where a host is over-full; 0 where it may give none. */
function setUsed(ordinals: Column, total: Float64Array, free: Float64Array, target: Float64Array): void {
  for (const ordinal of ordinals) {
    const all = total[ordinal] ?? 0
    target[ordinal] = all === 0 ? 0 : (100 * (all - (free[ordinal] ?? 0))) / all
  }
}

function textAt(values: readonly string[], index: number, column: string): string {
  const text = values[index]
  if (text === undefined) throw new Error(`${column}: a set names value ${index}; the dictionary has ${values.length}.`)
  return text
}
