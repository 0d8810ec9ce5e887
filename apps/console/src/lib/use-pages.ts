import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useDeferredValue, useMemo, useRef } from 'react'
import { operationKey, request } from './api.ts'
import type { ResultOf, VariablesOf } from './graphql.ts'
import { useMoment } from './moment.ts'
import type { Operation } from './wire.ts'

/** A list of the API, as it comes page by page. */
export interface Connection<Node> {
  readonly nodes: readonly Node[]
  /** Not of a list that somebody else counts. */
  readonly totalCount?: number
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
}

interface PagesOptions {
  readonly enabled?: boolean
  /** Reads what is shown again so often, milliseconds; not by itself if not given, as where a feed tells what is new. */
  readonly everyMs?: number
}

/** What of a list is there. It is the same for all parts of a page: whoever acts on a row by its position acts on the one that is drawn there. */
export interface Pages<Node, List = unknown> {
  readonly rows: readonly Node[]
  /** The pages that are there, with whatever they have beside their rows. */
  readonly lists: readonly List[]
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
  /** Reads the first page alone; what follows it is loaded as one scrolls, so that there is neither a hole nor a row twice. */
  readNewest(): Promise<void>
  /** What the first page would be now; what is shown stays as it is. */
  peekNewest(): Promise<readonly Node[]>
  /** So many rows, or all there are: what of them is not there is loaded first. */
  load(most: number): Promise<readonly Node[]>
}

/** How near to the end of what is there the next page is asked for, in rows. */
const AHEAD = 10

/** A list that is loaded as one scrolls. Its operation takes the cursor as `after`; `listOf` finds the list in an answer. */
export function usePages<Doc extends Operation, List extends Connection<unknown>>(
  document: Doc,
  variables: Omit<VariablesOf<Doc>, 'after'>,
  listOf: (data: ResultOf<Doc>) => List,
  { enabled = true, everyMs }: PagesOptions = {},
): Pages<List['nodes'][number], List> {
  const client = useQueryClient()
  const { asked, isPast } = useMoment(document, variables as VariablesOf<Doc>)
  const key = operationKey(document, { ...asked, after: null })
  const { data, error, isPending, isPlaceholderData, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: key,
    queryFn: async ({ pageParam, signal }) => listOf(await request(document, { ...asked, after: pageParam }, signal)),
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? pageInfo.endCursor : undefined),
    placeholderData: (previous) => previous,
    enabled,
    ...(everyMs === undefined
      ? // to read every page again would move rows under whoever reads
        { refetchOnWindowFocus: false, refetchOnReconnect: false }
      : { refetchInterval: isPast ? false : everyMs }),
  })
  const count = countOf(data?.pages ?? [])
  const onRange = useCallback(
    (_first: number, last: number) => {
      if (last >= count - AHEAD && hasNextPage && !isFetchingNextPage) void fetchNextPage()
    },
    [count, hasNextPage, isFetchingNextPage, fetchNextPage],
  )
  const refresh = useCallback(() => void refetch(), [refetch])
  const keyText = JSON.stringify(key)
  /** Which reading of the newest was asked last, and which is shown: of two on their way the later one stays. */
  const readings = useRef({ asked: 0, shown: 0 })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says what is asked, and how
  const readNewest = useCallback(async () => {
    const mine = ++readings.current.asked
    // a page that is on its way follows one that is not there any more
    await client.cancelQueries({ queryKey: key })
    const page = listOf(await request(document, { ...asked, after: null }))
    if (mine < readings.current.shown) return
    readings.current.shown = mine
    client.setQueryData<InfiniteData<List, string | null>>(key, { pages: [page], pageParams: [null] })
  }, [client, keyText])
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above
  const peekNewest = useCallback(async () => listOf(await request(document, { ...asked, after: null })).nodes, [keyText])
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
  const isOld = isPlaceholderData || error !== null
  const there = useMemo(() => {
    const lists = data?.pages ?? []
    const rows = lists.flatMap(({ nodes }) => nodes)
    return { rows, lists, total: lists[0]?.totalCount ?? 0, error, isLoading: isPending && error === null, isOld }
  }, [data, error, isPending, isOld])
  // what comes in while one works is drawn bit by bit, between the keys
  const shown = useDeferredValue(there)
  return { ...shown, isOld: isOld || shown.isOld, onRange, refresh, readNewest, peekNewest, load }
}

const countOf = (pages: readonly Connection<unknown>[]): number => pages.reduce((sum, { nodes }) => sum + nodes.length, 0)
