import { startTransition, useCallback, useEffect, useRef, useState } from 'react'
import { request } from '../../lib/api.ts'
import { serviceNow } from '../../lib/clock.ts'
import { type LiveState, useLive } from '../../lib/live.ts'
import { useSession } from '../../lib/session.ts'
import { useAt } from '../../lib/travel.ts'
import { contact } from '../../lib/use-freshness.ts'
import { FLEET, FLEET_DELTAS } from './documents.ts'
import { askedColumns, createFleetStore, type FleetStore } from './fleet-store.ts'

/** The fleet as this tab knows it. The store changes in place; a new `Fleet` stands for each change of it. */
export interface Fleet {
  readonly store: FleetStore
  /** In fleets of one history an ordinal is the same host. After a service began anew there is another, and what was chosen is not known any more. */
  readonly history: number
  /** The revision that it shows. */
  readonly asOf: string
  /** The service's time when it came, milliseconds since 1970. */
  readonly receivedMs: number
}

export interface FleetFeed {
  /** Undefined until it was loaded once. */
  readonly fleet: Fleet | undefined
  readonly live: LiveState
  /** Why it could not be loaded; what was loaded before stays. */
  readonly error: unknown
  readonly isLoading: boolean
  retry(): void
}

interface Kept {
  readonly key: string | undefined
  /** Undefined: of the present. */
  readonly at: string | undefined
  readonly fleet: Fleet
}

/** Kept over the pages of a visit, and the past next to the present: who comes back sees the list at once, and only what changed meanwhile is sent. */
const kept: { now?: Kept; past?: Kept } = {}

const keptAt = (key: string | undefined, at: string | undefined): Fleet | undefined => {
  const found = at === undefined ? kept.now : kept.past
  return found !== undefined && found.key === key && found.at === at ? found.fleet : undefined
}

/**
 * Loads every host once, then follows the stream. After a gap it loads again, and shows what it has meanwhile; the stream then
 * begins anew after what was loaded, so that nothing falls between the two. Of the past there is no stream; each moment has a
 * component of its own.
 */
export function useFleet(isPaused: boolean): FleetFeed {
  const { key } = useSession()
  const at = useAt()
  const [fleet, setFleet] = useState<Fleet | undefined>(() => keptAt(key, at))
  const [isLoading, setLoading] = useState(fleet === undefined)
  const [error, setError] = useState<unknown>()
  const latest = useRef(fleet)

  const show = useCallback(
    (next: Fleet): void => {
      kept[at === undefined ? 'now' : 'past'] = { key, at, fleet: next }
      latest.current = next
      setFleet(next)
    },
    [key, at],
  )
  const retry = useCallback(() => setLoading(true), [])

  useEffect(() => {
    if (!isLoading || key === undefined) return
    const aborted = new AbortController()
    request(FLEET, { columns: [...askedColumns], at: at ?? null }, { signal: aborted.signal })
      .then(
        ({ fleet: { columns } }) => {
          const store = createFleetStore()
          store.apply(columns)
          setError(undefined)
          show({ store, history: historyOf(store, latest.current), asOf: columns.asOf, receivedMs: serviceNow() })
        },
        (reason) => {
          if (!aborted.signal.aborted) setError(reason)
        },
      )
      .finally(() => {
        if (!aborted.signal.aborted) setLoading(false)
      })
    return () => aborted.abort()
  }, [isLoading, key, at, show])

  // biome-ignore lint/correctness/useExhaustiveDependencies: what a key was refused is asked again with the next one, not before
  useEffect(() => {
    if (key !== undefined && error !== undefined) retry()
  }, [key])

  // what could not be read while there was no contact
  useEffect(() => (error === undefined ? undefined : contact.onReturn(retry)), [error, retry])

  const live = useLive(FLEET_DELTAS, {
    enabled: fleet !== undefined && !isPaused && !isLoading,
    variables: () => ({ columns: [...askedColumns], after: latest.current?.asOf ?? '0' }),
    onEvent({ fleetDeltas: event }) {
      const before = latest.current
      if (before === undefined) return
      if (event.gap !== null || event.from !== before.asOf || !before.store.fits(event)) {
        retry()
        return
      }
      before.store.apply(event)
      // whatever the operator does goes first
      startTransition(() => show({ ...before, asOf: event.to, receivedMs: serviceNow() }))
    },
  })

  return { fleet, live, error, isLoading, retry }
}

function historyOf(store: FleetStore, before: Fleet | undefined): number {
  if (before === undefined) return 0
  return store.hasOrdinalsOf(before.store) ? before.history : before.history + 1
}
