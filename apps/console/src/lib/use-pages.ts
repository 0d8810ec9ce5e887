import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useDeferredValue, useMemo, useRef } from 'react'
import { BY_STREAM, operationKey, pollEvery, request } from './api.ts'
import type { ResultOf, VariablesOf } from './graphql.ts'
import { useMoment } from './moment.ts'
import { type Connection, countOf, pagesIn, type ReadPage, readInSight, type Sight } from './pages.ts'
import type { Operation } from './wire.ts'

interface PagesOptions {
  readonly enabled?: boolean
  /** Reads what is in sight again so often, milliseconds; not by itself if not given, as where a feed shows what is new. */
  readonly everyMs?: number
}

/** What of a list is there. */
export interface Pages<Node, List = unknown> {
  readonly rows: readonly Node[]
  /** The pages that are there, with whatever they have next to their rows. */
  readonly lists: readonly List[]
  /** The page that was read last; undefined while nothing is there. */
  readonly newest: List | undefined
  /** How many there are in all. */
  readonly total: number
  readonly error: Error | null
  /** Nothing is there yet. */
  readonly isLoading: boolean
  /** What is there is of another filter, or could not be read again. */
  readonly isOld: boolean
  /** When some of it was read last, milliseconds by the clock of this browser; 0: not of this filter. */
  readonly readAtMs: number
  /** Instances it is read again by itself, milliseconds; undefined: a feed brings what is new. */
  readonly everyMs: number | undefined
  /**
   * Which rows are in sight: the next ones are loaded before one comes to them, and these are read again. A list that never says
   * so is in sight as a whole.
   */
  onRange(first: number, last: number): void
  refresh(): void
  /** Reads the first page alone; what follows it is loaded as one scrolls, so that there is neither a hole nor a row twice. */
  readNewest(): Promise<void>
  /** Reads one page afresh, behind a cursor; null: the first. Nothing of it is kept. Throws as `request` does. */
  read(after: string | null, signal?: AbortSignal): Promise<List>
  /** So many rows, or all there are: what of them is not there is loaded first. Undefined: it is another list by now. */
  load(most: number): Promise<readonly Node[] | undefined>
}

/** What is kept of a list. */
interface Loaded<List> {
  readonly pages: readonly ReadPage<List>[]
  readonly newest: List
}

/** How near to the end of what is there the next page is asked for, in rows. */
const AHEAD = 10

const WHOLE: Sight = { first: 0, last: Number.POSITIVE_INFINITY }
const TOP: Sight = { first: 0, last: 0 }

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
  const keyText = JSON.stringify(key)
  const sight = useRef(WHOLE)
  /** The next page is asked for, not those that are there. */
  const isNextAsked = useRef(false)
  /** When each page was read, by its cursor. */
  const readAt = useRef(new Map<string | null, number>())
  /** When something was asked for last, whatever came of it. */
  const triedAt = useRef(0)
  const sightOf = useRef(keyText)
  if (sightOf.current !== keyText) {
    // another list begins at its first row
    sightOf.current = keyText
    readAt.current = new Map()
    isNextAsked.current = false
    if (sight.current !== WHOLE) sight.current = TOP
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says what is asked, and how
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
        // tried again it is still the next page that is asked for, unless something else was meanwhile
        if (signal.aborted) isNextAsked.current = false
        throw problem
      } finally {
        triedAt.current = Date.now()
      }
    },
    placeholderData: (previous) => previous,
    enabled,
    ...(everyMs === undefined
      ? // what is new is shown by a feed, and must not move rows under whoever reads
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
      // what cannot be read is asked for again in its time, or by a press, not by each look at the rows
      if (pages === undefined || isPlaceholderData || isFetching || error !== null) return
      if (last >= countOf(pages) - AHEAD && nextAfter(pages) !== undefined) void readNext()
      else if (everyMs !== undefined && !isPast) {
        const since = Date.now() - everyMs
        const isOut = pages.slice(...pagesIn(pages, sight.current)).some(({ after }) => (readAt.current.get(after) ?? 0) < since)
        if (isOut && triedAt.current < since) void refetch()
      }
    },
    [pages, isPlaceholderData, isFetching, error, readNext, refetch, everyMs, isPast],
  )
  const refresh = useCallback(() => void refetch(), [refetch])
  /** Which reading of the newest was asked last, and which is shown: of two on their way the later one stays. */
  const readings = useRef({ asked: 0, shown: 0 })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key is that of keyText
  const readNewest = useCallback(async () => {
    const mine = ++readings.current.asked
    // a page that is on its way follows one that is not there any more
    await client.cancelQueries({ queryKey: key })
    const list = await readOne(null)
    if (mine < readings.current.shown) return
    readings.current.shown = mine
    client.setQueryData<Loaded<List>>(key, { pages: [{ after: null, list }], newest: list })
  }, [client, keyText, readOne])
  const load = useCallback(
    async (most: number) => {
      // what is there is of the filter before, until this one is answered
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
  // what comes in while one works is drawn bit by bit, between the keys
  const shown = useDeferredValue(there)
  return { ...shown, isOld: isOld || shown.isOld, readAtMs: dataUpdatedAt, everyMs, onRange, refresh, readNewest, read: readOne, load }
}

/** The cursor that the next page is read behind; undefined: there is none. */
function nextAfter(pages: readonly ReadPage<Connection<unknown>>[]): string | null | undefined {
  const { hasNextPage, endCursor } = pages.at(-1)?.list.pageInfo ?? { hasNextPage: false, endCursor: null }
  return hasNextPage ? endCursor : undefined
}
