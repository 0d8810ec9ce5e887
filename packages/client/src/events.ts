import { dataOf, readAnswer } from './answer.ts'
import { exchange, reportFailure } from './client.ts'
import { systemClock } from './clock.ts'
import {
  type DecisionEvent,
  type DecisionsFilter,
  decisions,
  type HostChange,
  type HostChangesFilter,
  hostChanged,
  streamStart,
} from './documents/events.ts'
import type { ResultOf, TypedDocument } from './documents/graphql.ts'
import { textOf } from './documents/text.ts'
import { KeySourceError, ProtocolError, retryAfter, UnreachableError } from './errors.ts'
import { readEventStream } from './event-stream.ts'
import type { HiddenKeys } from './hidden-keys.ts'
import { pauseAfter, type Surroundings } from './retry.ts'
import { causeOf, type Transport } from './transport.ts'

export interface FollowOptions {
  /**
   * The last revision that the reader knows. A stream of host changes begins with the changes after this revision, or with an event that
   * has a `gap` if the service no longer stores these changes. A stream of decisions with `after` always begins with a `gap`. Without
   * `after`, a stream begins with new events. If it breaks before the first one, it continues after the revision that the service had when
   * the stream was begun.
   */
  readonly after?: string
  /** Ends the stream without an error. */
  readonly signal?: AbortSignal
  /**
   * A stream is treated as broken if nothing arrives for this many milliseconds. The default is 30,000. The service sends a heartbeat every
   * second, and older releases send one every 12 s.
   */
  readonly silentMs?: number
  /** Called with the error each time the stream breaks, before the stream is reopened. */
  onBreak?(error: unknown): void
}

/** How a subscription is opened, and how it is reopened after a break. */
export interface Resumption<Data, Variables> {
  /** Returns the variables of the subscription. `after` is undefined if the stream begins with new events. */
  variables(after: string | undefined): Variables
  /** Returns the value of `after` with which the stream continues after the event `data`. */
  resumeAfter(data: Data): string
}

/**
 * Streams of events that reconnect. A broken stream continues after the last event that arrived, at the next endpoint if there are several, with growing
 * pauses, until its reader stops. An error that would recur is thrown, such as a missing scope, an unknown key or an invalid filter.
 */
export interface Events {
  /**
   * Streams decisions when they are made. Decisions during an interruption of the connection are not delivered. An event with a `gap`
   * reports the interruption, and the query `decisions` lists the missed decisions.
   */
  decisions(filter?: DecisionsFilter, options?: FollowOptions): AsyncGenerator<DecisionEvent, void>
  /**
   * Streams hosts when they change, each in its present state. Hosts that change during an interruption are delivered after the
   * interruption.
   */
  hostChanges(filter?: HostChangesFilter, options?: FollowOptions): AsyncGenerator<HostChange, void>
  /** Streams the events of any subscription. */
  follow<Data, Variables extends Readonly<Record<string, unknown>>>(
    document: TypedDocument<Data, Variables>,
    resumption: Resumption<NoInfer<Data>, NoInfer<Variables>>,
    options?: FollowOptions,
  ): AsyncGenerator<Data, void>
}

const SILENT_MS = 30_000

