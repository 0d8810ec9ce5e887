import { useInfiniteQuery } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import { type Operation, operationKey, request, useMoment } from './api.ts'
import type { ResultOf, VariablesOf } from './graphql.ts'

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

/** How near to the end of what is there the next page is asked for, in rows. */
const AHEAD = 10

/** A list that is loaded as one scrolls. Its operation takes the cursor as `after`; `listOf` finds the list in an answer. */
export function usePages<Doc extends Operation, Node>(
  document: Doc,
  variables: Omit<VariablesOf<Doc>, 'after'>,
  listOf: (data: ResultOf<Doc>) => Connection<Node>,
  { enabled = true, everyMs }: PagesOptions,
) {
  const { asked, isPast } = useMoment(document, variables as VariablesOf<Doc>)
  const { data, error, isLoading, isPlaceholderData, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery({
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
  return { rows, total: data?.pages[0]?.totalCount ?? 0, error, isLoading, isOld: isPlaceholderData || error !== null, onRange, refresh }
}
