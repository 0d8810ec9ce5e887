import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useDeferredValue, useMemo, useRef } from 'react'
import { BY_STREAM, operationKey, pollEvery, request } from './api.ts'
import type { ResultOf, VariablesOf } from './graphql.ts'
import { useMoment } from './moment.ts'
import { type Connection, countOf, pagesIn, type ReadPage, readInSight, type Sight } from './pages.ts'
import type { Operation } from './wire.ts'

interface PagesOptions {
  readonly enabled?: boolean
  /** The visible rows are read again at this interval, in milliseconds. Absent if a stream updates the list. */
  readonly everyMs?: number
}

/** The loaded part of a list. */
export interface Pages<Node, List = unknown> {
  readonly rows: readonly Node[]
  /** The loaded pages of the list. A page can have further data in addition to its rows. */
  readonly lists: readonly List[]
  /** The page of the list that was read last. Undefined before the first read. */
  readonly newest: List | undefined
  /** The total number of items. */
  readonly total: number
  readonly error: Error | null
  /** True if nothing is loaded yet. */
  readonly isLoading: boolean
  /** True if the loaded rows belong to another filter, or could not be refreshed. */
  readonly isOld: boolean
  /** The time of the last read, milliseconds by the clock of this browser. 0 if nothing was read for this filter. */
  readonly readAtMs: number
  /** The interval of automatic reads, milliseconds. Undefined if a stream adds new rows. */
  readonly everyMs: number | undefined
  /**
   * Must be called with the range of visible rows. The next page is then loaded before it is needed, and only visible pages are read again.
   * If it is never called, all rows are assumed to be visible.
   */
  onRange(first: number, last: number): void
  refresh(): void
  /**
   * Reads only the first page and drops all other pages, so that no row is missing or repeated. The dropped pages are loaded again while
   * scrolling.
   */
  readNewest(): Promise<void>
  /** Reads the page after a cursor (null for the first page), without caching it. Throws the same errors as `request`. */
  read(after: string | null, signal?: AbortSignal): Promise<List>
  /** Returns the first `most` rows, after loading those that are missing. Undefined if the list has changed meanwhile. */
  load(most: number): Promise<readonly Node[] | undefined>
}

/** The cached part of a list. */
interface Loaded<List> {
  readonly pages: readonly ReadPage<List>[]
  readonly newest: List
}

/** The next page is requested when the visible rows are this close to the end of the loaded rows. */
const PREFETCH_ROWS = 10

const WHOLE: Sight = { first: 0, last: Number.POSITIVE_INFINITY }
const TOP: Sight = { first: 0, last: 0 }

/**
 * Loads a list while the operator scrolls. The operation must have the variable `after` for the cursor. `listOf` returns the list in an
 * answer.
 */
