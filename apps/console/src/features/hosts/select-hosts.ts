import {
  compileQuery,
  findField,
  hostFields,
  ofEachTold,
  type Query,
  type QueryReaders,
  type QueryTerm,
  type QueryValue,
  toldFields,
} from '@gantt/scheduler-core/query'
import { type CodeColumn, type FleetStore, isSetColumn, type SetColumn } from './fleet-store.ts'

/** Fields whose values are counted in the side panel: those of few different texts. */
export const facetFields = ['state', 'status', 'az', 'agg', 'trait', ...toldFields.map(({ name }) => name)] as const

export type FacetField = (typeof facetFields)[number]

/** In the place of a value: the hosts that do not report it. */
export const NONE = ''

export const inWords = (value: string): string => (value === NONE ? 'not reported' : value)

export interface FacetValue {
  /** Or NONE. */
  readonly value: string
  readonly count: number
}

export interface HostSelection {
  /** Hosts that match, in the order that was given. */
  readonly ordinals: Uint32Array
  /** For each facet, how many hosts have a value under the filter without the facet's own terms; most first. */
  readonly facets: Readonly<Record<FacetField, readonly FacetValue[]>>
}

/** Where the values of each are read from. */
export const textColumns: Readonly<Record<FacetField, CodeColumn | SetColumn>> = {
  state: 'STATE',
  status: 'STATUS',
  az: 'AZ',
  agg: 'AGGREGATES',
  trait: 'TRAITS',
  ...ofEachTold('name', ({ column }) => column),
}

/**
 * The hosts of an order that match a query, and the counts of the facets. A term about texts is judged once per
 * different text, not once per host. `nowMs`: the service's time, for ages.
 */
export function selectHosts(store: FleetStore, query: Query, order: Uint32Array, nowMs: number): HostSelection {
  const others: ((ordinal: number) => boolean)[] = []
  const byFacet = facetFields.map((field) => ({ field, terms: [] as TextTerm[] }))
  const readers = hostReaders(store, nowMs)
  for (const term of query.terms) {
    const facet = byFacet.find(({ field }) => field === fieldOf(term))
    if (facet !== undefined) facet.terms.push(toTextTerm(store, facet.field, term))
    else others.push(compileQuery({ terms: [term] }, hostFields, readers))
  }

  const counters = facetFields.map((field) => createCounter(store, field))
  const asked = byFacet.flatMap(({ terms }, facet) => (terms.length > 0 ? [{ facet, terms }] : []))
  const found = new Uint32Array(order.length)
  let count = 0
  rows: for (const ordinal of order) {
    for (const passes of others) if (!passes(ordinal)) continue rows
    let failing = -1
    for (const { facet, terms } of asked) {
      if (terms.every(({ codes, passes }) => passes[codes[ordinal] ?? 0] === 1)) continue
      if (failing >= 0) continue rows
      failing = facet
    }
    if (failing >= 0) counters[failing]?.add(ordinal)
    else found[count++] = ordinal
  }

  const ordinals = found.slice(0, count)
  // column by column: many hosts are counted in one way after the other faster than each in all ways
  for (const counter of counters) counter.addAll(ordinals)
  return { ordinals, facets: ofEachFacet((_field, index) => counters[index]?.values() ?? []) }
}

/** What each field of the grammar reads of a host. */
export function hostReaders(store: FleetStore, nowMs: number): QueryReaders<number> {
  const number = (column: Parameters<FleetStore['numbers']>[0], scale = 1) => {
    const values = store.numbers(column)
    return (ordinal: number) => (values[ordinal] ?? 0) * scale
  }
  const texts = ofEachFacet((field) => {
    const codes = store.codes(textColumns[field])
    const values = valuesOf(store, field)
    return (ordinal: number) => values[codes[ordinal] ?? 0]
  })
  const reportedAt = store.numbers('REPORTED_AT')
  return {
    '': store.nameOf,
    host: store.nameOf,
    node: store.nodeOf,
    ...texts,
    'cpu.free': number('CPU_FREE'),
    'cpu.total': number('CPU_TOTAL'),
    'cpu.used': number('CPU_USED_PCT'),
    'mem.free': number('MEM_FREE_MIB'),
    'mem.used': number('MEM_USED_PCT'),
    'disk.free': number('DISK_FREE_GIB'),
    'disk.used': number('DISK_USED_PCT'),
    'gpu.count': number('GPU_COUNT'),
    'gpu.free': number('GPU_FREE_MILLI', 1 / 1_000),
    claims: number('CLAIMS'),
    instances: number('INSTANCES'),
    age: (ordinal) => {
      const at = reportedAt[ordinal] ?? 0
      return at === 0 ? undefined : Math.max(0, (nowMs - at) / 1_000)
    },
  }
}

