import { useCallback, useEffect, useRef, useState } from 'react'
import type { ResultOf } from '../../../lib/service/graphql.ts'
import { type LiveState, useLive } from '../../../lib/service/live.ts'
import { contact } from '../../../lib/service/use-freshness.ts'
import { useLatest } from '../../../lib/service/use-latest.ts'
import type { Pages } from '../../../lib/service/use-pages.ts'
import { TAIL } from '../documents.ts'
import type { DecisionRow } from './decision-columns.tsx'

/** New decisions are collected for this many milliseconds before the list is refreshed. */
const GATHER_MS = 500
/** A failed read of the list is retried after this many milliseconds. */
const RETRY_DELAY_MS = 3_000
/**
 * The revision after which a new stream starts. With revision 0 the stream begins by reporting a gap, and the list is then read again. This
 * is needed because the list was read before the stream was opened.
 */
const NOTHING_SEEN = '0'

type TailEvent = ResultOf<typeof TAIL>['decisions']

interface FeedProps {
  readonly q: string
  readonly enabled: boolean
  onState(state: LiveState): void
  onEvent(event: TailEvent): void
}

/**
 * The stream of new decisions that match one filter. The component's key must be the filter, so that another filter opens another stream.
 */
export function Feed({ q, enabled, onState, onEvent }: FeedProps) {
  const seen = useRef(NOTHING_SEEN)
  const state = useLive(TAIL, {
    enabled,
    variables: () => ({ q, after: seen.current }),
    onEvent({ decisions }) {
      seen.current = decisions.revision
      onEvent(decisions)
    },
  })
  useEffect(() => onState(state), [state, onState])
  useEffect(() => {
    // While live updates are off, decisions are missed. The next stream therefore starts by reporting a gap, and the list is then read
    // again.
    if (!enabled) seen.current = NOTHING_SEEN
  }, [enabled])
  return null
}

interface TailOptions {
  readonly q: string
  /** True if the operator is reading the list. The rows must not move then. */
  readonly isReading: boolean
  readonly pages: Pick<Pages<DecisionRow, { readonly nodes: readonly DecisionRow[] }>, 'rows' | 'readNewest' | 'read'>
}

/** No decisions: an empty set of ids, and 0 further decisions whose ids are unknown. */
const none = (): { readonly ids: Set<string>; others: number } => ({ ids: new Set(), others: 0 })

/** Adds new decisions to the list. While the operator reads the list, new decisions are only counted, and are added afterwards. */
export function useTail({ q, isReading, pages }: TailOptions) {
  const [state, setState] = useState<LiveState>('off')
  const [waiting, setWaiting] = useState(0)
  const [suppressed, setSuppressed] = useState(0)
  const [hasGap, setGap] = useState(false)
  const [isBehind, setBehind] = useState(true)
  const latest = useLatest({ isReading, pages, state })
  const { readNewest } = pages
  /**
   * Events that the page has not processed yet. They are collected, so that the page is not rendered for each of hundreds of events per
   * second.
   */
  const gathered = useRef(none())
  /** The decisions that are not in the list yet. */
  const counted = useRef(none())
  /** Increases with each new filter. Results of a request for an earlier filter are ignored. */
  const round = useRef(0)
  const timers = useRef<Partial<Record<'gathering' | 'catchingUp' | 'waitingAgain', ReturnType<typeof setTimeout>>>>({})

  const count = useCallback(
    (ids: Iterable<string>, others: number) => {
      const shown = new Set(latest.current.pages.rows.map(({ id }) => id))
      for (const id of ids) if (!shown.has(id)) counted.current.ids.add(id)
      counted.current.others += others
      setWaiting(counted.current.ids.size + counted.current.others)
    },
    [latest],
  )
  /** Refreshes the list. Returns false if this failed. The new decisions are then counted again and read later. */
  const takeIn = useCallback(async () => {
    const mine = round.current
    const { ids, others } = counted.current
    // decisions that arrive while the list is read are counted again
    counted.current = none()
    setWaiting(0)
    try {
      await readNewest()
      return true
    } catch {
      if (mine === round.current) timers.current.waitingAgain = setTimeout(() => count(ids, others), RETRY_DELAY_MS)
      return false
    }
  }, [readNewest, count])
  /**
   * Finds missed decisions by refreshing the list. While the operator reads the list, only the newest rows are read, and those that are not
   * in the list are counted.
   */
  const catchUp = useCallback(async () => {
    const mine = round.current
    const { isReading, pages } = latest.current
    const newest = isReading ? await pages.read(null).catch(() => undefined) : undefined
    const isDone = isReading ? newest !== undefined : await takeIn()
    if (mine !== round.current) return
    const ids = newest?.nodes.map(({ id }) => id) ?? []
    count(ids, 0)
    if (isDone) setBehind(false)
    else timers.current.catchingUp = setTimeout(() => void catchUp(), RETRY_DELAY_MS)
  }, [latest, takeIn, count])
  const onEvent = useCallback(
    ({ suppressed: others, gap, decision }: TailEvent) => {
      if (decision !== null) gathered.current.ids.add(decision.id)
      gathered.current.others += others
      timers.current.gathering ??= setTimeout(() => {
        delete timers.current.gathering
        const batch = gathered.current
        gathered.current = none()
        setSuppressed((before) => before + batch.others)
        count(batch.ids, batch.others)
      }, GATHER_MS)
      if (gap === null) return
      if (gap.missedFrom !== NOTHING_SEEN) setGap(true)
      clearTimeout(timers.current.catchingUp)
      void catchUp()
    },
    [count, catchUp],
  )
  const onState = useCallback((next: LiveState) => {
    setState(next)
    if (next !== 'live') setBehind(true)
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another filter has another list, which was just read
  useEffect(() => {
    setWaiting(0)
    setSuppressed(0)
    setGap(false)
    setBehind(true)
    return () => {
      round.current++
      for (const timer of Object.values(timers.current)) clearTimeout(timer)
      timers.current = {}
      gathered.current = none()
      counted.current = none()
    }
  }, [q])
  // a stream that stayed open while the service was silent does not report a gap, so the list is read again
  useEffect(
    () =>
      contact.onReturn(() => {
        // While live updates are off, the list does not change.
        if (latest.current.state === 'off') return
        setBehind(true)
        clearTimeout(timers.current.catchingUp)
        void catchUp()
      }),
    [latest, catchUp],
  )
  const isDue = waiting > 0 && !isReading
  useEffect(() => {
    if (isDue) void takeIn()
  }, [isDue, takeIn])
  return {
    // `live` is shown only after the list was read with the stream open. Otherwise decisions between the reading and the stream would be
    // missed.
    state: state === 'live' && isBehind ? ('connecting' as const) : state,
    waiting: isReading ? waiting : 0,
    ...{ suppressed, hasGap, onState, onEvent, takeIn },
  }
}
