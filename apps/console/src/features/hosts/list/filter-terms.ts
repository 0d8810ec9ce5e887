import { hasTerm, hostFields, parseQuery, printQuery, withoutTerm, withTerm } from '@gantt/scheduler-core/query'
import type { HostGroup } from '../search.ts'
import { type FacetName, fieldOf, isNumeric, NONE } from './select-hosts.ts'

/** The canonical text of a filter. The other functions of this file require this form. An invalid filter is returned unchanged. */
export function canonical(filter: string): string {
  const { query, problems } = parseQuery(filter, hostFields)
  return problems.length === 0 ? printQuery(query) : filter
}

/**
 * The filter after a click on a value of a facet. A selected value is removed. Any other value replaces all terms about the field, so that
 * the list shows as many hosts as the facet counted. With `isAdded` the value is added to the selected values instead.
 */
export function toggleValue(text: string, field: FacetName, value: string, isAdded: boolean): string {
  if (isChosen(text, field, value)) return value === NONE ? withoutField(text, field) : withoutTerm(text, field, value)
  return isAdded && value !== NONE && isOfValues(text, field) ? withTerm(text, field, value) : withInstead(text, field, value)
}

/** True if no term about the field is excluding or a comparison. Another value can then be added to the values of the field. */
const isOfValues = (text: string, field: FacetName): boolean =>
  parseQuery(text, hostFields).query.terms.every((term) => fieldOf(term) !== field || (term.operator === ':' && !term.negated))

/** True if the filter contains the term of this value of the facet. `text` must be the filter's canonical text. */
export const isChosen = (text: string, field: FacetName, value: string): boolean =>
  value === NONE ? isThere(text, termOf(field, NONE)) : hasTerm(text, field, value)

/** The filter term that finds the hosts with this value of the facet. For NONE, the hosts without any value. */
export function termOf(field: FacetName, value: string): string {
  if (value !== NONE) return withTerm('', field, value)
  return isNumeric(field) ? `-${field}>=0` : `-${field}:*`
}

/** The filter restricted to the hosts in one group of the map. `key` is the group's key in groupHosts. */
export function narrowToGroup(text: string, group: HostGroup, key: string): string {
  const field = fieldOfGroup(group)
  // a host can be in many aggregates, so terms about other aggregates are kept
  return field === 'agg' ? narrowTo(text, termOf(field, key)) : withInstead(text, field, key)
}

/** The field that determines the group of a host on the map. */
export const fieldOfGroup = (group: HostGroup): FacetName => (group === 'aggregate' ? 'agg' : group)

/** The filter with additional terms, which every found host must then also meet. */
export const narrowTo = (text: string, terms: string): string => (isThere(text, terms) ? text : join(text, terms))

/** The filter after all of its terms about the field are replaced by one term for this value. */
const withInstead = (text: string, field: FacetName, value: string): string => join(withoutField(text, field), termOf(field, value))

function withoutField(text: string, field: FacetName): string {
  const { terms } = parseQuery(text, hostFields).query
  return printQuery({ terms: terms.filter((term) => fieldOf(term) !== field) })
}

const isThere = (text: string, term: string): boolean => ` ${text} `.includes(` ${term} `)

const join = (text: string, term: string): string => (text === '' ? term : `${text} ${term}`)
