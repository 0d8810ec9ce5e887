import { useCallback, useEffect, useRef, useState } from 'react'
import type { ResultOf } from '../../lib/graphql.ts'
import { type LiveState, useLive } from '../../lib/live.ts'
import { contact } from '../../lib/use-freshness.ts'
import { useLatest } from '../../lib/use-latest.ts'
import type { Pages } from '../../lib/use-pages.ts'
import type { DecisionRow } from './decision-columns.tsx'
import { TAIL } from './documents.ts'

/** How long new decisions gather before the list is read again, milliseconds. */
const GATHER_MS = 500
/** When a list that could not be read is asked for again. */
const AGAIN_MS = 3_000
/** Before the first event of a stream: it begins with a gap then, as the list was read before it was opened. */
const NOTHING_SEEN = '0'

type TailEvent = ResultOf<typeof TAIL>['decisions']

interface FeedProps {
  readonly q: string
  readonly enabled: boolean
  onState(state: LiveState): void
  onEvent(event: TailEvent): void
}

/** The stream of new decisions for one filter; its key is the filter, so that another filter has a stream of its own. */
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
    // whoever froze the list knows that it stood still
    if (!enabled) seen.current = NOTHING_SEEN
  }, [enabled])
  return null
}

interface TailOptions {
  readonly q: string
  /** No row may move. */
  readonly isReading: boolean
  readonly pages: Pick<Pages<DecisionRow, { readonly nodes: readonly DecisionRow[] }>, 'rows' | 'readNewest' | 'read'>
}

/** Decisions by their ids, and how many more that were only counted. */
const none = (): { readonly ids: Set<string>; others: number } => ({ ids: new Set(), others: 0 })

/** New decisions: taken in by themselves, or counted while somebody reads, and taken in when that ends. */
export function useTail({ q, isReading, pages }: TailOptions) {
  const [state, setState] = useState<LiveState>('off')
  const [waiting, setWaiting] = useState(0)
  const [suppressed, setSuppressed] = useState(0)
  const [hasGap, setGap] = useState(false)
  const [isBehind, setBehind] = useState(true)
  const latest = useLatest({ isReading, pages, state })
  const { readNewest } = pages
  /** What the feed reported since the page heard of it last: the page is not drawn for each of hundreds a second. */
  const gathered = useRef(none())
  /** What of it is not in the list. */
  const counted = useRef(none())
  /** Which filter it is by now: what was asked for another one counts no more. */
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
  /** Reads the list again; false where it could not be read: what waited waits again after a while. */
  const takeIn = useCallback(async () => {
    const mine = round.current
    const { ids, others } = counted.current
    // what comes while the list is on its way counts again
    counted.current = none()
    setWaiting(0)
    try {
      await readNewest()
      return true
    } catch {
      if (mine === round.current) timers.current.waitingAgain = setTimeout(() => count(ids, others), AGAIN_MS)
      return false
    }
  }, [readNewest, count])
  /** Finds out what was missed: by the list itself, or by a look at its newest rows while no row may move. */
  const catchUp = useCallback(async () => {
    const mine = round.current
    const { isReading, pages } = latest.current
    const newest = isReading ? await pages.read(null).catch(() => undefined) : undefined
    const isDone = isReading ? newest !== undefined : await takeIn()
    if (mine !== round.current) return
    const ids = newest?.nodes.map(({ id }) => id) ?? []
    count(ids, 0)
    if (isDone) setBehind(false)
    else timers.current.catchingUp = setTimeout(() => void catchUp(), AGAIN_MS)
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
  // a stream that outlived the silence reports no gap
  useEffect(
    () =>
      contact.onReturn(() => {
        // a frozen list stays as it is
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
    // live: the list was read behind the opening of the stream, so that nothing is missing between the two
    state: state === 'live' && isBehind ? ('connecting' as const) : state,
    waiting: isReading ? waiting : 0,
    ...{ suppressed, hasGap, onState, onEvent, takeIn },
  }
}
