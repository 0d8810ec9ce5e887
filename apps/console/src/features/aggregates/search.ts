import { type ListSearch, readSortedSearch } from '../../lib/browser/list-search.ts'

/** The service's orders of aggregates, by the key of their column. */
export const aggregateOrders = { name: 'NAME', az: 'ZONE', hosts: 'HOSTS', version: 'VERSION', updated: 'UPDATED_AT' } as const

/** The query parameters of the list's address; other parameters are dropped. */
export const readAggregatesSearch = (said: Record<string, unknown>): ListSearch => readSortedSearch(said, Object.keys(aggregateOrders))

/** The order in `sort`, in the form of the API; by name if it has none. */
export function aggregateOrder(sort = 'name') {
  const [key = 'name', direction] = sort.startsWith('-') ? [sort.slice(1), 'DESC' as const] : [sort, 'ASC' as const]
  return { field: aggregateOrders[key as keyof typeof aggregateOrders], direction }
}

/** The query parameters of an aggregate's address. */
export interface AggregateSearch {
  /** A text that the names of the shown members contain. */
  readonly find?: string
  /** `yes`: the draft is open. */
  readonly edit?: 'yes'
}

export function readAggregateSearch({ find, edit }: Record<string, unknown>): AggregateSearch {
  return { ...(typeof find === 'string' && find !== '' ? { find } : {}), ...(edit === 'yes' ? { edit } : {}) }
}
