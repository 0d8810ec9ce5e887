import {
  type DecisionEvent,
  type DecisionsFilter,
  decisions,
  type HostChange,
  type HostChangesFilter,
  hostChanged,
} from './documents/events.ts'
import type { TypedDocument } from './documents/graphql.ts'
import { textOf } from './documents/text.ts'
import { type Fault, FaultError, KeySourceError, ProtocolError, retryAfter, UnreachableError } from './errors.ts'
import { readEventStream } from './event-stream.ts'
import { pauseAfter, type Surroundings, systemClock } from './retry.ts'
import { causeOf, createTransport, readAnswer, type Transport, type TransportOptions } from './transport.ts'

export interface FollowOptions {
  /**
   * The last revision that the reader knows. Later changes are delivered first, or an event with a gap. Absent: only new events are
   * delivered.
   */
  readonly after?: string
  /** Ends the stream without an error. */
  readonly signal?: AbortSignal
  /**
   * A stream without data for this many milliseconds is considered broken; 30,000 by default. The service sends a heartbeat every second,
   * and older releases send one every 12 s.
   */
  readonly silentMs?: number
  /** Called each time the stream breaks, before it is opened again. */
  onBreak?(error: unknown): void
}

/** How a subscription is opened and reopened. */
export interface Resumption<Data, Variables> {
  variables(after: string | undefined): Variables
  /** The value of `after` with which the stream continues after this event. */
  resumeAfter(data: Data): string
}

/**
 * Streams that reconnect. A broken stream is reopened at the position where it ended, with growing pauses, until its reader stops. An error
 * that would recur (a missing scope, an unknown key, an invalid filter) is thrown.
 */
export interface Events {
  /**
   * Decisions as they are made. Decisions that were made while there was no connection are not delivered. An event with a `gap` reports
   * this, and the query `decisions` lists them.
   */
  decisions(filter?: DecisionsFilter, options?: FollowOptions): AsyncGenerator<DecisionEvent, void>
  /** Hosts as they change, each in its present state. A host that changed while there was no connection is delivered afterwards. */
  hostChanges(filter?: HostChangesFilter, options?: FollowOptions): AsyncGenerator<HostChange, void>
  /** Opens any subscription. */
  follow<Data, Variables extends Readonly<Record<string, unknown>>>(
    document: TypedDocument<Data, Variables>,
    resumption: Resumption<NoInfer<Data>, NoInfer<Variables>>,
    options?: FollowOptions,
  ): AsyncGenerator<Data, void>
}

const SILENT_MS = 30_000

export function createEvents(options: TransportOptions, { clock = systemClock, random = Math.random }: Surroundings = {}): Events {
  const { url } = options
  const transport = createTransport(options)

  async function* follow<Data, Variables extends Readonly<Record<string, unknown>>>(
    document: TypedDocument<Data, Variables>,
    { variables, resumeAfter }: Resumption<NoInfer<Data>, NoInfer<Variables>>,
    { after, signal, silentMs = SILENT_MS, onBreak }: FollowOptions = {},
  ): AsyncGenerator<Data, void> {
    let resume = after
    let failures = 0
    while (!isOver(signal)) {
      const reading = new AbortController()
      const either = signal === undefined ? reading.signal : AbortSignal.any([reading.signal, signal])
      try {
        const body = JSON.stringify({ query: textOf(document), variables: variables(resume) })
        for await (const data of connect<Data>(url, transport, body, either, silentMs)) {
          failures = 0
          resume = resumeAfter(data)
          yield data
        }
        throw new UnreachableError(`${url}: the stream ended`)
      } catch (error) {
        if (isOver(signal)) return
        const afterMs = retryAfter(error)
        if (afterMs === undefined) throw error
        onBreak?.(error)
        await clock.wait(afterMs + pauseAfter(failures++, random), signal).catch(() => undefined)
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
      const resumption = {
        variables: (after: string | undefined) => ({ ...filter, after: after ?? null }),
        resumeAfter: ({ hostChanged: { revision } }: { hostChanged: HostChange }) => before(revision),
      }
      const isNew = createOnce()
      for await (const { hostChanged: event } of follow(hostChanged, resumption, how)) if (isNew(event)) yield event
    },
  }
}

/** Opens one connection and yields its events until it ends. Errors of the stream are thrown like those of calls. */
async function* connect<Data>(
  url: string,
  transport: Transport,
  body: string,
  signal: AbortSignal,
  silentMs: number,
): AsyncGenerator<Data, void> {
  let response: Response
  let text: string | undefined
  try {
    response = await transport(body, 'text/event-stream', signal)
    if (!response.headers.get('content-type')?.startsWith('text/event-stream')) text = await response.text()
  } catch (error) {
    throw unreachable(url, error)
  }
  if (text !== undefined || response.body === null) {
    readAnswer(url, response, text ?? '')
    throw new ProtocolError(`${url} answered a subscription with no stream`, response.status)
  }
  const events = readEventStream(response.body, silentMs)
  try {
    for (;;) {
      const { value, done } = await events.next().catch((error: unknown) => {
        throw unreachable(url, error)
      })
      if (done || value.event === 'complete') return
      const { data, errors } = JSON.parse(value.data) as { readonly data?: Data | null; readonly errors?: readonly Fault[] }
      if (errors !== undefined) throw new FaultError(errors, response.status)
      if (data !== undefined && data !== null) yield data
    }
  } finally {
    await events.return()
  }
}

const unreachable = (url: string, error: unknown): unknown =>
  error instanceof KeySourceError ? error : new UnreachableError(`${url}: ${causeOf(error)}`, { cause: error })

/**
 * The revision before this one. Several events can have the same revision, and the stream can have broken between them, so it continues
 * from before that revision.
 */
const before = (revision: string): string => (BigInt(revision) > 0n ? String(BigInt(revision) - 1n) : '0')

/** Returns a function that returns true for a host's first event at a revision. Events come in the order of revisions. */
function createOnce(): (event: HostChange) => boolean {
  let revision: string | undefined
  let seen = new Set<string>()
  return (event) => {
    if (event.revision !== revision) seen = new Set()
    revision = event.revision
    if (event.host === null) return true
    const name = JSON.stringify([event.host.name, event.host.node])
    if (seen.has(name)) return false
    seen.add(name)
    return true
  }
}

const isOver = (signal: AbortSignal | undefined): boolean => signal?.aborted === true
