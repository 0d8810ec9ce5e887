import type { Sort } from '@gantt/scheduler-core/query'

interface Sortable {
  readonly key: string
  readonly sortsDescending?: boolean
}

/**
 * The orders after a press on the head of a column. Alone it takes the place of all of them; `isAdded`: it comes after them, the
 * other way round at the second press, and goes at the third.
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
