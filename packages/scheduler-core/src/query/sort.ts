/** One order among several: rows that are equal by it are ordered by the next. */
export interface Sort {
  readonly key: string
  readonly descending: boolean
}

/** Orders in a line: keys separated by commas, with `-` in front for the largest first. A key counts once. */
export function parseSort(text: string): readonly Sort[] {
  const all = text
    .split(',')
    .filter((word) => word.replace(/^-/, '') !== '')
    .map((word): Sort => ({ key: word.replace(/^-/, ''), descending: word.startsWith('-') }))
  return all.filter(({ key }, i) => all.findIndex((one) => one.key === key) === i)
}

export const printSort = (sort: readonly Sort[]): string => sort.map(({ key, descending }) => `${descending ? '-' : ''}${key}`).join(',')
