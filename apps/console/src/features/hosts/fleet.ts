import { startTransition, useCallback, useEffect, useRef, useState } from 'react'
import { request } from '../../lib/service/api.ts'
import { serviceNow } from '../../lib/service/clock.ts'
import { type LiveState, useLive } from '../../lib/service/live.ts'
import { useSession } from '../../lib/service/session.ts'
import { useAt } from '../../lib/service/travel.ts'
import { contact } from '../../lib/service/use-freshness.ts'
import { FLEET, FLEET_DELTAS } from './documents.ts'
import { askedColumns, createFleetStore, type FleetStore } from './fleet-store.ts'

/**
 * The fleet in this tab. The store is changed in place. With each change there is a new `Fleet` object, so that React notices the change.
 */
export interface Fleet {
  readonly store: FleetStore
  /**
   * As long as this number is the same, an ordinal means the same host. A service that was started with another database assigns other
   * ordinals. The number then increases, and the selection is cleared.
   */
  readonly history: number
  /** The revision of the data in the store. */
  readonly asOf: string
  /** The service's time when the data arrived, milliseconds since 1970. */
  readonly receivedMs: number
}

export interface FleetFeed {
  /** Undefined until the first load. */
  readonly fleet: Fleet | undefined
  readonly live: LiveState
  /** Why the fleet could not be loaded. Earlier data stays visible. */
  readonly error: unknown
  readonly isLoading: boolean
  retry(): void
}

interface Kept {
  readonly key: string | undefined
  /** The moment. Undefined for the present. */
  readonly at: string | undefined
  readonly fleet: Fleet
}

/**
 * The loaded fleets of the present and of the past. They are cached as long as the tab is open, so that the list is shown at once and only
 * changes are loaded.
 */
const kept: { now?: Kept; past?: Kept } = {}

const keptAt = (key: string | undefined, at: string | undefined): Fleet | undefined => {
  const found = at === undefined ? kept.now : kept.past
  return found !== undefined && found.key === key && found.at === at ? found.fleet : undefined
}

/**
 * Loads all hosts once, then follows the stream. After a gap it loads all hosts again, and shows the old data meanwhile. The stream starts
 * after the loaded revision, so that no change is missed. There is no stream for the past. Another moment is loaded by a new instance of
 * the component.
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

  // biome-ignore lint/correctness/useExhaustiveDependencies: a query that was refused for the key is sent again only with another key
  useEffect(() => {
    if (key !== undefined && error !== undefined) retry()
  }, [key])

  // If a load failed because there was no contact with the service, it is retried when contact is restored.
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
      // The update has a lower priority than the operator's input.
      startTransition(() => show({ ...before, asOf: event.to, receivedMs: serviceNow() }))
    },
  })

  return { fleet, live, error, isLoading, retry }
}

function historyOf(store: FleetStore, before: Fleet | undefined): number {
  if (before === undefined) return 0
  return store.hasOrdinalsOf(before.store) ? before.history : before.history + 1
}
