import { createClient } from 'graphql-sse'
import { useEffect, useRef, useState } from 'react'
import { graphqlUrl, type Operation, textOf } from './api.ts'
import type { ResultOf, VariablesOf } from './graphql.ts'
import { useSession } from './session.ts'

/** off: not asked for; connecting: first time or again; live: events come; lost: tried again and again, without success yet. */
export type LiveState = 'off' | 'connecting' | 'live' | 'lost'

const RETRY_MS = [500, 1_000, 2_000, 5_000] as const
/** After so many failures in a row the page says that its feed is lost; it is tried on. */
const LOST_AFTER = 3

export interface LiveOptions<Doc extends Operation> {
  readonly enabled: boolean
  onEvent(data: ResultOf<Doc>): void
  /** Variables for each connection: called anew every time, so that a stream goes on after what was seen. */
  variables(): VariablesOf<Doc>
}

/**
 * One stream of a subscription while the component is there. It reconnects by itself with the variables of that moment;
 * what was missed is told by the stream itself (a gap, or the hosts that changed).
 */
export function useLive<Doc extends Operation>(document: Doc, options: LiveOptions<Doc>): LiveState {
  const { key } = useSession()
  const { enabled } = options
  const [state, setState] = useState<LiveState>('off')
  const latest = useRef(options)
  latest.current = options

  useEffect(() => {
    if (!enabled || key === undefined) {
      setState('off')
      return
    }
    let isOver = false
    let failures = 0
    let stop: (() => void) | undefined
    let retry: ReturnType<typeof setTimeout> | undefined
    const client = createClient({ url: graphqlUrl(), headers: { authorization: `Bearer ${key}` }, retryAttempts: 0 })
    const again = (): void => {
      if (isOver) return
      failures++
      setState(failures >= LOST_AFTER ? 'lost' : 'connecting')
      retry = setTimeout(connect, RETRY_MS[Math.min(failures, RETRY_MS.length) - 1])
    }
    const connect = (): void => {
      stop = client.subscribe<ResultOf<Doc>>(
        { query: textOf(document), variables: latest.current.variables() as Record<string, unknown> },
        {
          next({ data, errors }) {
            failures = 0
            setState('live')
            if (data && !errors) latest.current.onEvent(data as ResultOf<Doc>)
          },
          error: again,
          complete: again,
        },
        {
          connected() {
            failures = 0
            setState('live')
          },
        },
      )
    }
    setState('connecting')
    connect()
    return () => {
      isOver = true
      clearTimeout(retry)
      stop?.()
      client.dispose()
    }
  }, [document, enabled, key])

  return state
}
