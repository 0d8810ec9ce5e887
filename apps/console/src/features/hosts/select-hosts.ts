import { compileQuery, findField, hostFields, type Query, type QueryReaders, type QueryTerm } from '@gantt/scheduler-core/query'
import type { CodeColumn, FleetStore, SetColumn } from './fleet-store.ts'

/** Fields whose values are counted beside the list: those of few different texts. */
export const facetFields = ['state', 'status', 'az', 'agg', 'trait'] as const

export type FacetField = (typeof facetFields)[number]

export interface FacetValue {
  readonly value: string
  readonly count: number
}

export interface HostSelection {
  /** Hosts that match, in the order that was given. */
  readonly ordinals: Uint32Array
  /** For each facet, how many hosts have a value under the filter without the facet's own terms; most first. */
  readonly facets: Readonly<Record<FacetField, readonly FacetValue[]>>
}

const textColumns: Readonly<Record<FacetField, CodeColumn | SetColumn>> = {
  state: 'STATE',
  status: 'STATUS',
  az: 'AZ',
  agg: 'AGGREGATES',
  trait: 'TRAITS',
}

/**
 * The hosts of an order that match a query, and the counts of the facets, in one walk. A term about texts is judged once per
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
    else {
      found[count++] = ordinal
      for (const counter of counters) counter.add(ordinal)
    }
  }

  const valuesOf = (field: FacetField): readonly FacetValue[] => counters[facetFields.indexOf(field)]?.values() ?? []
  return {
    ordinals: found.slice(0, count),
    facets: {
      state: valuesOf('state'),
      status: valuesOf('status'),
      az: valuesOf('az'),
      agg: valuesOf('agg'),
      trait: valuesOf('trait'),
    },
  }
}

/** What each field of the grammar reads of a host. */
export function hostReaders(store: FleetStore, nowMs: number): QueryReaders<number> {
  const number = (column: Parameters<FleetStore['numbers']>[0], scale = 1) => {
    const values = store.numbers(column)
    return (ordinal: number) => (values[ordinal] ?? 0) * scale
  }
  const text = (column: CodeColumn) => {
    const codes = store.codes(column)
    const { values } = store.dictionary(column)
    return (ordinal: number) => values[codes[ordinal] ?? 0]
  }
  const set = (column: SetColumn) => {
    const codes = store.codes(column)
    const { texts } = store.sets(column)
    return (ordinal: number) => texts[codes[ordinal] ?? 0]
  }
  const reportedAt = store.numbers('REPORTED_AT')
  return {
    '': store.nameOf,
    host: store.nameOf,
    node: store.nodeOf,
    az: text('AZ'),
    agg: set('AGGREGATES'),
    state: text('STATE'),
    status: text('STATUS'),
    trait: set('TRAITS'),
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
  const column = textColumns[field]
  const texts: readonly (string | readonly string[])[] = isSet(column) ? store.sets(column).texts : store.dictionary(column).values
  const passes = compileQuery({ terms: [term] }, hostFields, { [field]: (code: number) => texts[code] })
  return { codes: store.codes(column), passes: Uint8Array.from(texts, (_text, code) => (passes(code) ? 1 : 0)) }
}

export interface Counter {
  add(ordinal: number): void
  values(): FacetValue[]
}

/** Counts hosts by their number of a text or a set; sets are taken apart once, at the end. */
export function createCounter(store: FleetStore, field: FacetField): Counter {
  const column = textColumns[field]
  const codes = store.codes(column)
  const size = isSet(column) ? store.sets(column).sets.length : store.dictionary(column).values.length
  const counts = new Uint32Array(size)
  return {
    add(ordinal) {
      const code = codes[ordinal] ?? 0
      counts[code] = (counts[code] ?? 0) + 1
    },
    values() {
      if (!isSet(column)) return toFacet(store.dictionary(column).values, counts)
      const { values, sets } = store.sets(column)
      const perValue = new Uint32Array(values.values.length)
      sets.forEach((set, code) => {
        for (const value of set) perValue[value] = (perValue[value] ?? 0) + (counts[code] ?? 0)
      })
      return toFacet(values.values, perValue)
    },
  }
}

const toFacet = (values: readonly string[], counts: Uint32Array): FacetValue[] =>
  values
    .map((value, code) => ({ value, count: counts[code] ?? 0 }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))

const isSet = (column: CodeColumn | SetColumn): column is SetColumn => column === 'AGGREGATES' || column === 'TRAITS'

/** The field of a term by its own name; undefined for a bare word. */
export const fieldOf = ({ field }: QueryTerm): string | undefined => (field === null ? undefined : findField(field, hostFields)?.name)