export function usePages<Doc extends Operation, List extends Connection<unknown>>(
  document: Doc,
  variables: Omit<VariablesOf<Doc>, 'after'>,
  listOf: (data: ResultOf<Doc>) => List,
  { enabled = true, everyMs }: PagesOptions = {},
): Pages<List['nodes'][number], List> {
  const client = useQueryClient()
  const { asked, isPast } = useMoment(document, variables as VariablesOf<Doc>)
  const key = operationKey(document, { ...asked, after: null })
  const keyText = JSON.stringify(key)
  const sight = useRef(WHOLE)
  /** True if the running request loads the next page. False if it reloads pages that are already loaded. */
  const isNextAsked = useRef(false)
  /** The time at which each page was read, by its cursor. */
  const readAt = useRef(new Map<string | null, number>())
  /** The time of the last request, even if it failed. */
  const triedAt = useRef(0)
  const sightOf = useRef(keyText)
  if (sightOf.current !== keyText) {
    // if the query has changed, the new list begins at its first row
    sightOf.current = keyText
    readAt.current = new Map()
    isNextAsked.current = false
    if (sight.current !== WHOLE) sight.current = TOP
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: the key identifies the query and its variables
  const readOne = useCallback(
    async (after: string | null, signal?: AbortSignal) => listOf(await request(document, { ...asked, after }, { signal })),
    [keyText],
  )

  const { data, error, dataUpdatedAt, isPending, isPlaceholderData, isFetching, refetch } = useQuery<Loaded<List>>({
    queryKey: key,
    queryFn: async ({ signal }): Promise<Loaded<List>> => {
      const before = client.getQueryData<Loaded<List>>(key)?.pages ?? []
      const after = isNextAsked.current ? nextAfter(before) : undefined
      let newest: List | undefined
      const read = async (cursor: string | null): Promise<List> => {
        newest = await readOne(cursor, signal)
        readAt.current.set(cursor, Date.now())
        return newest
      }
      try {
        const pages =
          before.length === 0 || after !== undefined
            ? [...before, { after: after ?? null, list: await read(after ?? null) }]
            : await readInSight(before, sight.current, read)
        isNextAsked.current = false
        const cursors = new Set(pages.map(({ after }) => after))
        for (const cursor of readAt.current.keys()) if (!cursors.has(cursor)) readAt.current.delete(cursor)
        return { pages, newest: newest ?? (pages[0] as ReadPage<List>).list }
      } catch (problem) {
        // a retry requests the next page again, unless another request was made meanwhile
        if (signal.aborted) isNextAsked.current = false
        throw problem
      } finally {
        triedAt.current = Date.now()
      }
    },
    placeholderData: (previous) => previous,
    enabled,
    ...(everyMs === undefined
      ? // a stream adds new rows, and no read may move the rows that an operator reads
        { refetchOnWindowFocus: false, refetchOnReconnect: false, meta: BY_STREAM }
      : { refetchInterval: isPast ? false : pollEvery(everyMs) }),
  } as Parameters<typeof useQuery<Loaded<List>>>[0])

  const pages = data?.pages
  const readNext = useCallback(() => {
    isNextAsked.current = true
    return refetch()
  }, [refetch])
  const onRange = useCallback(
    (first: number, last: number) => {
      sight.current = { first, last }
      // a failed page is requested again at its interval or by a click, not whenever its rows become visible
      if (pages === undefined || isPlaceholderData || isFetching || error !== null) return
      if (last >= countOf(pages) - PREFETCH_ROWS && nextAfter(pages) !== undefined) void readNext()
      else if (everyMs !== undefined && !isPast) {
        const since = Date.now() - everyMs
        const isOut = pages.slice(...pagesIn(pages, sight.current)).some(({ after }) => (readAt.current.get(after) ?? 0) < since)
        if (isOut && triedAt.current < since) void refetch()
      }
    },
    [pages, isPlaceholderData, isFetching, error, readNext, refetch, everyMs, isPast],
  )
  const refresh = useCallback(() => void refetch(), [refetch])
  /**
   * Counts the reads of the newest rows. `asked` is the last requested read, and `shown` the last read whose result is shown. If two reads
   * overlap, the result of the later read is shown.
   */
  const readings = useRef({ asked: 0, shown: 0 })
  // biome-ignore lint/correctness/useExhaustiveDependencies: keyText identifies the key
  const readNewest = useCallback(async () => {
    const mine = ++readings.current.asked
    // a page that is being loaded belongs after the last loaded page, which is dropped here
    await client.cancelQueries({ queryKey: key })
    const list = await readOne(null)
    if (mine < readings.current.shown) return
    readings.current.shown = mine
    client.setQueryData<Loaded<List>>(key, { pages: [{ after: null, list }], newest: list })
  }, [client, keyText, readOne])
  const load = useCallback(
    async (most: number) => {
      // The loaded rows belong to the previous filter until the service has answered the present filter.
      if (isPlaceholderData) return undefined
      let loaded = pages ?? []
      while (nextAfter(loaded) !== undefined && countOf(loaded) < most) {
        const next = await readNext()
        if (sightOf.current !== keyText) return undefined
        if (next.isError) break
        loaded = next.data?.pages ?? []
      }
      return loaded.flatMap(({ list }) => list.nodes).slice(0, most)
    },
    [pages, isPlaceholderData, readNext, keyText],
  )
  const isOld = isPlaceholderData || error !== null
  const there = useMemo(() => {
    const lists = data?.pages.map(({ list }) => list) ?? []
    const rows = lists.flatMap(({ nodes }) => nodes)
    const { newest } = data ?? {}
    return { rows, lists, newest, total: newest?.totalCount ?? 0, error, isLoading: isPending && error === null, isOld }
  }, [data, error, isPending, isOld])
  // rows that arrive while the operator works are rendered with lower priority, between key presses
  const shown = useDeferredValue(there)
  return { ...shown, isOld: isOld || shown.isOld, readAtMs: dataUpdatedAt, everyMs, onRange, refresh, readNewest, read: readOne, load }
}

/** The cursor after which the next page is read. Undefined if there is no next page. */
function nextAfter(pages: readonly ReadPage<Connection<unknown>>[]): string | null | undefined {
  const { hasNextPage, endCursor } = pages.at(-1)?.list.pageInfo ?? { hasNextPage: false, endCursor: null }
  return hasNextPage ? endCursor : undefined
}
