import { useCallback, useEffect, useRef, useState } from 'react'
import type { ResultOf } from '../../lib/graphql.ts'
import { type LiveState, useLive } from '../../lib/live.ts'
import { useLatest } from '../../lib/use-latest.ts'
import { TAIL } from './documents.ts'

/** How long new decisions gather before the list is read again, milliseconds. */
const GATHER_MS = 500
/** When a list that could not be read is asked for again. */
const AGAIN_MS = 3_000

type Told = ResultOf<typeof TAIL>['decisions']

interface FeedProps {
  readonly q: string
  readonly enabled: boolean
  onState(state: LiveState): void
  onEvent(told: Told): void
}

/** The stream of new decisions for one filter; its key is the filter, so that another filter has a stream of its own. */
export function Feed({ q, enabled, onState, onEvent }: FeedProps) {
  const seen = useRef<string | null>(null)
  const state = useLive(TAIL, {
    enabled,
    variables: () => ({ q, after: seen.current }),
    onEvent({ decisions }) {
      seen.current = decisions.revision
      onEvent(decisions)
    },
  })
  useEffect(() => onState(state), [state, onState])
  return null
}

/** What the feed told since the page heard of it last. */
const nothing = { news: 0, missed: 0, isGap: false }

/** New decisions: taken in by themselves, or counted while somebody reads, and taken in when that ends. */
export function useTail(q: string, isReading: boolean, readNewest: () => Promise<void>) {
  const [state, setState] = useState<LiveState>('off')
  const [waiting, setWaiting] = useState(0)
  const [suppressed, setSuppressed] = useState(0)
  const [hasGap, setGap] = useState(false)
  const gathered = useRef(nothing)
  const gathering = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const takeIn = useCallback(() => {
    // what comes while the list is on its way counts again
    setWaiting(0)
    readNewest().catch(() => setTimeout(() => setWaiting((now) => now + 1), AGAIN_MS))
  }, [readNewest])
  const forget = useCallback(() => {
    clearTimeout(gathering.current)
    gathering.current = undefined
    gathered.current = nothing
  }, [])
  const tell = useLatest(() => {
    const { news, missed, isGap } = gathered.current
    forget()
    setSuppressed((before) => before + missed)
    if (isGap) setGap(true)
    if (news === 0) return
    if (isReading) setWaiting((before) => before + news)
    else takeIn()
  })
  const onEvent = useCallback(
    ({ suppressed: missed, gap, decision }: Told) => {
      const { news, ...before } = gathered.current
      const isNews = decision !== null || gap !== null
      gathered.current = {
        news: news + (isNews ? missed + 1 : 0),
        missed: before.missed + missed,
        isGap: before.isGap || gap !== null,
      }
      // the page is not drawn for each of hundreds a second
      gathering.current ??= setTimeout(() => tell.current(), GATHER_MS)
    },
    [tell],
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: another filter has another list, which was just read
  useEffect(() => {
    setWaiting(0)
    setSuppressed(0)
    setGap(false)
    return forget
  }, [q])
  const isDue = waiting > 0 && !isReading
  useEffect(() => {
    if (!isDue) return
    const timer = setTimeout(takeIn, GATHER_MS)
    return () => clearTimeout(timer)
  }, [isDue, takeIn])
  return { state, waiting: isReading ? waiting : 0, suppressed, hasGap, onState: setState, onEvent, takeIn }
}
