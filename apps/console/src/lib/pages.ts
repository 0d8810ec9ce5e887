/** A list of the API, as it comes page by page. */
export interface Connection<Node> {
  readonly nodes: readonly Node[]
  /** Not of a list that somebody else counts. */
  readonly totalCount?: number
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
}

/** A page, and the cursor that it was read behind; null: the first. */
export interface ReadPage<List> {
  readonly after: string | null
  readonly list: List
}

/** Positions of the first and the last row in sight. */
export interface Sight {
  readonly first: number
  readonly last: number
}

export const countOf = (pages: readonly ReadPage<Connection<unknown>>[]): number =>
  pages.reduce((sum, { list }) => sum + list.nodes.length, 0)

/** The pages that hold the rows in sight, as positions of the first of them and of what follows them. */
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
 * Reads the pages in sight again, and none of the others, however many there are. Where they end elsewhere now, what follows them
 * is left out, to be loaded as one scrolls: so there is neither a hole nor a row twice.
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
