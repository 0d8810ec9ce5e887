/** One order among several: rows that are equal by it are ordered by the next. */
export interface Sort {
  readonly key: string
  readonly descending: boolean
}

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

/** Orders as an address has them: keys with commas between, `-` in front for the largest first. A key counts once. */
export function parseSort(text: string): readonly Sort[] {
  const all = text
    .split(',')
    .filter((word) => word.replace(/^-/, '') !== '')
    .map((word): Sort => ({ key: word.replace(/^-/, ''), descending: word.startsWith('-') }))
  return all.filter(({ key }, i) => all.findIndex((one) => one.key === key) === i)
}

export const printSort = (sort: readonly Sort[]): string => sort.map(({ key, descending }) => `${descending ? '-' : ''}${key}`).join(',')
