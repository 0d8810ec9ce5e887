import { type ListSearch, readSortedSearch } from '../../lib/browser/list-search.ts'

/** The API's sort fields for aggregates, by the key of the column. */
export const aggregateOrders = { name: 'NAME', az: 'ZONE', hosts: 'HOSTS', version: 'VERSION', updated: 'UPDATED_AT' } as const

/** The query parameters of the list. Unknown parameters are dropped. */
export const readAggregatesSearch = (said: Record<string, unknown>): ListSearch => readSortedSearch(said, Object.keys(aggregateOrders))

/** Converts `sort` to the order in the API. The default order is by name. */
export function aggregateOrder(sort = 'name') {
  const [key = 'name', direction] = sort.startsWith('-') ? [sort.slice(1), 'DESC' as const] : [sort, 'ASC' as const]
  return { field: aggregateOrders[key as keyof typeof aggregateOrders], direction }
}

/** The query parameters of the page of an aggregate. */
export interface AggregateSearch {
  /** Only members whose names contain this text are shown. */
  readonly find?: string
  /** `yes` while the draft is being edited. */
  readonly edit?: 'yes'
}

export function readAggregateSearch({ find, edit }: Record<string, unknown>): AggregateSearch {
  return { ...(typeof find === 'string' && find !== '' ? { find } : {}), ...(edit === 'yes' ? { edit } : {}) }
}
