/** One page of a list. The total count may grow while the list is read. */
export interface Page<Item> {
  readonly totalCount: number
  readonly nodes: readonly Item[]
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
}

/** The items of a list that were read, and the count of all items. */
export interface Items<Item> {
  readonly items: readonly Item[]
  readonly totalCount: number
}

/** One answer of the API has at most this many items. */
export const LARGEST_PAGE = 500
export const DEFAULT_FIRST = 50

/** Reads pages of a list until it has `wanted` items or the list ends. Also returns the count of all items. */
export async function readPages<Item>(
  wanted: number,
  read: (first: number, after: string | null) => Promise<Page<Item>>,
): Promise<Items<Item>> {
  const items: Item[] = []
  let after: string | null = null
  for (;;) {
    const page: Page<Item> = await read(Math.min(LARGEST_PAGE, wanted - items.length), after)
    items.push(...page.nodes)
    after = page.pageInfo.endCursor
    const isLast = !page.pageInfo.hasNextPage || after === null || items.length >= wanted
    showProgress(items.length, Math.min(wanted, page.totalCount), isLast)
    if (isLast) return { items, totalCount: page.totalCount }
  }
}

/** Shows the progress of reading a long list, in one line that is removed at the end; only on a terminal. */
export function showProgress(read: number, of: number, isLast: boolean): void {
  if (!process.stderr.isTTY || (isLast && read <= LARGEST_PAGE)) return
  process.stderr.write(isLast ? '\r\u001b[K' : `\r${read} of ${of}`)
}

/** The line below a list: how many rows are shown, how many there are, and the option that shows all of them. */
export function tally(shown: number, totalCount: number, noun: string, more = '--all'): string {
  if (shown === totalCount) return `${shown} ${noun}${shown === 1 ? '' : 's'}`
  return `${shown} of ${totalCount} ${noun}s; ${more} shows the others`
}
