import type { Plugin } from 'graphql-yoga'
import { realTimers, type Timers } from '../timers.ts'

/** The interval of heartbeats on an open stream. */
export const HEARTBEAT_MS = 1_000

/** The content of a heartbeat. It shows how fresh the sent data is, and not only that the process runs. */
export interface Heartbeat {
  /** The revision that this replica has applied. */
  readonly revision: number
  /** How long ago the state was last known to be as new as the state in the store, in milliseconds. */
  readonly stateAgeMs: number
}

/**
 * Sends a heartbeat on every stream, at once and then each second. It is a comment of server-sent events, such as `:heartbeat
 * {"revision":"88123","stateAgeMs":420}`, which readers of events skip. A reader that gets no heartbeat for three seconds knows that it is
 * disconnected. Without heartbeats, a stream without events would look like a lost connection.
 */
export function useHeartbeats(current: () => Heartbeat): Plugin {
  return {
    onResponse({ response, setResponse, fetchAPI }) {
      const { body, headers, status } = response
      if (body === null || !headers.get('content-type')?.startsWith('text/event-stream')) return
      setResponse(new fetchAPI.Response(withHeartbeats(body, current, fetchAPI.ReadableStream), { status, headers }))
    },
  }
}

export const heartbeatText = ({ revision, stateAgeMs }: Heartbeat): string =>
  `:heartbeat ${JSON.stringify({ revision: String(revision), stateAgeMs: Math.round(stateAgeMs) })}\n\n`

/** Adds heartbeats to a stream, always between two events. No heartbeat is sent while the reader of the stream is slow. */
export function withHeartbeats(
  body: ReadableStream<Uint8Array>,
  current: () => Heartbeat,
  Stream: typeof ReadableStream = ReadableStream,
  timers: Pick<Timers, 'every'> = realTimers,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  const encoder = new TextEncoder()
  let stopTimer = (): void => undefined
  let isBetweenEvents = true
  return new Stream<Uint8Array>({
    start(controller) {
      const beat = (): void => {
        if (isBetweenEvents && (controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(heartbeatText(current())))
      }
      beat()
      stopTimer = timers.every(HEARTBEAT_MS, beat)
    },
    async pull(controller) {
      try {
        const { value, done } = await reader.read()
        if (!done) {
          isBetweenEvents = endsAnEvent(value)
          controller.enqueue(value)
          return
        }
        stopTimer()
        controller.close()
      } catch (error) {
        stopTimer()
        controller.error(error)
      }
    },
    async cancel(reason) {
      stopTimer()
      await reader.cancel(reason)
    },
  })
}

const NEW_LINE = 10
/** An event ends with an empty line. */
const endsAnEvent = (piece: Uint8Array): boolean => piece.at(-1) === NEW_LINE && piece.at(-2) === NEW_LINE
