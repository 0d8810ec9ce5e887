import type { Sort } from '@gantt/scheduler-core/query'

interface Sortable {
  readonly key: string
  readonly sortsDescending?: boolean
}

/**
 * The orders after a click on the head of a column. By default the list is then sorted only by this column, and each further click reverses
 * the order. With `isAdded` the column is appended to the present orders. A second such click reverses the order of the column, and a third
 * click removes it, unless it is the only order.
 */
export function nextSort(sort: readonly Sort[], { key, sortsDescending = false }: Sortable, isAdded: boolean): readonly Sort[] {
  const found = sort.find((one) => one.key === key)
  const begun: Sort = { key, descending: sortsDescending }
  const turned: Sort = { key, descending: !(found ?? begun).descending }
  if (!isAdded) return [found === undefined ? begun : turned]
  if (found === undefined) return [...sort, begun]
  if (found.descending === sortsDescending || sort.length === 1) return sort.map((one) => (one === found ? turned : one))
  return sort.filter((one) => one !== found)
}
