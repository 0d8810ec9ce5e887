import {
  byField,
  comparedOf,
  compileQuery,
  type FacetField,
  facetFields,
  fieldsHolding,
  findField,
  hostFields,
  type Query,
  type QueryReaders,
  type QueryTerm,
  type QueryValue,
  reportedFields,
} from '@gantt/scheduler-core/query'
import { type CodeColumn, type FleetStore, isSetColumn, type SetColumn } from '../fleet-store.ts'

/** The fields whose values are counted as facets: those with few different texts. */
export const facetNames = facetFields.map(({ name }) => name)

export type FacetName = FacetField['name']

/** The facet value that stands for hosts that do not report a value. */
export const NONE = ''

export const inWords = (value: string): string => (value === NONE ? 'not reported' : value)

export interface FacetValue {
  /** The value of the facet. NONE for hosts that do not report a value. */
  readonly value: string
  readonly count: number
}

export interface HostSelection {
  /** The matching hosts, in the order of `order`. */
  readonly ordinals: Uint32Array
  /**
   * For each facet, its values with their counts, the largest first. The counted hosts match the filter without its terms about the facet.
   */
  readonly facets: Readonly<Record<FacetName, readonly FacetValue[]>>
}

/** The column with the values of each facet. */
export const textColumns = byField(facetFields, 'name', ({ column }): CodeColumn | SetColumn => column)

/**
 * Selects the hosts that match a query, in the order of `order`, and counts the facets. A term about texts is evaluated once for each
 * different text, and not once for each host. `nowMs` is the service's time, which ages are computed from.
 */
export function selectHosts(store: FleetStore, query: Query, order: Uint32Array, nowMs: number): HostSelection {
  const others: ((ordinal: number) => boolean)[] = []
  const byFacet = facetNames.map((field) => ({ field, terms: [] as TextTerm[] }))
  const readers = hostReaders(store, nowMs)
  for (const term of query.terms) {
    const facet = byFacet.find(({ field }) => field === fieldOf(term))
    if (facet !== undefined) facet.terms.push(toTextTerm(store, facet.field, term))
    else others.push(compileQuery({ terms: [term] }, hostFields, readers))
  }

  const counters = facetNames.map((field) => createCounter(store, field))
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
  // column by column, which is faster than counting all facets host by host
  for (const counter of counters) counter.addAll(ordinals)
  return { ordinals, facets: ofEachFacet((_field, index) => counters[index]?.values() ?? []) }
}

/** How each field of the grammar is read from a host. */
export function hostReaders(store: FleetStore, nowMs: number): QueryReaders<number> {
  const texts = ofEachFacet((field) => {
    const codes = store.codes(textColumns[field])
    const values = valuesOf(store, field)
    return (ordinal: number) => values[codes[ordinal] ?? 0]
  })
  const numbers = byField(fieldsHolding('number'), 'name', (field) => {
    const values = store.numbers(field.column)
    return (ordinal: number) => comparedOf(field, values[ordinal] ?? 0, nowMs)
  })
  return { '': store.nameOf, host: store.nameOf, node: store.nodeOf, ...texts, ...numbers }
}

/** A term about texts. `passes` has a 1 for each different text that the term matches. */
interface TextTerm {
  readonly codes: Uint32Array
  readonly passes: Uint8Array
}

function toTextTerm(store: FleetStore, field: FacetName, term: QueryTerm): TextTerm {
  const values = valuesOf(store, field)
  const passes = compileQuery({ terms: [term] }, hostFields, { [field]: (code: number) => values[code] })
  return { codes: store.codes(textColumns[field]), passes: Uint8Array.from(values, (_value, code) => (passes(code) ? 1 : 0)) }
}

/** The values that the grammar compares, by the code of a text or of a list of texts. */
function valuesOf(store: FleetStore, field: FacetName): readonly QueryValue[] {
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

/** Counts hosts by the code of a text or of a list of texts. Counts of lists are added up by text once, at the end. */
export function createCounter(store: FleetStore, field: FacetName): Counter {
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
      // if the column has only one value, all hosts have it
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
      // a field that no host reports is not shown as a facet
      const unreported = isReported(field) && values.values.length > 0 ? [NONE] : []
      sets.forEach((set, code) => {
        const indexes = set.length === 0 ? [values.values.length] : set
        for (const value of indexes) perValue[value] = (perValue[value] ?? 0) + (counts[code] ?? 0)
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

/** True if hosts may omit the field in their reports. */
const isReported = (field: FacetName): boolean => reportedFields.some(({ name }) => name === field)

/** True if the grammar compares the field as a number. */
export const isNumeric = (field: string): boolean => reportedFields.some(({ name, kind }) => name === field && kind === 'number')

const ofEachFacet = <Value>(make: (field: FacetName, index: number) => Value): Readonly<Record<FacetName, Value>> =>
  byField(facetFields, 'name', ({ name }, index) => make(name, index))

/** The full name of a term's field. The term can use a short name. Undefined for a bare word. */
export const fieldOf = ({ field }: QueryTerm): string | undefined => (field === null ? undefined : findField(field, hostFields)?.name)
