import { useInfiniteQuery } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import { operationKey, request, useMoment } from './api.ts'
import type { ResultOf, VariablesOf } from './graphql.ts'
import type { Operation } from './wire.ts'

/** A list of the API, as it comes page by page. */
export interface Connection<Node> {
  readonly nodes: readonly Node[]
  readonly totalCount: number
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
}

interface PagesOptions {
  readonly enabled?: boolean
  /** Reads what is shown again so often, milliseconds. */
  readonly everyMs: number
}

/** What of a list is there. */
export interface Pages<Node> {
  readonly rows: readonly Node[]
  /** How many there are in all. */
  readonly total: number
  readonly error: Error | null
  /** Nothing is there yet. */
  readonly isLoading: boolean
  /** What is there is of another filter, or could not be read again. */
  readonly isOld: boolean
  /** Which rows are in sight: the next ones are loaded before one comes to them. */
  onRange(first: number, last: number): void
  refresh(): void
  /** So many rows, or all there are: what of them is not there is loaded first. */
  load(most: number): Promise<readonly Node[]>
}

/** How near to the end of what is there the next page is asked for, in rows. */
const AHEAD = 10

/** A list that is loaded as one scrolls. Its operation takes the cursor as `after`; `listOf` finds the list in an answer. */
export function usePages<Doc extends Operation, Node>(
  document: Doc,
  variables: Omit<VariablesOf<Doc>, 'after'>,
  listOf: (data: ResultOf<Doc>) => Connection<Node>,
  { enabled = true, everyMs }: PagesOptions,
): Pages<Node> {
  const { asked, isPast } = useMoment(document, variables as VariablesOf<Doc>)
  const { data, error, isPending, isPlaceholderData, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: operationKey(document, { ...asked, after: null }),
    queryFn: async ({ pageParam, signal }) => listOf(await request(document, { ...asked, after: pageParam }, signal)),
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? pageInfo.endCursor : undefined),
    placeholderData: (previous) => previous,
    refetchInterval: isPast ? false : everyMs,
    enabled,
  })
  const rows = useMemo(() => data?.pages.flatMap(({ nodes }) => nodes) ?? [], [data])
  const onRange = useCallback(
    (_first: number, last: number) => {
      if (last >= rows.length - AHEAD && hasNextPage && !isFetchingNextPage) void fetchNextPage()
    },
    [rows.length, hasNextPage, isFetchingNextPage, fetchNextPage],
  )
  const refresh = useCallback(() => void refetch(), [refetch])
  const load = useCallback(
    async (most: number) => {
      let loaded = data?.pages ?? []
      let hasMore = hasNextPage
      while (hasMore && countOf(loaded) < most) {
        const next = await fetchNextPage()
        if (next.isError) break
        loaded = next.data?.pages ?? []
        hasMore = next.hasNextPage
      }
      return loaded.flatMap(({ nodes }) => nodes).slice(0, most)
    },
    [data, hasNextPage, fetchNextPage],
  )
  return {
    ...{ rows, total: data?.pages[0]?.totalCount ?? 0, error, isLoading: isPending && error === null },
    ...{ isOld: isPlaceholderData || error !== null, onRange, refresh, load },
  }
}

const countOf = (pages: readonly Connection<unknown>[]): number => pages.reduce((sum, { nodes }) => sum + nodes.length, 0)
