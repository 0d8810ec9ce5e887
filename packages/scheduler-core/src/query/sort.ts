/** One of the keys by which rows are sorted. Rows with equal values of this key are sorted by the next key. */
export interface Sort {
  readonly key: string
  readonly descending: boolean
}

/** Parses sort keys such as `az,-mem.free`. A `-` before a key means descending order. A repeated key is ignored. */
export function parseSort(text: string): readonly Sort[] {
  const all = text
    .split(',')
    .filter((word) => word.replace(/^-/, '') !== '')
    .map((word): Sort => ({ key: word.replace(/^-/, ''), descending: word.startsWith('-') }))
  return all.filter(({ key }, i) => all.findIndex((one) => one.key === key) === i)
}

export const printSort = (sort: readonly Sort[]): string => sort.map(({ key, descending }) => `${descending ? '-' : ''}${key}`).join(',')