/** A term about texts, judged for every different text: 1 where it holds. */
interface TextTerm {
  readonly codes: Uint32Array
  readonly passes: Uint8Array
}

function toTextTerm(store: FleetStore, field: FacetField, term: QueryTerm): TextTerm {
  const values = valuesOf(store, field)
  const passes = compileQuery({ terms: [term] }, hostFields, { [field]: (code: number) => values[code] })
  return { codes: store.codes(textColumns[field]), passes: Uint8Array.from(values, (_value, code) => (passes(code) ? 1 : 0)) }
}

/** What the grammar compares, by the number of a text or a set. */
function valuesOf(store: FleetStore, field: FacetField): readonly QueryValue[] {
  const column = textColumns[field]
  if (!isSetColumn(column)) return store.dictionary(column).values
  const { texts } = store.sets(column)
  return isNumeric(field) ? texts.map(([text]) => (text === undefined ? undefined : Number(text))) : texts
}

export interface Counter {
  add(ordinal: number): void
  addAll(ordinals: Uint32Array): void
  values(): FacetValue[]
}

/** Counts hosts by their number of a text or a set; sets are taken apart once, at the end. */
export function createCounter(store: FleetStore, field: FacetField): Counter {
  const column = textColumns[field]
  const codes = store.codes(column)
  const size = isSetColumn(column) ? store.sets(column).sets.length : store.dictionary(column).values.length
  const counts = new Uint32Array(size)
  return {
    add(ordinal) {
      const code = codes[ordinal] ?? 0
      counts[code] = (counts[code] ?? 0) + 1
    },
    addAll(ordinals) {
      // what all report alike is not looked up for each
      if (size === 1) counts[0] = (counts[0] ?? 0) + ordinals.length
      else
        for (const ordinal of ordinals) {
          const code = codes[ordinal] ?? 0
          counts[code] = (counts[code] ?? 0) + 1
        }
    },
    values() {
      if (!isSetColumn(column)) return toFacet(store.dictionary(column).values, counts)
      const { values, sets } = store.sets(column)
      const perValue = new Uint32Array(values.values.length + 1)
      // what no host reports is nothing to choose by
      const unreported = isReported(field) && values.values.length > 0 ? [NONE] : []
      sets.forEach((set, code) => {
        const places = set.length === 0 ? [values.values.length] : set
        for (const value of places) perValue[value] = (perValue[value] ?? 0) + (counts[code] ?? 0)
      })
      return toFacet([...values.values, ...unreported], perValue)
    },
  }
}

const toFacet = (values: readonly string[], counts: Uint32Array): FacetValue[] =>
  values
    .map((value, code) => ({ value, count: counts[code] ?? 0 }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))

/** Whether it is something that a host may leave out of what it reports. */
const isReported = (field: FacetField): boolean => toldFields.some(({ name }) => name === field)

/** Whether the grammar compares it as a number. */
export const isNumeric = (field: string): boolean => toldFields.some(({ name, kind }) => name === field && kind === 'number')

function ofEachFacet<Value>(make: (field: FacetField, index: number) => Value): Record<FacetField, Value> {
  return Object.fromEntries(facetFields.map((field, index) => [field, make(field, index)])) as Record<FacetField, Value>
}

/** The field of a term by its own name; undefined for a bare word. */
export const fieldOf = ({ field }: QueryTerm): string | undefined => (field === null ? undefined : findField(field, hostFields)?.name)
