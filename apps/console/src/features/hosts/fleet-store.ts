import { type FieldHolding, fieldsHolding, usedPercent } from '@gantt/scheduler-core/query'
import { type Column, type ElementType, unpack } from '../../lib/packed.ts'
import { createDictionary, createSetDictionary, type Dictionary, type SetDictionary } from './dictionary.ts'

export type CodeColumn = FieldHolding<'code'>['column']
export type SetColumn = FieldHolding<'set'>['column']
export type NumberColumn = FieldHolding<'number'>['column']
export type FleetColumn = CodeColumn | SetColumn | NumberColumn

/** Columns with one text per host, in which only few different texts occur. */
export const codeColumns: readonly CodeColumn[] = fieldsHolding('code').map(({ column }) => column)
/** Columns with several texts per host, or with one text that not every host reports. */
export const setColumns: readonly SetColumn[] = fieldsHolding('set').map(({ column }) => column)
const numberColumns: readonly NumberColumn[] = fieldsHolding('number').map(({ column }) => column)

/** Columns that are computed from two other columns and not loaded, because they would be half of the data of a large fleet. */
const usedColumns = fieldsHolding('number').flatMap((field) => ('usedOf' in field ? [{ column: field.column, ...field.usedOf }] : []))

/** The columns that are requested from the service. */
export const askedColumns: readonly FleetColumn[] = [
  ...codeColumns,
  ...setColumns,
  ...numberColumns.filter((name) => !usedColumns.some(({ column }) => column === name)),
]

/** Hosts in the form of the API, in `fleet.columns` and in each event of `fleetDeltas`. */
export interface PackedHosts {
  readonly ordinals: string
  readonly names: readonly string[]
  /** The ordinals of hosts that left the fleet. Only events have this field. */
  readonly left?: readonly number[]
  readonly otherNodes: readonly { readonly ordinal: number; readonly node: string }[]
  /** The replaced hosts, with their former names. */
  readonly renamed: readonly { readonly ordinal: number; readonly names: readonly string[] }[]
  readonly dictionaries: readonly {
    readonly column: FleetColumn
    readonly values: readonly string[]
    readonly sets: readonly (readonly number[])[] | null
  }[]
  readonly columns: readonly { readonly name: FleetColumn; readonly elementType: ElementType; readonly data: string }[]
}

/**
 * All hosts of the fleet as columns. The index in a column is the host's ordinal, which never changes. Values that were read are valid
 * until the next call of `apply`.
 */
export interface FleetStore {
  /** The hosts that are in the fleet, in the order in which they first reported. */
  readonly ordinals: Uint32Array
  /** True if the host with this ordinal is in the fleet. */
  has(ordinal: number): boolean
  nameOf(ordinal: number): string
  /** The name of the host's node. Most hosts have one node with the name of the host. */
  nodeOf(ordinal: number): string
  /** True if other nodes with the same host name are in the fleet. */
  hasOtherNodes(ordinal: number): boolean
  numbers(column: NumberColumn): Float64Array
  codes(column: CodeColumn | SetColumn): Uint32Array
  dictionary(column: CodeColumn): Dictionary
  sets(column: SetColumn): SetDictionary
  /** Changes whenever hosts are added, removed or renamed. */
  readonly namesVersion: number
  /**
   * Returns false if the hosts of an event have other ordinals than in this store. This happens if the service was started with another
   * database.
   */
  fits(hosts: Pick<PackedHosts, 'ordinals' | 'names' | 'renamed'>): boolean
  /**
   * True if no ordinal of an earlier store belongs to another host in this store. Data that refers to these ordinals is then still valid.
   */
  hasOrdinalsOf(earlier: FleetStore): boolean
  /** Adds or updates the hosts of an answer or an event. All other hosts stay unchanged. */
  apply(hosts: PackedHosts): void
}

export function createFleetStore(): FleetStore {
  const names: string[] = []
  const nodes = new Map<number, string>()
  /** The former names of replaced hosts. */
  const formerNames = new Map<number, readonly string[]>()
  const dictionaries = byColumn(codeColumns, createDictionary)
  const sets = byColumn(setColumns, createSetDictionary)
  const numbers = byColumn(numberColumns, () => new Float64Array(0))
  const codes = byColumn([...codeColumns, ...setColumns], () => new Uint32Array(0))
  let known = new Uint8Array(0)
  let ordinals = new Uint32Array(0)
  let namesVersion = 0
  /** A cache for one `namesVersion`: the host names that several hosts in the fleet share. */
  let counted: { readonly version: number; readonly several: ReadonlySet<string> } | undefined

  /** Extends the arrays to at least this length. Arrays double in size, so that they are rarely copied when a fleet grows host by host. */
  const makeRoom = (length: number): void => {
    if (length <= known.length) return
    const size = Math.max(length, known.length * 2, 64)
    known = grown(known, new Uint8Array(size))
    for (const column of numberColumns) numbers[column] = grown(numbers[column], new Float64Array(size))
    for (const column of [...codeColumns, ...setColumns]) codes[column] = grown(codes[column], new Uint32Array(size))
  }

  /** Converts the codes that an event uses for texts to the codes of this store. */
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

  const namesOfSeveral = (): ReadonlySet<string> => {
    if (counted?.version === namesVersion) return counted.several
    const [seen, several] = [new Set<string>(), new Set<string>()]
    for (const ordinal of ordinals) (seen.has(nameOf(ordinal)) ? several : seen).add(nameOf(ordinal))
    counted = { version: namesVersion, several }
    return several
  }

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
    hasOtherNodes: (ordinal) => namesOfSeveral().has(nameOf(ordinal)),
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
      for (const { column, capacity, free } of usedColumns) setUsed(changed, numbers[capacity], numbers[free], numbers[column])
    },
  }
}

/** True if the host that is now called `later` can be the host that was called `earlier`. */
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

function setUsed(ordinals: Column, capacity: Float64Array, free: Float64Array, target: Float64Array): void {
  for (const ordinal of ordinals) target[ordinal] = usedPercent(capacity[ordinal] ?? 0, free[ordinal] ?? 0)
}

function textAt(values: readonly string[], index: number, column: string): string {
  const text = values[index]
  if (text === undefined) throw new Error(`${column}: a set has the code ${index}, but the dictionary has only ${values.length} values.`)
  return text
}
