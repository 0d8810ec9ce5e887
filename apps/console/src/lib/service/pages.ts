/** One page of a list of the API. */
export interface Connection<Node> {
  readonly nodes: readonly Node[]
  /** The count of all items. Absent if the page counts the list with another query. */
  readonly totalCount?: number
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
}

/** A page, and the cursor after which it was read. Null for the first page. */
export interface ReadPage<List> {
  readonly after: string | null
  readonly list: List
}

/** The positions of the first and the last visible row. */
export interface Sight {
  readonly first: number
  readonly last: number
}

export const countOf = (pages: readonly ReadPage<Connection<unknown>>[]): number =>
  pages.reduce((sum, { list }) => sum + list.nodes.length, 0)

/** The range of pages with visible rows: the index of the first such page, and the index after the last one. */
export function pagesIn(pages: readonly ReadPage<Connection<unknown>>[], { first, last }: Sight): readonly [from: number, to: number] {
  const pageOf = (row: number): number => {
    let end = 0
    const found = pages.findIndex(({ list }) => {
      end += list.nodes.length
      return row < end
    })
    return found === -1 ? pages.length - 1 : found
  }
  return [pageOf(first), pageOf(last) + 1]
}

/**
 * Refreshes only the visible pages. If the last visible page now ends at another row, all later pages are dropped, and are loaded again
 * while scrolling. Therefore no row is missing or repeated.
 */
export async function readInSight<List extends Connection<unknown>>(
  pages: readonly ReadPage<List>[],
  sight: Sight,
  read: (after: string | null) => Promise<List>,
): Promise<readonly ReadPage<List>[]> {
  const [from, to] = pagesIn(pages, sight)
  const again: ReadPage<List>[] = []
  let after: string | null | undefined = pages[from]?.after ?? null
  for (let i = from; i < to && after !== undefined; i++) {
    const list: List = await read(after)
    again.push({ after, list })
    after = list.pageInfo.hasNextPage ? list.pageInfo.endCursor : undefined
  }
  const follows = pages[to]
  return [...pages.slice(0, from), ...again, ...(follows !== undefined && follows.after === after ? pages.slice(to) : [])]
}