export function createEvents(transport: Transport, { clock = systemClock, random = Math.random }: Surroundings = {}): Events {
  const presentRevision = async (url: string, deadlineMs: number, signal: AbortSignal): Promise<string> => {
    const { health } = await exchange<ResultOf<typeof streamStart>>(transport, url, { query: textOf(streamStart) }, { deadlineMs, signal })
    return health.revision
  }

  async function* follow<Data, Variables extends Readonly<Record<string, unknown>>>(
    document: TypedDocument<Data, Variables>,
    { variables, resumeAfter }: Resumption<NoInfer<Data>, NoInfer<Variables>>,
    { after, signal, silentMs = SILENT_MS, onBreak }: FollowOptions = {},
  ): AsyncGenerator<Data, void> {
    let resume = after
    /** The revision of the service when a stream without `after` was begun. */
    let start: string | undefined
    let failures = 0
    /** The endpoints that were tried since the last event. */
    let route = transport.endpoints.route()
    while (!isOver(signal)) {
      const reading = new AbortController()
      const either = signal === undefined ? reading.signal : AbortSignal.any([reading.signal, signal])
      const target = route.next()
      try {
        const from = resume ?? start
        if (from === undefined) start = await presentRevision(target.url, silentMs, either)
        const body = JSON.stringify({ query: textOf(document), variables: variables(from) })
        for await (const data of connect<Data>(transport, target.url, body, either, silentMs)) {
          if (failures > 0) route = transport.endpoints.route()
          failures = 0
          target.answered()
          resume = resumeAfter(data)
          yield data
        }
        throw new UnreachableError(`${target.url}: the stream ended`)
      } catch (error) {
        if (isOver(signal)) return
        if (!(error instanceof KeySourceError)) reportFailure(target, error)
        if (retryAfter(error) === undefined) throw error
        onBreak?.(error)
        await clock.wait(route.waitMs() + pauseAfter(failures++, random), signal).catch(() => undefined)
      } finally {
        reading.abort()
      }
    }
  }

  return {
    follow,
    async *decisions(filter = {}, how) {
      const resumption = {
        variables: (after: string | undefined) => ({ ...filter, after: after ?? null }),
        resumeAfter: ({ decisions: { revision } }: { decisions: DecisionEvent }) => before(revision),
      }
      for await (const { decisions: event } of follow(decisions, resumption, how)) yield event
    },
    async *hostChanges(filter = {}, how) {
      const { isNew, known } = createOnce()
      const resumption = {
        variables: (after: string | undefined) => ({ ...filter, after: after ?? null }),
        resumeAfter: ({ hostChanged: { revision } }: { hostChanged: HostChange }) => before(later(revision, known())),
      }
      for await (const { hostChanged: event } of follow(hostChanged, resumption, how)) if (isNew(event)) yield event
    },
  }
}

/**
 * Opens a connection and yields its events until it ends. Throws the errors that the stream delivers, with the same classes as errors of
 * calls.
 */
async function* connect<Data>(
  { post, hidden }: Transport,
  url: string,
  body: string,
  signal: AbortSignal,
  silentMs: number,
): AsyncGenerator<Data, void> {
  let response: Response
  let text: string | undefined
  try {
    response = await post(url, body, 'text/event-stream', signal)
    if (!response.headers.get('content-type')?.startsWith('text/event-stream')) text = await response.text()
  } catch (error) {
    throw unreachable(url, error, hidden)
  }
  if (text !== undefined || response.body === null) {
    readAnswer({ url, response, hidden }, text ?? '')
    throw new ProtocolError(`${url} answered a subscription without an event stream`, response.status)
  }
  const events = readEventStream(response.body, silentMs)
  try {
    for (;;) {
      const { value, done } = await events.next().catch((error: unknown) => {
        throw unreachable(url, error, hidden)
      })
      if (done || value.event === 'complete') return
      const data = dataOf({ url, response, hidden }, parsed(url, value.data))
      if (data !== undefined) yield data as Data
    }
  } finally {
    await events.return()
  }
}

/** Parses the data of an event. An event that is not JSON is one that was damaged on its way. */
function parsed(url: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UnreachableError(`${url}: an event of the stream is not JSON`)
  }
}

function unreachable(url: string, error: unknown, hidden: HiddenKeys): unknown {
  if (error instanceof KeySourceError) return error
  const cause = hidden.inError(error)
  return new UnreachableError(`${url}: ${causeOf(cause)}`, { cause })
}

/**
 * Returns the previous revision. A reopened stream continues from there, because several events can have the same revision, and the stream
 * could have broken between two of them.
 */
const before = (revision: string): string => (BigInt(revision) > 0n ? String(BigInt(revision) - 1n) : '0')

/**
 * Remembers which events were delivered. `isNew` returns true for the first event of a host at a revision, and false for an event before
 * the last revision: a stream that was reopened at a replica that is behind begins with changes that were delivered already. `known`
 * returns the last revision.
 */
function createOnce(): { isNew(event: HostChange): boolean; known(): string } {
  let last = '0'
  let seen = new Set<string>()
  return {
    known: () => last,
    isNew({ revision, host }) {
      if (later(revision, last) !== revision) return false
      if (revision !== last) seen = new Set()
      last = revision
      if (host === null) return true
      const name = JSON.stringify([host.name, host.node])
      if (seen.has(name)) return false
      seen.add(name)
      return true
    },
  }
}

/** Returns the later one of two revisions. */
const later = (a: string, b: string): string => (BigInt(a) > BigInt(b) ? a : b)

const isOver = (signal: AbortSignal | undefined): boolean => signal?.aborted === true
