import { hasTerm, hostFields, parseQuery, printQuery, withoutTerm, withTerm } from '@gantt/scheduler-core/query'
import type { HostGroup } from './search.ts'
import { type FacetField, fieldOf, isNumeric, NONE } from './select-hosts.ts'

/** A filter as its canonical text, which the functions below take; as it is where it cannot be read. */
export function canonical(filter: string): string {
  const { query, problems } = parseQuery(filter, hostFields)
  return problems.length === 0 ? printQuery(query) : filter
}

/**
 * The filter after a click on a value of a facet. A chosen value is taken back. Another takes the place of what the filter said of
 * its field, so that the click opens as many hosts as the facet counted; `isAdded` lets the chosen ones stand next to it.
 */
export function toggleValue(text: string, field: FacetField, value: string, isAdded: boolean): string {
  if (isChosen(text, field, value)) return value === NONE ? withoutField(text, field) : withoutTerm(text, field, value)
  return isAdded && value !== NONE && isOfValues(text, field) ? withTerm(text, field, value) : withInstead(text, field, value)
}

/** Whether all that the filter says of a field is which values it may have: another stands next to these, next to nothing else. */
const isOfValues = (text: string, field: FacetField): boolean =>
  parseQuery(text, hostFields).query.terms.every((term) => fieldOf(term) !== field || (term.operator === ':' && !term.negated))

/** Whether the filter, as its canonical text, asks for a value of a facet. */
export const isChosen = (text: string, field: FacetField, value: string): boolean =>
  value === NONE ? isThere(text, termOf(field, NONE)) : hasTerm(text, field, value)

/** The term that finds the hosts of a value of a facet. */
export function termOf(field: FacetField, value: string): string {
  if (value !== NONE) return withTerm('', field, value)
  return isNumeric(field) ? `-${field}>=0` : `-${field}:*`
}

/** The filter that finds the hosts of a group of the map, by the key of groupHosts. */
export function narrowToGroup(text: string, group: HostGroup, key: string): string {
  const field = fieldOfGroup(group)
  // a host is in many aggregates: what the filter asks of the others still holds
  return field === 'agg' ? narrowTo(text, termOf(field, key)) : withInstead(text, field, key)
}

/** What of a host says in which group of the map it is. */
export const fieldOfGroup = (group: HostGroup): FacetField => (group === 'aggregate' ? 'agg' : group)

/** The filter with terms next to those that are there: what it found before, of that only what they find too. */
export const narrowTo = (text: string, terms: string): string => (isThere(text, terms) ? text : join(text, terms))

/** The filter with a value in the place of what it said of the field. */
const withInstead = (text: string, field: FacetField, value: string): string => join(withoutField(text, field), termOf(field, value))

function withoutField(text: string, field: FacetField): string {
  const { terms } = parseQuery(text, hostFields).query
  return printQuery({ terms: terms.filter((term) => fieldOf(term) !== field) })
}

const isThere = (text: string, term: string): boolean => ` ${text} `.includes(` ${term} `)

const join = (text: string, term: string): string => (text === '' ? term : `${text} ${term}`)
