import type { Client } from 'graphql-sse'
import { useEffect, useState } from 'react'
import { graphqlUrl } from './api.ts'
import { fetchAndRead } from './clock.ts'
import type { ResultOf, VariablesOf } from './graphql.ts'
import { currentSession, signOut, useSession } from './session.ts'
import { useAt } from './travel.ts'
import { useLatest } from './use-latest.ts'
import { type Operation, textOf } from './wire.ts'

/** off: not asked for; connecting: first time or again; live: events come; lost: tried again and again, without success yet. */
export type LiveState = 'off' | 'connecting' | 'live' | 'lost'

const RETRY_MS = [500, 1_000, 2_000, 5_000] as const
/** The service says something every 12 s, if only that it is there; a connection that is silent for longer is dead. */
const SILENT_MS = 30_000
const LISTEN_MS = 5_000
/** A stream that was open for so long was no failure when it ended. */
const STEADY_MS = 2_000
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
 * what was missed is told by the stream itself (a gap, or the hosts that changed). A key that is not known any more signs the
 * operator out; the stream goes on with the next one. A page of the past has none.
 */
export function useLive<Doc extends Operation>(document: Doc, options: LiveOptions<Doc>): LiveState {
  const { key } = useSession()
  const isNow = useAt() === undefined
  const enabled = options.enabled && isNow
  const [state, setState] = useState<LiveState>('off')
  const latest = useLatest(options)

  useEffect(() => {
    if (!enabled || key === undefined) {
      setState('off')
      return
    }
    let isOver = false
    let failures = 0
    let stop: (() => void) | undefined
    let retry: ReturnType<typeof setTimeout> | undefined
    /** Number of the connection: what an earlier one still says does not count. */
    let connection = 0
    let heardMs = Date.now()
    const heard = (): void => {
      heardMs = Date.now()
    }
    let client: Client | undefined
    /** Loaded with the first stream: what a page shows first comes without it. */
    const loadClient = async (): Promise<Client> => {
      const { createClient } = await import('graphql-sse')
      client ??= createClient({
        url: graphqlUrl(),
        headers: { authorization: `Bearer ${key}` },
        retryAttempts: 0,
        fetchFn: async (url: string, init: RequestInit) => {
          const response = await fetchAndListen(url, init, heard)
          if (response.status === 401 && !isOver && currentSession().key === key) signOut('unknown-key')
          return response
        },
      })
      return client
    }
    const again = (): void => {
      if (isOver) return
      failures++
      setState(failures >= LOST_AFTER ? 'lost' : 'connecting')
      retry = setTimeout(connect, RETRY_MS[Math.min(failures, RETRY_MS.length) - 1])
    }
    const connect = (): void => {
      heard()
      const mine = ++connection
      let openedMs = Number.POSITIVE_INFINITY
      const ended = (): void => {
        if (mine !== connection) return
        // a stream that is opened only to be ended at once is a failure like one that is not opened
        if (Date.now() - openedMs > STEADY_MS) failures = 0
        again()
      }
      const subscribe = (loaded: Client): void => {
        if (isOver || mine !== connection) return
        stop = loaded.subscribe<ResultOf<Doc>>(
          { query: textOf(document), variables: latest.current.variables() as Record<string, unknown> },
          {
            next({ data, errors }) {
              if (!data || errors) return
              failures = 0
              setState('live')
              latest.current.onEvent(data as ResultOf<Doc>)
            },
            error: ended,
            complete: ended,
          },
          {
            connected() {
              openedMs = Date.now()
              if (failures < LOST_AFTER) setState('live')
            },
          },
        )
      }
      loadClient().then(subscribe, ended)
    }
    // a computer that slept, a network that went away without a word
    const watch = setInterval(() => {
      if (Date.now() - heardMs < SILENT_MS) return
      heard()
      connection++
      stop?.()
      clearTimeout(retry)
      again()
    }, LISTEN_MS)
    setState('connecting')
    connect()
    return () => {
      isOver = true
      clearInterval(watch)
      clearTimeout(retry)
      stop?.()
      client?.dispose()
    }
  }, [document, enabled, key, latest])

  return state
}

/** Fetches, and tells of every piece of the answer that arrives: a stream's signs of life too, which hold no event. */
async function fetchAndListen(url: string, init: RequestInit, heard: () => void): Promise<Response> {
  const response = await fetchAndRead(url, init)
  heard()
  if (response.body === null) return response
  const listening = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      heard()
      controller.enqueue(piece)
    },
  })
  return new Response(response.body.pipeThrough(listening), response)
}
