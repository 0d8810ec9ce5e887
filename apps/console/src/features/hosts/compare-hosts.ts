import { formatCount, formatDuration, formatGib, formatMib, formatPercent } from '../../lib/format.ts'
import { termOf } from './filter-terms.ts'
import type { FleetStore } from './fleet-store.ts'
import { createCounter, type FacetField, facetFields, hostReaders, inWords } from './select-hosts.ts'

/** One value of an attribute, or a range of its numbers. */
export interface ComparedValue {
  readonly label: string
  /** The terms of the filter grammar that find exactly the hosts that are counted here. */
  readonly terms: string
  /** How many of the chosen hosts, and of the others, have it. */
  readonly inside: number
  readonly outside: number
}

export interface ComparedField {
  readonly field: string
  /** The largest difference between a value's shares of the two, 0..1. */
  readonly difference: number
  /** Texts: those that differ most first; ranges in their order. */
  readonly values: readonly ComparedValue[]
}

const numberFields = [
  'cpu.used',
  'mem.used',
  'disk.used',
  'cpu.free',
  'mem.free',
  'disk.free',
  'gpu.free',
  'claims',
  'instances',
  'age',
] as const
type NumberField = (typeof numberFields)[number]

const shown: Readonly<Record<NumberField, (value: number) => string>> = {
  'cpu.used': formatPercent,
  'mem.used': formatPercent,
  'disk.used': formatPercent,
  'cpu.free': formatCount,
  'mem.free': formatMib,
  'disk.free': formatGib,
  'gpu.free': formatCount,
  claims: formatCount,
  instances: formatCount,
  age: (seconds) => formatDuration(seconds * 1_000),
}
/** Where ranges begin, for fields whose limits everybody knows; the others are cut where the hosts lie. */
const knownEdges: Readonly<Partial<Record<NumberField, readonly number[]>>> = {
  'cpu.used': [25, 50, 75, 90],
  'mem.used': [25, 50, 75, 90],
  'disk.used': [25, 50, 75, 90],
  age: [10, 60, 600, 3_600, 86_400],
}
/** Ranges of a field that is cut where the hosts lie. */
const RANGES = 5

/**
 * How some hosts differ from others, attribute by attribute, the largest difference first; attributes that no host has are left
 * out. `nowMs`: the service's time, for ages.
 */
export function compareHosts(store: FleetStore, inside: Uint32Array, outside: Uint32Array, nowMs: number): readonly ComparedField[] {
  const readers = hostReaders(store, nowMs)
  const numbers = numberFields.map((field) => {
    const read = readers[field]
    const numberAt = (ordinal: number): number | undefined => {
      const value = read?.(ordinal)
      return typeof value === 'number' ? value : undefined
    }
    return { field, values: rangesOf(field, numberAt, inside, outside) }
  })
  return [...facetFields.map((field) => ({ field, values: textsOf(store, field, inside, outside) })), ...numbers]
    .filter(({ values }) => values.length > 0)
    .map(({ field, values }) => ({ field, values, difference: Math.max(...values.map((value) => differenceOf(value, inside, outside))) }))
    .sort((a, b) => b.difference - a.difference)
}

const shareOf = (count: number, all: Uint32Array): number => (all.length === 0 ? 0 : count / all.length)
const differenceOf = (value: ComparedValue, inside: Uint32Array, outside: Uint32Array): number =>
  Math.abs(shareOf(value.inside, inside) - shareOf(value.outside, outside))

function textsOf(store: FleetStore, field: FacetField, inside: Uint32Array, outside: Uint32Array): readonly ComparedValue[] {
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
  const edges = knownEdges[field] ?? edgesOf([...inside, ...outside].flatMap((ordinal) => read(ordinal) ?? []))
  // the last place is for hosts without a number
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
    .map((found, i) => ({ ...rangeAt(field, edges, i), inside: found, outside: there[i] ?? 0 }))
    .filter((value) => value.inside + value.outside > 0)
}

function rangeAt(field: NumberField, edges: readonly number[], i: number): { readonly label: string; readonly terms: string } {
  const [from, to] = [edges[i - 1], edges[i]]
  const format = shown[field]
  if (i > edges.length) return { label: 'not known', terms: `-${field}>=0` }
  if (from === undefined && to === undefined) return { label: 'any', terms: `${field}>=0` }
  if (from === undefined) return { label: `under ${format(to ?? 0)}`, terms: `${field}<${to}` }
  if (to === undefined) return { label: `${format(from)} or more`, terms: `${field}>=${from}` }
  return { label: `${format(from)} to under ${format(to)}`, terms: `${field}>=${from} ${field}<${to}` }
}

/** Numbers that cut the values into ranges of about as many each; none where all are the same. */
function edgesOf(values: number[]): readonly number[] {
  const sorted = Float64Array.from(values).sort()
  const cuts = Array.from({ length: RANGES - 1 }, (_, i) => sorted[Math.floor(((i + 1) * sorted.length) / RANGES)])
  return [...new Set(cuts)].filter((cut): cut is number => cut !== undefined && cut > (sorted[0] ?? 0))
}
