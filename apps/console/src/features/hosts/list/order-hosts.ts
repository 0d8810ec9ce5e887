import { type HostSortTerm, hostFields } from '@gantt/scheduler-core/query'
import { type CodeColumn, type FleetStore, isNumberColumn, isSetColumn, type NumberColumn, type SetColumn } from '../fleet-store.ts'
import { isNumeric, NONE } from './select-hosts.ts'

/**
 * All hosts in order. Hosts that are equal in one field are ordered by the next field, and finally by name. The order does not depend on
 * the filter, so the hosts are not sorted again while the operator types.
 */
export function orderHosts(store: FleetStore, names: Uint32Array, orders: readonly HostSortTerm[]): Uint32Array {
  const [first] = orders
  if (first === undefined) return names
  // names are unique, so further sort fields after the name have no effect
  if (first.key === 'host') return first.descending ? names.slice().reverse() : names
  const place = new Uint32Array(ranksOf(names))
  names.forEach((ordinal, i) => {
    place[ordinal] = i
  })
  const keys = orders.map(({ key, descending }) => {
    const field = hostFields.find(({ name }) => name === key)
    const rank = field !== undefined && 'column' in field ? rankOf(store, field.column, isNumeric(key)) : place
    // The age is computed from the time of the report, so the largest age has the smallest time.
    const isReversed = field !== undefined && 'order' in field && 'isReversed' in field.order
    return { rank, sign: descending === isReversed ? 1 : -1 }
  })
  return names.slice().sort((a, b) => {
    for (const { rank, sign } of keys) {
      const difference = (rank[a] ?? 0) - (rank[b] ?? 0)
      if (difference !== 0) return sign * difference
    }
    return (place[a] ?? 0) - (place[b] ?? 0)
  })
}

/** All hosts, ordered by the UTF-16 code units of their names. */
export function orderByName(store: FleetStore): Uint32Array {
  const { nameOf, nodeOf } = store
  return store.ordinals.slice().sort((a, b) => compare(nameOf(a), nameOf(b)) || compare(nodeOf(a), nodeOf(b)))
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/**
 * The sort keys of a field. For numbers, the values themselves. For texts, the index among the sorted texts, with unreported values first.
 */
function rankOf(store: FleetStore, column: NumberColumn | CodeColumn | SetColumn, isOfNumbers: boolean): Float64Array | Uint32Array {
  if (isNumberColumn(column)) return store.numbers(column)
  const values = isSetColumn(column) ? store.sets(column).texts.map(([text = NONE]) => text) : store.dictionary(column).values
  // whole numbers without leading zeros are compared as texts, first by length
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
