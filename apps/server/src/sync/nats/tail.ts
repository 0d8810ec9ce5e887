import type { Place } from '@gantt/scheduler-core'
import type { Timers } from '../../timers.ts'
import { LogTrimmedError, StoreUnavailableError, StoreWentBackError } from '../synchronizer.ts'
import type { Connection } from './connection.ts'
import { atOf, idOf, type StoredMessage } from './entry-message.ts'
import { type Feed, openFeed } from './feed.ts'

/**
 * The messages of the log that were received after a position. The message at the position itself is requested first, because receiving it
 * proves that the log was not trimmed beyond the position.
 */
export interface Tail {
  readonly isBroken: boolean
  /** How many messages after the position were received and not dropped. */
  readonly count: number
  /** Drops messages up to a position; false if the tail does not have this position. */
  moveTo(place: Place): boolean
  /**
   * Resolves when all messages up to a revision have arrived. Throws StoreUnavailableError if no message arrives for `silenceMs`, and
   * StoreWentBackError if the position is not in the log.
   */
  reach(revision: number, silenceMs: number): Promise<void>
  take(limit: number): readonly StoredMessage[]
  find(id: string): StoredMessage | undefined
  /** The time of the message at a revision, in nanoseconds since 1970; undefined if the message was not received. */
  stampAt(revision: number): string | undefined
  close(): void
}

export interface TailOptions {
  readonly stream: string
  readonly timers: Timers
  readonly after: Place
  /**
   * At most `most` messages are buffered. No messages are requested while the buffered ones have more than `maxBytes` bytes, because the
   * buffer would otherwise grow without limit if the reader is slow.
   */
  readonly most?: number
  readonly maxBytes?: number
  /** Called for each received message except the one at the position itself. */
  onMessage?(message: StoredMessage): void
  onBroken?(): void
}

const MAX_ENTRIES = 4_096
/**
 * No more messages are requested while the waiting ones have this many bytes. Messages that were requested earlier still arrive: at most
 * one and a half batches of a feed.
 */
const MAX_BYTES = 64 * 1_048_576

export async function createTail(
  connection: Connection,
  { stream, timers, after, most = MAX_ENTRIES, maxBytes = MAX_BYTES, ...events }: TailOptions,
): Promise<Tail> {
  /** The position of the reader, and the time of the message at the position once it is known. */
  let place = after
  let stamp: string | undefined
  const messages: StoredMessage[] = []
  let bytes = 0
  let problem: Error | undefined
  let waiting: { readonly revision: number; over(): void } | undefined
  const last = (): number => messages.at(-1)?.revision ?? (stamp === undefined && place.revision > 0 ? 0 : place.revision)

  const fail = (error: Error): void => {
    problem ??= error
    feed?.close()
    waiting?.over()
  }
  const wake = (): void => {
    if (waiting !== undefined && last() >= waiting.revision) waiting.over()
  }
  const setPosition = (message: StoredMessage): void => {
    const { revision, id } = after
    if (message.revision > revision) fail(new LogTrimmedError(revision, message.revision))
    else if (idOf(message) !== id || atOf(message) !== after.at)
      fail(new StoreWentBackError(`the store does not have entry ${id} at revision ${revision}; it has entry ${idOf(message)} there`))
    else {
      stamp = message.stamp
      wake()
    }
  }

  const feed: Feed = await openFeed(connection, {
    stream,
    from: after.revision,
    timers,
    // an entry that a caller waits for is requested regardless of the size of the entries before it
    room: () => (bytes < maxBytes ? most - messages.length : waiting === undefined ? 0 : waiting.revision - last()),
    onMessage(message) {
      if (problem !== undefined) return
      if (last() === 0 && after.revision > 0) return setPosition(message)
      if (message.revision !== last() + 1) return fail(new LogTrimmedError(last(), message.revision))
      messages.push(message)
      bytes += message.body.length
      events.onMessage?.(message)
      wake()
    },
    onBroken() {
      fail(new StoreUnavailableError(`the stream ${stream} is not followed any more; it is opened again`))
      events.onBroken?.()
    },
  })

  return {
    get isBroken() {
      return problem !== undefined
    },
    get count() {
      return messages.length
    },
    moveTo(to) {
      if (to.revision === place.revision) return to.id === place.id && to.at === place.at
      const index = to.revision - place.revision - 1
      const message = index < 0 ? undefined : messages[index]
      if (message === undefined || idOf(message) !== to.id || atOf(message) !== to.at) return false
      for (const { body } of messages.splice(0, index + 1)) bytes -= body.length
      place = to
      stamp = message.stamp
      feed.refill()
      return true
    },
    async reach(revision, silenceMs) {
      while (last() < revision && problem === undefined) {
        const before = last()
        await new Promise<void>((resolve) => {
          const stop = timers.after(silenceMs, resolve)
          const over = (): void => {
            stop()
            resolve()
          }
          waiting = { revision, over }
          feed.refill()
        })
        waiting = undefined
        if (last() === before) fail(new StoreUnavailableError(`the stream ${stream} does not deliver revision ${before + 1}`))
      }
      if (last() < revision) throw problem
    },
    take: (limit) => messages.slice(0, limit),
    find: (id) => messages.find((message) => idOf(message) === id),
    stampAt: (revision) => (revision === place.revision ? stamp : messages[revision - place.revision - 1]?.stamp),
    close: () => feed.close(),
  }
}
