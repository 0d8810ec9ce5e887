import { hasTerm, hostFields, parseQuery, printQuery, withoutTerm, withTerm } from '@gantt/scheduler-core/query'
import type { HostGroup } from './search.ts'
import { type FacetField, fieldOf } from './select-hosts.ts'

/**
 * The filter after a click on a value of a facet. A chosen value is taken back. Another takes the place of what the filter said of
 * its field, so that the click opens as many hosts as the facet counted; `isAdded` lets the chosen ones stand beside it.
 */
export function toggleValue(text: string, field: FacetField, value: string, isAdded: boolean): string {
  if (hasTerm(text, field, value)) return withoutTerm(text, field, value)
  return isAdded ? withTerm(text, field, value) : join(withoutField(text, field), withTerm('', field, value))
}

/** The filter that finds the hosts of a group of the map; `''` is the group of those in no aggregate. */
export function narrowToGroup(text: string, group: HostGroup, key: string): string {
  if (group === 'az') return join(withoutField(text, 'az'), withTerm('', 'az', key))
  const term = key === '' ? '-agg:*' : withTerm('', 'agg', key)
  // a host is in many: what the filter asks of the others still holds
  return narrowTo(text, term)
}

/** The filter with terms beside those that are there: what it found before, of that only what they find too. */
export const narrowTo = (text: string, terms: string): string => (isThere(text, terms) ? text : join(text, terms))

function withoutField(text: string, field: FacetField): string {
  const { terms } = parseQuery(text, hostFields).query
  return printQuery({ terms: terms.filter((term) => fieldOf(term) !== field) })
}

const isThere = (text: string, term: string): boolean => ` ${text} `.includes(` ${term} `)

const join = (text: string, term: string): string => (text === '' ? term : `${text} ${term}`)
