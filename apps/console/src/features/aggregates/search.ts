import { type ListSearch, readSortedSearch } from '../../lib/list-search.ts'

/** By what the service orders aggregates, by the key of their column. */
export const aggregateOrders = { name: 'NAME', az: 'ZONE', hosts: 'HOSTS', version: 'VERSION', updated: 'UPDATED_AT' } as const

/** What the address of the list says behind the question mark; everything else is left out. */
export const readAggregatesSearch = (said: Record<string, unknown>): ListSearch => readSortedSearch(said, Object.keys(aggregateOrders))

/** The order that `sort` names, as the service takes it; by name if it names none. */
export function aggregateOrder(sort = 'name') {
  const [key = 'name', direction] = sort.startsWith('-') ? [sort.slice(1), 'DESC' as const] : [sort, 'ASC' as const]
  return { field: aggregateOrders[key as keyof typeof aggregateOrders], direction }
}

/** What the address of one aggregate says. */
export interface AggregateSearch {
  /** Part of the names of the members that are shown. */
  readonly find?: string
  /** `yes`: the draft is open. */
  readonly edit?: 'yes'
}

export function readAggregateSearch({ find, edit }: Record<string, unknown>): AggregateSearch {
  return { ...(typeof find === 'string' && find !== '' ? { find } : {}), ...(edit === 'yes' ? { edit } : {}) }
}
