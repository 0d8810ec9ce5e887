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
 * The state of a stream. off: the stream is not wanted. connecting: it is being opened for the first time or again. live: it is open and
 * has heartbeats. silent: it is open but has no heartbeats. lost: several attempts to open it have failed, and the next attempt has not
 * succeeded yet.
 */
export type LiveState = 'off' | 'connecting' | 'live' | 'silent' | 'lost'

const RETRY_MS = [500, 1_000, 2_000, 5_000] as const
/** A stream from which nothing arrived for this many milliseconds is closed and opened again. */
const DEAD_MS = 8_000
/**
 * A stream that never had a heartbeat is closed and opened again after this many milliseconds. Services of an older release send a message
 * only every 12 s.
 */
const DEAD_WITHOUT_BEATS_MS = 30_000
const POLL_INTERVAL_MS = 1_000
/** A stream that ends within this many milliseconds after it was opened counts as a failure. */
const STABLE_AFTER_MS = 2_000
/** After this many consecutive failures the page shows that its feed is lost. It still tries to reconnect. */
const LOST_AFTER = 3

export interface LiveOptions<Doc extends Operation> {
  readonly enabled: boolean
  onEvent(data: ResultOf<Doc>): void
  /** Called for each new connection. The variables must make the stream continue after the last event. */
  variables(): VariablesOf<Doc>
}

/**
 * Follows a subscription while the component is mounted. It reconnects automatically with new variables. If events were missed, the stream
 * itself reports this (a gap, or the hosts that changed). If the service does not know the key, the operator is signed out, and the stream
 * continues with the next key. There is no stream while the page shows the past.
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
    /** Increases with each connection. Messages of earlier connections are ignored. */
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
    /**
     * Sets the state of an open stream that has heartbeats. After LOST_AFTER failures, the state changes only once the stream has been open
     * for STABLE_AFTER_MS milliseconds.
     */
    const judge = (): void => {
      const now = Date.now()
      if (!isOpen || !hasBeats) return
      if (failures >= LOST_AFTER && now - openedMs <= STABLE_AFTER_MS) return
      setState(silenceOf(news, now) === undefined ? 'live' : 'silent')
    }
    let client: Client | undefined
    /** Loaded with the first stream, because the first content of a page does not need it. */
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
        // a stream that ends right after it was opened counts as a failure, like one that cannot be opened
        if (Date.now() - openedMs > STABLE_AFTER_MS) failures = 0
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
    // detects that the computer slept, that the network was lost unnoticed, or that the service hangs
    let lookedMs = Date.now()
    const watch = setInterval(() => {
      const now = Date.now()
      // if the page did not run for a while, events that arrived meanwhile are processed only after this check
      if (now - lookedMs >= 2 * POLL_INTERVAL_MS) news = { ...news, resumedAtMs: now }
      lookedMs = now
      judge()
      const silentMs = now - Math.max(news.heardAtMs, news.resumedAtMs)
      if (stop === undefined || silentMs < (isOpen && !hasBeats ? DEAD_WITHOUT_BEATS_MS : DEAD_MS)) return
      drop()
      again()
    }, POLL_INTERVAL_MS)
    // while the browser is offline, buffered data of a stream does not prove contact
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

/** The content of a stream's heartbeat: `:heartbeat {"revision":"88123","stateAgeMs":420}`. */
const HEARTBEAT = /^:heartbeat (\{.*\})$/gm

/** Fetches a stream. Reports the arrival of each chunk, and the age of the service's state in heartbeats. */
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

/** The age of the state in milliseconds, from the last heartbeat in a chunk. Undefined if the chunk has no heartbeat. */
function stateAgeIn(text: string): number | undefined {
  const [, said] = [...text.matchAll(HEARTBEAT)].at(-1) ?? []
  if (said === undefined) return undefined
  const { stateAgeMs } = JSON.parse(said) as { readonly stateAgeMs: number }
  return stateAgeMs
}
