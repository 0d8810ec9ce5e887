import { type HostSort, type HostSortTerm, ofEachTold, type ToldColumn } from '@gantt/scheduler-core/query'
import { type CodeColumn, type FleetStore, isNumberColumn, isSetColumn, type NumberColumn } from './fleet-store.ts'
import { isNumeric, NONE } from './select-hosts.ts'

/** Where each order is read from. */
export const orderColumns: Readonly<Record<HostSort, NumberColumn | CodeColumn | ToldColumn | 'NAME'>> = {
  host: 'NAME',
  az: 'AZ',
  state: 'STATE',
  status: 'STATUS',
  'cpu.free': 'CPU_FREE',
  'cpu.total': 'CPU_TOTAL',
  'cpu.used': 'CPU_USED_PCT',
  'mem.free': 'MEM_FREE_MIB',
  'mem.used': 'MEM_USED_PCT',
  'disk.free': 'DISK_FREE_GIB',
  'disk.used': 'DISK_USED_PCT',
  'gpu.count': 'GPU_COUNT',
  'gpu.free': 'GPU_FREE_MILLI',
  claims: 'CLAIMS',
  instances: 'INSTANCES',
  age: 'REPORTED_AT',
  ...ofEachTold('name', ({ column }) => column),
}

/** All hosts in order; equals by the next order, and at last by name. It does not depend on a filter, so a keystroke in the filter sorts nothing. */
export function orderHosts(store: FleetStore, names: Uint32Array, orders: readonly HostSortTerm[]): Uint32Array {
  const [first] = orders
  if (first === undefined) return names
  // no two hosts have one place among the names: there is nothing left for the orders after it
  if (first.key === 'host') return first.descending ? names.slice().reverse() : names
  const place = new Uint32Array(ranksOf(names))
  names.forEach((ordinal, i) => {
    place[ordinal] = i
  })
  const keys = orders.map(({ key, descending }) => {
    const column = orderColumns[key]
    // the older the report, the longer ago it was
    const isReversed = column === 'REPORTED_AT' ? !descending : descending
    return { rank: column === 'NAME' ? place : rankOf(store, column, isNumeric(key)), sign: isReversed ? -1 : 1 }
  })
  return names.slice().sort((a, b) => {
    for (const { rank, sign } of keys) {
      const difference = (rank[a] ?? 0) - (rank[b] ?? 0)
      if (difference !== 0) return sign * difference
    }
    return (place[a] ?? 0) - (place[b] ?? 0)
  })
}

/** All hosts by name, code unit by code unit. It changes only when hosts are added. */
export function orderByName(store: FleetStore): Uint32Array {
  const { nameOf, nodeOf } = store
  return store.ordinals.slice().sort((a, b) => compare(nameOf(a), nameOf(b)) || compare(nodeOf(a), nodeOf(b)))
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Numbers as they are; texts as the place of each among the sorted texts, what is not reported before all. */
function rankOf(store: FleetStore, column: NumberColumn | CodeColumn | ToldColumn, isOfNumbers: boolean): Float64Array | Uint32Array {
  if (isNumberColumn(column)) return store.numbers(column)
  const values = isSetColumn(column) ? store.sets(column).texts.map(([text = NONE]) => text) : store.dictionary(column).values
  // of whole numbers the shorter is the smaller
  const lengthOf = (text: string): number => (isOfNumbers ? text.length : 0)
  const sorted = values
    .map((value, code) => ({ value, code }))
    .sort((a, b) => lengthOf(a.value) - lengthOf(b.value) || compare(a.value, b.value))
  const places = new Uint32Array(values.length)
  sorted.forEach(({ code }, index) => {
    places[code] = index
  })
  return store.codes(column).map((code) => places[code] ?? 0)
}

const ranksOf = (ordinals: Uint32Array): number => ordinals.reduce((most, ordinal) => Math.max(most, ordinal + 1), 0)
