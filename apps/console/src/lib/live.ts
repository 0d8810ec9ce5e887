import type { Client } from 'graphql-sse'
import { useEffect, useState } from 'react'
import { graphqlUrl } from './api.ts'
import { fetchAndRead } from './clock.ts'
import { type Contact, silenceOf } from './freshness.ts'
import type { ResultOf, VariablesOf } from './graphql.ts'
import { currentSession, signOut, useSession } from './session.ts'
import { useAt } from './travel.ts'
import { contact } from './use-freshness.ts'
import { useLatest } from './use-latest.ts'
import { type Operation, textOf } from './wire.ts'

/**
 * off: not asked for; connecting: first time or again; live: open, with heartbeats; silent: open, without; lost: tried again and
 * again, without success yet.
 */
export type LiveState = 'off' | 'connecting' | 'live' | 'silent' | 'lost'

const RETRY_MS = [500, 1_000, 2_000, 5_000] as const
/** An open stream that beats no more is dead, and is opened again. */
const DEAD_MS = 8_000
/** One that never did is that of an older release, which says something every 12 s. */
const DEAD_WITHOUT_BEATS_MS = 30_000
const LOOK_MS = 1_000
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
 * what was missed is shown by the stream itself (a gap, or the hosts that changed). A key that is not known any more signs the
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
    let news: Contact = { heardAtMs: Date.now(), stateAgeMs: 0, resumedAtMs: 0 }
    let hasBeats = false
    let isOpen = false
    let openedMs = Number.POSITIVE_INFINITY
    const heard = (stateAgeMs?: number): void => {
      hasBeats ||= stateAgeMs !== undefined
      news = { ...news, heardAtMs: Date.now(), stateAgeMs: stateAgeMs ?? news.stateAgeMs }
      contact.heard(stateAgeMs)
      if (stateAgeMs !== undefined) judge()
    }
    /** `live` is earned by heartbeats that came lately, on a stream that does not end as soon as it is opened. */
    const judge = (): void => {
      const now = Date.now()
      if (!isOpen || !hasBeats) return
      if (failures >= LOST_AFTER && now - openedMs <= STEADY_MS) return
      setState(silenceOf(news, now) === undefined ? 'live' : 'silent')
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
      isOpen = false
      failures++
      setState(failures >= LOST_AFTER ? 'lost' : 'connecting')
      retry = setTimeout(connect, RETRY_MS[Math.min(failures, RETRY_MS.length) - 1])
    }
    const connect = (): void => {
      news = { ...news, heardAtMs: Date.now(), stateAgeMs: 0 }
      hasBeats = false
      const mine = ++connection
      openedMs = Number.POSITIVE_INFINITY
      const ended = (): void => {
        if (mine !== connection) return
        stop = undefined
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
              latest.current.onEvent(data as ResultOf<Doc>)
            },
            error: ended,
            complete: ended,
          },
          {
            connected() {
              openedMs = Date.now()
              isOpen = true
              judge()
            },
          },
        )
      }
      loadClient().then(subscribe, ended)
    }
    const drop = (): void => {
      connection++
      stop?.()
      stop = undefined
      clearTimeout(retry)
    }
    // a computer that slept, a network that went away without a word, a service that hangs
    let lookedMs = Date.now()
    const watch = setInterval(() => {
      const now = Date.now()
      // what came while the page did not run waits behind this look
      if (now - lookedMs >= 2 * LOOK_MS) news = { ...news, resumedAtMs: now }
      lookedMs = now
      judge()
      const silentMs = now - Math.max(news.heardAtMs, news.resumedAtMs)
      if (stop === undefined || silentMs < (isOpen && !hasBeats ? DEAD_WITHOUT_BEATS_MS : DEAD_MS)) return
      drop()
      again()
    }, LOOK_MS)
    // what the browser still has of a stream then proves nothing
    const loseNetwork = (): void => {
      drop()
      again()
    }
    const findNetwork = (): void => {
      if (isOpen) return
      drop()
      connect()
    }
    addEventListener('offline', loseNetwork)
    addEventListener('online', findNetwork)
    setState('connecting')
    connect()
    return () => {
      isOver = true
      clearInterval(watch)
      removeEventListener('offline', loseNetwork)
      removeEventListener('online', findNetwork)
      drop()
      client?.dispose()
    }
  }, [document, enabled, key, latest])

  return state
}

/** What a heartbeat of a stream says: `:heartbeat {"revision":"88123","stateAgeMs":420}`. */
const HEARTBEAT = /^:heartbeat (\{.*\})$/gm

/** Fetches, and shows every piece of the answer that arrives; of a heartbeat, how old the state of the service is. */
async function fetchAndListen(url: string, init: RequestInit, heard: (stateAgeMs?: number) => void): Promise<Response> {
  const response = await fetchAndRead(url, init)
  heard()
  if (response.body === null) return response
  const decoder = new TextDecoder()
  const listening = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      heard(stateAgeIn(decoder.decode(piece)))
      controller.enqueue(piece)
    },
  })
  return new Response(response.body.pipeThrough(listening), response)
}

/** The age of the state in the last heartbeat of a piece, milliseconds; undefined: it has none. */
function stateAgeIn(text: string): number | undefined {
  const [, said] = [...text.matchAll(HEARTBEAT)].at(-1) ?? []
  if (said === undefined) return undefined
  const { stateAgeMs } = JSON.parse(said) as { readonly stateAgeMs: number }
  return stateAgeMs
}
