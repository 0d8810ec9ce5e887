import { fieldsHolding } from '@gantt/scheduler-core/query'
import { formatCount, formatDuration, formatGib, formatMib, formatPercent } from '../../../lib/format.ts'
import type { FleetStore } from '../fleet-store.ts'
import { termOf } from '../list/filter-terms.ts'
import { createCounter, type FacetName, facetNames, hostReaders, inWords } from '../list/select-hosts.ts'

/** A value of an attribute. For a numeric attribute, a range of values. */
export interface ComparedValue {
  readonly label: string
  /** The filter terms that find exactly the counted hosts. */
  readonly terms: string
  /** How many of the selected hosts have the value (`inside`), and how many of all others (`outside`). */
  readonly inside: number
  readonly outside: number
}

export interface ComparedField {
  readonly field: string
  /** The largest difference, 0 to 1, between the share of a value among the selected hosts and its share among all other hosts. */
  readonly difference: number
  /** The values: at most `MAX_TEXTS` texts with the largest differences first, or all ranges in ascending order. */
  readonly values: readonly ComparedValue[]
  /** The count of texts with smaller differences, which are omitted. */
  readonly omitted: number
}

const MAX_TEXTS = 6

/**
 * The fields that are compared by ranges. Numeric fields with facets are not among them, because they are compared as texts. Percentages
 * come first, because fields with equal differences are listed in this order.
 */
const numberFields = fieldsHolding('number').toSorted((a, b) => Number(b.unit === '%') - Number(a.unit === '%'))
type NumberField = (typeof numberFields)[number]

const shownIn: Readonly<Record<NumberField['unit'], (value: number) => string>> = {
  '%': formatPercent,
  count: formatCount,
  MiB: formatMib,
  GiB: formatGib,
  s: (seconds) => formatDuration(seconds * 1_000),
}
/**
 * The conventional edges of ranges: the values at which one range ends and the next begins. The edges of all other number fields are
 * computed from the hosts' values.
 */
const knownEdges: Readonly<Partial<Record<NumberField['name'], readonly number[]>>> = {
  'cpu.used': [25, 50, 75, 90],
  'mem.used': [25, 50, 75, 90],
  'disk.used': [25, 50, 75, 90],
  age: [10, 60, 600, 3_600, 86_400],
}
/** The values of a number field without known edges are divided into at most this many ranges with about equally many values each. */
const RANGES = 5

/**
 * The differences between the selected hosts and all other hosts, by attribute, the largest first. Attributes that no host has are omitted.
 * `nowMs` is the service's time, for ages.
 */
export function compareHosts(store: FleetStore, inside: Uint32Array, outside: Uint32Array, nowMs: number): readonly ComparedField[] {
  const readers = hostReaders(store, nowMs)
  const numbers = numberFields.map((field) => {
    const read = readers[field.name]
    const numberAt = (ordinal: number): number | undefined => {
      const value = read?.(ordinal)
      return typeof value === 'number' ? value : undefined
    }
    return { field: field.name, values: rangesOf(field, numberAt, inside, outside), omitted: 0 }
  })
  const texts = facetNames.map((field) => {
    const values = textsOf(store, field, inside, outside)
    return { field, values: values.slice(0, MAX_TEXTS), omitted: Math.max(0, values.length - MAX_TEXTS) }
  })
  return [...texts, ...numbers]
    .filter(({ values }) => values.length > 0)
    .map((one) => ({ ...one, difference: Math.max(...one.values.map((value) => differenceOf(value, inside, outside))) }))
    .sort((a, b) => b.difference - a.difference)
}

const shareOf = (count: number, all: Uint32Array): number => (all.length === 0 ? 0 : count / all.length)
const differenceOf = (value: ComparedValue, inside: Uint32Array, outside: Uint32Array): number =>
  Math.abs(shareOf(value.inside, inside) - shareOf(value.outside, outside))

function textsOf(store: FleetStore, field: FacetName, inside: Uint32Array, outside: Uint32Array): readonly ComparedValue[] {
  const count = (hosts: Uint32Array): ReadonlyMap<string, number> => {
    const counter = createCounter(store, field)
    for (const ordinal of hosts) counter.add(ordinal)
    return new Map(counter.values().map(({ value, count }) => [value, count]))
  }
  const [here, there] = [count(inside), count(outside)]
  return [...new Set([...here.keys(), ...there.keys()])]
    .map((value) => ({
      ...{ label: inWords(value), terms: termOf(field, value) },
      ...{ inside: here.get(value) ?? 0, outside: there.get(value) ?? 0 },
    }))
    .sort((a, b) => differenceOf(b, inside, outside) - differenceOf(a, inside, outside) || (a.label < b.label ? -1 : 1))
}

type ReadNumber = (ordinal: number) => number | undefined

function rangesOf(field: NumberField, read: ReadNumber, inside: Uint32Array, outside: Uint32Array): readonly ComparedValue[] {
  const known = [...inside, ...outside].flatMap((ordinal) => read(ordinal) ?? [])
  const edges = knownEdges[field.name] ?? edgesOf(known)
  // Hosts whose usage exceeds their capacity have negative free amounts.
  const least = Math.floor(known.reduce((low, value) => Math.min(low, value), 0))
  // the last element counts the hosts whose value of this field is unknown
  const count = (hosts: Uint32Array): readonly number[] => {
    const counts = new Array<number>(edges.length + 2).fill(0)
    for (const ordinal of hosts) {
      const value = read(ordinal)
      const index = value === undefined ? edges.length + 1 : edges.filter((edge) => value >= edge).length
      counts[index] = (counts[index] ?? 0) + 1
    }
    return counts
  }
  const [here, there] = [count(inside), count(outside)]
  return here
    .map((found, i) => ({ ...rangeAt(field, { edges, least }, i), inside: found, outside: there[i] ?? 0 }))
    .filter((value) => value.inside + value.outside > 0)
}

function rangeAt(
  { name: field, unit }: NumberField,
  { edges, least }: { readonly edges: readonly number[]; readonly least: number },
  i: number,
): { readonly label: string; readonly terms: string } {
  const [from, to] = [edges[i - 1], edges[i]]
  const format = shownIn[unit]
  if (i > edges.length) return { label: 'not known', terms: `-${field}>=${least}` }
  if (from === undefined && to === undefined) return { label: 'any', terms: `${field}>=${least}` }
  if (from === undefined) return { label: `under ${format(to ?? 0)}`, terms: `${field}<${to}` }
  if (to === undefined) return { label: `${format(from)} or more`, terms: `${field}>=${from}` }
  return { label: `${format(from)} to under ${format(to)}`, terms: `${field}>=${from} ${field}<${to}` }
}

/** The edges that divide the values into ranges with about equally many values each. Empty if all values are equal. */
function edgesOf(values: number[]): readonly number[] {
  const sorted = Float64Array.from(values).sort()
  const cuts = Array.from({ length: RANGES - 1 }, (_, i) => sorted[Math.floor(((i + 1) * sorted.length) / RANGES)])
  return [...new Set(cuts)].filter((cut): cut is number => cut !== undefined && cut > (sorted[0] ?? 0))
}
