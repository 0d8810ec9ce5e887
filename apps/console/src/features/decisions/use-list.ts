import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import { operationKey, request } from '../../lib/api.ts'
import type { ResultOf } from '../../lib/graphql.ts'
import { LIST } from './documents.ts'

type Pages = InfiniteData<ResultOf<typeof LIST>, string | null>

/** The decisions that a filter means, newest first, page after page as one scrolls. */
export function useList(q: string) {
  const client = useQueryClient()
  const key = useMemo(() => operationKey(LIST, { q, after: null }), [q])
  const { data, error, isLoading, isPlaceholderData, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => request(LIST, { q, after: pageParam }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ decisions: { pageInfo } }) => (pageInfo.hasNextPage ? pageInfo.endCursor : undefined),
    placeholderData: (previous) => previous,
    // new ones are told by the feed; to read every page again would move rows under whoever reads
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
  const rows = useMemo(() => data?.pages.flatMap(({ decisions }) => decisions.nodes) ?? [], [data])
  const unreadable = useMemo(() => data?.pages.flatMap(({ decisions }) => decisions.unreadable) ?? [], [data])
  /** The first page alone: what follows it is loaded as one scrolls, so that there is neither a hole nor a row twice. */
  const readNewest = useCallback(async () => {
    // a page that is on its way follows one that is not there any more
    await client.cancelQueries({ queryKey: key })
    const page = await request(LIST, { q, after: null })
    client.setQueryData<Pages>(key, { pages: [page], pageParams: [null] })
  }, [client, key, q])
  const loadMore = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, fetchNextPage])
  const refresh = useCallback(() => void refetch(), [refetch])
  return { rows, unreadable, error, isLoading, isOld: isPlaceholderData, readNewest, refresh, loadMore }
}
