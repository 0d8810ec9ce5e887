/** One order of a list of orders. Rows that are equal by it are ordered by the next one. */
export interface Sort {
  readonly key: string
  readonly descending: boolean
}

/** Parses the orders in a line: keys separated by commas, with `-` in front for descending order. Only the first use of a key counts. */
export function parseSort(text: string): readonly Sort[] {
  const all = text
    .split(',')
    .filter((word) => word.replace(/^-/, '') !== '')
    .map((word): Sort => ({ key: word.replace(/^-/, ''), descending: word.startsWith('-') }))
  return all.filter(({ key }, i) => all.findIndex((one) => one.key === key) === i)
}

export const printSort = (sort: readonly Sort[]): string => sort.map(({ key, descending }) => `${descending ? '-' : ''}${key}`).join(',')
